// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_views.h"

#include "parts/choice_pill.h"
#include "plots/chart.h"
#include "qt_text.h"

#include <QInputDialog>

#include <algorithm>

namespace dyno {

namespace {

// What the pill's choices stand for; a view's name follows.
const QString kOfPlan = QStringLiteral("plan:"), kOwn = QStringLiteral("own:");
const QString kUnnamed = QStringLiteral("none"), kSave = QStringLiteral("save"), kRemove = QStringLiteral("remove");

//! What of a view makes its picture: not its name, nor a measure that this kind of chart does not draw.
View pictureOf(View view)
{
    view.name = view.verdict = view.verdictAt = view.table = {}; // what reports say beside it
    if (const ChartKind* kind = findChartKind(view.chart); kind && !kind->along.empty())
        view.measure = kind->along;
    view.limit = joinedLimits(limitNames(view.limit));
    return view;
}

bool sameView(const View& a, const View& b)
{
    return viewText(pictureOf(a)) == viewText(pictureOf(b));
}

} // namespace

std::string joinedLimits(const std::vector<std::string>& names)
{
    return qtTexts(names).join(QStringLiteral("; ")).toStdString();
}

CompareViews::CompareViews(ChoicePill& pill, LibraryWorker& worker, QWidget* parent)
    : QObject(parent)
    , m_pill(pill)
    , m_worker(worker)
    , m_window(parent)
{
    connect(&m_pill, &ChoicePill::chosen, this, &CompareViews::choose);
}

void CompareViews::fill(const ComparisonPtr& comparison, const View& now, bool chartIsOurs)
{
    m_comparison = comparison;
    m_now = now;
    std::vector<ChoicePill::Choice> list;
    QString current, exact;
    const auto add = [&](const View& view, const QString& kind) {
        // The plan leaves axes open that are filled in by now; they do not make another view.
        View filled = view;
        for (std::string View::*field : {&View::series, &View::facet, &View::baseline, &View::x}) {
            if ((filled.*field).empty())
                filled.*field = now.*field;
        }
        filled.published = now.published;
        list.push_back({kind + qtText(view.name), qtText(view.name)});
        if (exact.isEmpty() && sameView(filled, now))
            exact = list.back().id;
        // Nor does how it is looked at, where the plan does not say it: More counts that.
        for (std::string View::*field : {&View::log, &View::over, &View::limit}) {
            if ((filled.*field).empty())
                filled.*field = now.*field;
        }
        if (filled.centre == Centre::Mean)
            filled.centre = now.centre;
        if (filled.relativeTo == RelativeTo::Nothing)
            filled.relativeTo = now.relativeTo;
        // Bars stand for lines of two values; that is the page's choice, and the same view.
        const auto isSummary = [](const std::string& chart) { return hasChart(chart, &ChartKind::summary); };
        if (chartIsOurs && isSummary(view.chart) && isSummary(now.chart))
            filled.chart = now.chart;
        if (current.isEmpty() && sameView(filled, now))
            current = list.back().id;
    };
    for (const View& view : m_comparison->views)
        add(view, kOfPlan);
    for (const View& view : m_comparison->ownViews)
        add(view, kOwn);
    if (!exact.isEmpty()) // two may differ in nothing but how they are looked at
        current = exact;
    if (current.isEmpty()) {
        current = kUnnamed;
        list.insert(list.begin(), {kUnnamed, tr("unnamed")});
    }
    if (m_comparison->sessions.size() == 1)
        list.push_back({kSave, tr("Save this view…")});
    if (current.startsWith(kOwn))
        list.push_back({kRemove, tr("Remove “%1”").arg(current.mid(kOwn.size()))});
    m_pill.setChoices(list);
    m_pill.setCurrent(current);
    m_shown = current;
    m_pill.setVisible(list.size() > 1);
}

View CompareViews::shown() const
{
    const View* named = m_comparison ? find(m_shown) : nullptr;
    if (!named)
        return m_now;
    View view = *named; // with its name and its verdict
    view.log = m_now.log;
    view.over = m_now.over;
    view.limit = m_now.limit;
    view.centre = m_now.centre;
    view.relativeTo = m_now.relativeTo;
    view.published = view.published || m_now.published;
    return view;
}

//! The view that a choice stands for; nullptr for the others.
const View* CompareViews::find(const QString& id) const
{
    for (const auto& [views, kind] :
         {std::pair(&m_comparison->views, kOfPlan), std::pair(&m_comparison->ownViews, kOwn)}) {
        for (const View& view : *views) {
            if (id == kind + qtText(view.name))
                return &view;
        }
    }
    return nullptr;
}

void CompareViews::choose(const QString& id)
{
    if (const View* view = find(id)) {
        emit chosen(View(*view)); // a copy: the comparison may change meanwhile
        return;
    }
    m_pill.setCurrent(m_shown); // back to what is shown
    if (id == kRemove) {
        remove(m_pill.current().mid(kOwn.size()));
    } else if (id == kSave) {
        auto* dialog = new QInputDialog(m_window);
        dialog->setObjectName(QStringLiteral("saveViewDialog"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setWindowTitle(tr("Save this view"));
        dialog->setLabelText(tr("Its name:"));
        dialog->setTextValue(viewName(m_now));
        dialog->setOkButtonText(tr("Save"));
        connect(dialog, &QInputDialog::textValueSelected, this, &CompareViews::save);
        dialog->open();
    }
}

void CompareViews::save(const QString& name)
{
    if (name.trimmed().isEmpty() || !m_comparison)
        return;
    View view = m_now;
    view.name = name.trimmed().toStdString();
    std::vector<View> views = m_comparison->ownViews;
    std::erase_if(views, [&view](const View& other) { return other.name == view.name; });
    views.push_back(std::move(view));
    write(std::move(views), tr("Saved the view “%1” with the session").arg(name.trimmed()));
}

void CompareViews::remove(const QString& name)
{
    if (!m_comparison)
        return;
    std::vector<View> views = m_comparison->ownViews;
    std::erase_if(views, [&name](const View& other) { return qtText(other.name) == name; });
    write(std::move(views), tr("Removed the view “%1”").arg(name));
}

void CompareViews::write(std::vector<View> views, const QString& done)
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
            if (result)
                emit saved(done);
            else
                emit failed(result.error());
        });
}

} // namespace dyno
