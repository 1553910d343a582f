// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings: what a person chooses for the whole program. Each choice holds at once, except the language, which says
//! so. GUI thread.
#pragma once

#include <QDialog>

#include <filesystem>

class QComboBox;
class QLabel;

namespace dyno {

class Card;
class ElidedLabel;

class SettingsDialog : public QDialog
{
    Q_OBJECT
public:
    SettingsDialog(const std::filesystem::path& library, QWidget* parent);

signals:
    void moveLibraryWanted();
    void shortcutsWanted();
    void aboutWanted();

private:
    QWidget* buildLook();
    QWidget* buildBenchmarks();
    QWidget* buildLibrary();
    QWidget* buildNotices();
    QWidget* buildFoot();
    void addRow(Card* card, const QString& label, QWidget* control, QLabel* note = nullptr);
    void showSamples();
    void showLibrary();

    std::filesystem::path m_library;
    ElidedLabel* m_place;
    QComboBox* m_interval;
    QLabel* m_samples;
};

} // namespace dyno
