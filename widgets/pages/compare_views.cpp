// SPDX-License-Identifier: GPL-3.0-or-later
// Named views of the Compare page: the plan's, and those a person keeps with the session.
#include "pages/compare_charts.h"

#include "bridge/app_context.h"
#include "forms/banner.h"
#include "forms/choice_pill.h"
#include "qt_text.h"

#include <QInputDialog>

#include <algorithm>

namespace dyno {

namespace {

// What the pill's choices stand for; a view's name follows.
const QString kOfPlan = QStringLiteral("plan:"), kOwn = QStringLiteral("own:");
const QString kUnnamed = QStringLiteral("none"), kSave = QStringLiteral("save"), kRemove = QStringLiteral("remove");

//! The same picture: a name and what was left open do not count.
bool sameView(View a, View b)
{
    a.name = b.name = {};
    return viewText(a) == viewText(b);
}

} // namespace

View ComparePage::currentView() const
{
    View view;
    view.chart = chartText(m_chart);
    view.measure = m_request.measure;
    view.x = m_request.x;
    view.series = m_request.series;
    view.facet = m_request.facet;
    view.baseline = m_request.relativeTo == RelativeTo::Best ? std::string() : m_request.baseline;
    view.centre = m_request.centre;
    view.relativeTo = m_request.relativeTo;
    view.log = m_log->current().toStdString();
    view.over = m_over->current().toStdString();
    if (overSeconds()) {
        view.from = m_from;
        view.to = m_to;
    }
    return view;
}

void ComparePage::showView(const View& view)
{
    m_chartChosen = true;
    m_chart = chartKindOf(view.chart);
    m_log->setCurrent(qtText(view.log));
    m_over->setCurrent(qtText(view.over));
    m_from = view.from;
    m_to = view.to;
    changeRequest(requestOf(view));
}

void ComparePage::fillViews()
{
    std::vector<ChoicePill::Choice> list;
    QString current;
    const View now = currentView();
    const auto add = [&](const View& view, const QString& kind) {
        // The plan leaves axes open that are filled in by now; they do not make another view.
        View filled = view;
        for (std::string View::*field : {&View::series, &View::facet, &View::baseline, &View::x}) {
            if ((filled.*field).empty())
                filled.*field = now.*field;
        }
        // Bars stand for lines of two values; that is the page's choice, and the same view.
        const auto isPivot = [](const std::string& chart) { return chart == "lines" || chart == "bars"; };
        if (!m_chartChosen && isPivot(view.chart) && isPivot(now.chart))
            filled.chart = now.chart;
        list.push_back({kind + qtText(view.name), qtText(view.name)});
        if (current.isEmpty() && sameView(filled, now))
            current = list.back().id;
    };
    for (const View& view : m_comparison->views)
        add(view, kOfPlan);
    for (const View& view : m_comparison->ownViews)
        add(view, kOwn);
    if (current.isEmpty()) {
        current = kUnnamed;
        list.insert(list.begin(), {kUnnamed, tr("unnamed")});
    }
    if (m_comparison->sessions.size() == 1)
        list.push_back({kSave, tr("Save this view…")});
    if (current.startsWith(kOwn))
        list.push_back({kRemove, tr("Remove “%1”").arg(current.mid(kOwn.size()))});
    m_viewPill->setChoices(list);
    m_viewPill->setCurrent(current);
    m_viewPill->setVisible(list.size() > 1);
}

void ComparePage::chooseView(const QString& id)
{
    for (const auto& [views, kind] : {std::pair(&m_comparison->views, kOfPlan), std::pair(&m_comparison->ownViews, kOwn)}) {
        for (const View& view : *views) {
            if (id == kind + qtText(view.name)) {
                showView(View(view)); // a copy: the comparison may change meanwhile
                return;
            }
        }
    }
    fillViews(); // back to what is shown
    if (id == kRemove) {
        removeView(m_viewPill->current().mid(kOwn.size()));
    } else if (id == kSave) {
        auto* dialog = new QInputDialog(this);
        dialog->setObjectName(QStringLiteral("saveViewDialog"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setWindowTitle(tr("Save this view"));
        dialog->setLabelText(tr("Its name:"));
        dialog->setTextValue(viewName(currentView()));
        dialog->setOkButtonText(tr("Save"));
        connect(dialog, &QInputDialog::textValueSelected, this, &ComparePage::saveView);
        dialog->open();
    }
}

void ComparePage::saveView(const QString& name)
{
    if (name.trimmed().isEmpty() || !m_comparison)
        return;
    View view = currentView();
    view.name = name.trimmed().toStdString();
    std::vector<View> views = m_comparison->ownViews;
    std::erase_if(views, [&view](const View& other) { return other.name == view.name; });
    views.push_back(std::move(view));
    writeViews(std::move(views), tr("Saved the view “%1” with the session").arg(name.trimmed()));
}

void ComparePage::removeView(const QString& name)
{
    if (!m_comparison)
        return;
    std::vector<View> views = m_comparison->ownViews;
    std::erase_if(views, [&name](const View& other) { return qtText(other.name) == name; });
    writeViews(std::move(views), tr("Removed the view “%1”").arg(name));
}

void ComparePage::writeViews(std::vector<View> views, const QString& done)
{
    m_worker.run<void>(
        Library::Mode::ReadWrite,
        [id = m_comparison->sessions.front().info.id, views](Library& library) -> Expected<void> {
            auto kept = library.namedViews(id);
            if (!kept)
                return fail(kept.error());
            // What this version cannot read is somebody else's and stays.
            std::erase_if(*kept, [](const NamedView& one) { return viewFromText(one.text).has_value(); });
            for (const View& view : views)
                kept->push_back({view.name, viewText(view)});
            return library.setNamedViews(id, *kept);
        },
        [this, done](Expected<void> result) {
            if (!result) {
                m_banner->showError(tr("The view was not saved"), result.error());
                return;
            }
            context().showMessage(done);
            load(m_ids, true);
        });
}

} // namespace dyno
