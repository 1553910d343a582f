// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Asks a Prometheus server for what it stored while a session was measured, and adds that to the session's runs. GUI
//! thread; the server is asked in the background, and only when a person presses a button.
#pragma once

#include "bridge/job.h"

#include <dyno/added_series.h>

#include <QDialog>

#include <atomic>
#include <memory>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace dyno {

class AppContext;
class WrapLabel;

//! The address and the queries are there again the next time; the token is nowhere kept.
class AddSeriesDialog : public QDialog
{
    Q_OBJECT
public:
    //! `run`: which is chosen at first, by its number from 1; 0: all.
    AddSeriesDialog(AppContext& context, const QString& session, int run, QWidget* parent);
    ~AddSeriesDialog() override;
    [[nodiscard]] bool busy() const { return m_stop != nullptr || m_storing; }

protected:
    void done(int result) override; //!< ends what is being read

private:
    using Read = std::shared_ptr<const SessionAdditions>;
    enum Column { QueryColumn, NameColumn, RateColumn, ColumnCount };
    void layOut();
    void describeFields();
    void readSession(int run);
    void fillRuns(const StoredSession& session, int run);
    void addQuery(const SeriesQuery& query);
    void removeQueries();
    void restore();
    void keep() const;
    [[nodiscard]] SeriesRequest request() const;
    void read(bool add);
    void show(const SessionAdditions& all);
    void store(const Read& all);
    void changed(); //!< what was read is of another request
    void refresh();
    void showProblem(const Error& error);

    AppContext& m_context;
    const QString m_id;
    Job<Expected<StoredSession>> m_opening;
    Job<Expected<Read>> m_reading;
    std::shared_ptr<const StoredSession> m_session; //!< nullptr: not read yet, or nothing can be added to it
    Read m_read;                                    //!< the answer to what is typed, if it was asked for
    std::shared_ptr<std::atomic<bool>> m_stop;      //!< while a server is asked
    bool m_storing = false, m_filling = false;
    QLineEdit *m_address, *m_token;
    QTableWidget* m_queries;
    QComboBox* m_runs;
    QDoubleSpinBox* m_step;
    WrapLabel *m_result, *m_problem;
    QProgressBar* m_progress;
    QPushButton *m_more, *m_fewer, *m_try, *m_add, *m_cancel;
};

} // namespace dyno
