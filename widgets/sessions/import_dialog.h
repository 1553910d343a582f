// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Results of another tool before they become a session: what the file was taken for and why, what was understood of
//! it, and what only a person knows (title, users, the columns of a table). GUI thread; files are read by another.
#pragma once

#include "bridge/job.h"

#include <dyno/import.h>

#include <QDialog>
#include <QStringList>
#include <QTimer>

#include <atomic>
#include <map>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace dyno {

//! Deletes itself when it is closed.
class ImportDialog : public QDialog
{
    Q_OBJECT
public:
    //! Begins to read the first of `files` at once; the others are offered as further runs of the same session.
    ImportDialog(std::filesystem::path library, QStringList files, QWidget* parent = nullptr);
    ~ImportDialog() override; //!< cancels what is under way

    [[nodiscard]] bool busy() const { return m_cancel != nullptr; } //!< a file is being read

signals:
    void imported(const QString& sessionId, const QString& title);
    void filesLeft(const QStringList& files); //!< after the import or its refusal: those that are sessions of their own

protected:
    void done(int result) override;

private:
    using Files = std::vector<std::filesystem::path>;
    void buildQuestions();
    QWidget* buildMap();
    void read(); //!< the preview, anew
    void import();
    void showPreview(const ImportPreview& preview);
    void showRuns(const ImportPreview& preview);
    void showMap(const ImportPreview& preview); //!< one box a role, for a mapped format
    void showError(const Error& error);
    void setBusy(bool busy, const QString& what = {});
    void setWriting(bool writing); //!< questions cannot be answered meanwhile
    void written(Expected<ImportResult> result);
    [[nodiscard]] Files chosen() const;
    [[nodiscard]] ImportOptions options() const;
    [[nodiscard]] ImportCallback callback(); //!< of a new reading; cancels the one before

    std::filesystem::path m_library;
    QStringList m_files;
    Job<Expected<ImportPreview>> m_reading;
    Job<Expected<ImportResult>> m_writing;
    std::shared_ptr<std::atomic<bool>> m_cancel; //!< of what is under way
    QTimer m_readAgain;                          //!< after the last change
    std::map<std::string, QComboBox*> m_roles;
    QComboBox* m_format;
    QLabel* m_reason;
    QLineEdit* m_title;
    QSpinBox* m_users;
    QCheckBox* m_together;
    QWidget* m_questions;
    QWidget* m_map;
    QTableWidget* m_head; //!< first rows of a table of values
    QTableWidget* m_runs;
    QLabel* m_heading; //!< above the runs
    QLabel* m_understood;
    QLabel* m_problem;
    QProgressBar* m_progress;
    QPushButton* m_import;
    QPushButton* m_leave;
    bool m_accepted = false;
    bool m_underWay = false; //!< the library is being written
    bool m_leaving = false;  //!< asked to close meanwhile
};

} // namespace dyno
