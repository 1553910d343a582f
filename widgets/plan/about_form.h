// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan carries besides what it runs: its description, how it departs from its post, and the sizes that it
//! comes in. GUI thread.
#pragma once

#include <QWidget>

#include <string>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QVBoxLayout;

namespace dyno {

class PlanEditor;

class AboutForm : public QWidget
{
    Q_OBJECT
public:
    explicit AboutForm(PlanEditor& editor, QWidget* parent = nullptr);
    void focusPath(const QString& where); //!< "description", "size[0].load.time"

private:
    void sync();
    void showSizes();
    void openSize(const std::string& name); //!< "": a new one

    PlanEditor& m_editor;
    QPlainTextEdit* m_description;
    QLabel* m_departs;
    QWidget* m_sizesBox;
    QVBoxLayout* m_sizes;
    QPushButton* m_add;
    QString m_shownSizes; //!< what the rows are made of
};

} // namespace dyno
