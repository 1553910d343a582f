// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Named views of a comparison: the plan's, and those a person keeps with the session. GUI thread.
#pragma once

#include "bridge/library_worker.h"
#include "plots/comparison.h"

#include <QObject>

class QWidget;

namespace dyno {

class ChoicePill;

//! View::limit of these names.
[[nodiscard]] std::string joinedLimits(const std::vector<std::string>& names);

//! Fills the pill that offers the views, and saves and removes those of the person.
class CompareViews : public QObject
{
    Q_OBJECT
public:
    //! `parent`: the window of the question for a name; pill and worker live as long.
    CompareViews(ChoicePill& pill, LibraryWorker& worker, QWidget* parent);

    //! `now`: what is shown. `chartIsOurs`: nobody has chosen the chart, so lines and bars are the same view.
    void fill(const ComparisonPtr& comparison, const View& now, bool chartIsOurs);
    [[nodiscard]] View shown() const; //!< of fill(): that of the plan or of the session, where it is one of them
    void save(const QString& name);   //!< what is shown, with the first session; one of the same name is replaced
    void remove(const QString& name);

signals:
    void chosen(const View& view);
    void saved(const QString& message); //!< the sessions are to be read again
    void failed(const Error& error);

private:
    void choose(const QString& id);
    [[nodiscard]] const View* find(const QString& id) const;
    void write(std::vector<View> views, const QString& done);

    ChoicePill& m_pill;
    LibraryWorker& m_worker;
    QWidget* m_window;
    ComparisonPtr m_comparison;
    View m_now;
    QString m_shown; //!< choice of the pill
};

} // namespace dyno
