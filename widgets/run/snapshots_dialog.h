// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the server did at moments of a run: the snapshots at the left, the text of the chosen part at the right. GUI
//! thread.
#pragma once

#include "bridge/job.h"

#include <dyno/snapshots.h>

#include <QDialog>
#include <QTimer>

#include <filesystem>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QTreeWidget;

namespace dyno {

//! Reads the snapshots of a run that the library has, again for a moment where the wanted one is still being written.
class SnapshotsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit SnapshotsDialog(std::filesystem::path library, QWidget* parent = nullptr);
    //! Of a run, by RunHeader::index; the one that was taken `seconds` after the run's first phase began is chosen.
    void showRun(const std::string& session, int run, double seconds);
    [[nodiscard]] const std::vector<RunSnapshot>& snapshots() const { return m_snapshots; }
    [[nodiscard]] QString text() const; //!< of the chosen part

private:
    using Read = Expected<std::vector<RunSnapshot>>;
    void read();
    void fill();
    void showText();
    void find(bool backward);
    void copy();

    std::filesystem::path m_library;
    std::string m_session;
    int m_run = -1, m_tries = 0;
    double m_seconds = 0;
    std::vector<RunSnapshot> m_snapshots;
    QTreeWidget* m_list;
    QPlainTextEdit* m_text;
    QLineEdit* m_search;
    QLabel* m_note;
    QTimer m_again;
    Job<Read> m_job;
};

} // namespace dyno
