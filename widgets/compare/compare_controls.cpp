// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_controls.h"

#include "format.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "plots/pivot_table_model.h"
#include "qt_text.h"
#include <dyno/formula.h>
#include <dyno/run_fields.h>

#include <QHBoxLayout>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

//! In QSettings: what the person last chose behind "More".
QString keyOf(const ChoicePill& pill)
{
    return QStringLiteral("compare/") % pill.objectName();
}

QString lastOf(const ChoicePill& pill)
{
    return QSettings().value(keyOf(pill)).toString();
}

//! What is as it is in a view that says nothing is not kept, unless this view says otherwise.
void remember(const ChoicePill& pill, const QString& plain)
{
    if (pill.isChanged() || (!plain.isNull() && pill.current() != plain))
        QSettings().setValue(keyOf(pill), pill.current());
    else
        QSettings().remove(keyOf(pill));
}

const QString kAnyPublished = QStringLiteral("0"); // the first that has such figures
const QString kEveryRepeat = QStringLiteral("all");

//! Cases at which an axis is held, as its pill shows them: sessions that have none in common have one each.
QString holdText(const std::vector<std::string>& labels)
{
    QStringList parts;
    for (const std::string& label : labels)
        parts += qtText(label);
    return parts.join(QStringLiteral(" / "));
}

//! True when some finished run has a figure of it, as far as that is known without its intervals.
bool hasFigures(const RunField& field, const std::vector<StoredSession>& sessions)
{
    const MeasureInfo& measure = field.info;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            if (measure.id == kFormulaMeasure            ? true
                : field.topic == RunField::Topic::Stalls ? run.summary.origin.empty()
                : measure.id == "exit_rate"              ? run.summary.rows > 0
                : measure.fromIntervals                  ? !run.header.counters.empty()
                                        : measureOf(run.summary, settingOf(session, run), measure.id).has_value())
                return true;
        }
    }
    return false;
}

QString measureTopicText(RunField::Topic topic)
{
    switch (topic) {
    case RunField::Topic::Throughput:
        return CompareControls::tr("Throughput", "group of measures");
    case RunField::Topic::ServiceTime:
        return CompareControls::tr("Service time", "group of measures");
    case RunField::Topic::ResponseTime:
        return CompareControls::tr("Response time", "group of measures");
    case RunField::Topic::Stalls:
        return CompareControls::tr("Stalls and dips", "group of measures");
    case RunField::Topic::Errors:
        return CompareControls::tr("Errors and waits", "group of measures");
    case RunField::Topic::Counts:
        return CompareControls::tr("Counts", "group of measures");
    case RunField::Topic::Resources:
        return CompareControls::tr("CPU and memory", "group of measures");
    case RunField::Topic::Data:
        return CompareControls::tr("Data and log", "group of measures");
    case RunField::Topic::Cost:
        return CompareControls::tr("Cost and energy", "group of measures");
    case RunField::Topic::Server:
        return CompareControls::tr("Server", "group of measures");
    }
    return {};
}

} // namespace

CompareControls::CompareControls(QWidget* parent)
    : QWidget(parent)
{
    m_view = new ChoicePill(tr("View"), QStringLiteral("viewPill"),
                            tr("Charts of the plan, and views saved with the session"));
    m_chart = new ChoicePill(tr("Chart"), QStringLiteral("chartPill"), tr("Kind of chart"));
    m_of = new ChoicePill(tr("Of"), QStringLiteral("ofPill"),
                          tr("Everything, or one kind of operation, error code or counter"));
    m_log = new ChoicePill(
        tr("Axes"), QStringLiteral("logPill"),
        tr("Linear or logarithmic axes; by itself, y of lines and of dots of runs is logarithmic where all figures are "
           "above 0 and span more than 50×"));
    m_over = new ChoicePill(tr("Along"), QStringLiteral("overPill"),
                            tr("What the x axis counts: time, or rows changed so far"));
    m_layout =
        new ChoicePill(tr("Layout"), QStringLiteral("layoutPill"), tr("All runs in one chart, or one chart per run"));
    m_measure = new ChoicePill(tr("Measure"), QStringLiteral("measurePill"), tr("What is compared"));
    m_x = new ChoicePill(tr("x"), QStringLiteral("xPill"), tr("What the x axis shows"));
    m_series = new ChoicePill(tr("Series"), QStringLiteral("seriesPill"), tr("What the colours show"));
    m_facet = new ChoicePill(tr("Facet"), QStringLiteral("facetPill"), tr("One small chart per value"));
    m_baseline = new ChoicePill(tr("Baseline"), QStringLiteral("baselinePill"), tr("What the ratios are relative to"));
    m_relative = new ChoicePill(tr("Shown"), QStringLiteral("relativePill"),
                                tr("As measured, or in percent of the baseline or of the best figure"));
    m_centre = new ChoicePill(tr("Runs"), QStringLiteral("centrePill"),
                              tr("How repeated runs are summarised: mean with its interval, or median"));
    m_at = new ChoicePill(tr("At"), QStringLiteral("atPill"),
                          tr("Which runs are shown; selected rows of the table take precedence"));
    m_perRow = new ChoicePill(tr("Charts in a row"), QStringLiteral("columnsPill"),
                              tr("How many small charts stand beside each other; no more than fit"));
    m_repeat = new ChoicePill(tr("Repeat"), QStringLiteral("repeatPill"), tr("Which of the repeated runs is shown"));
    m_published = new ChoicePill(tr("Published"), QStringLiteral("publishedPill"),
                                 tr("Published figures of this experiment, from another machine and time: compare "
                                    "shapes, not heights"));
    connectRequest();
    connectLook();
    layOut();
    showPerRow(false);
}

//! The pills that ask for other figures.
void CompareControls::connectRequest()
{
    const auto change = [this](ChoicePill* pill, auto&& set) {
        connect(pill, &ChoicePill::chosen, this, [this, set](const QString& id) {
            PivotRequest request = m_request;
            set(request, id.toStdString());
            emit requestChosen(request);
        });
    };
    const auto changeFigures = [this](ChoicePill* pill, auto&& set) {
        connect(pill, &ChoicePill::chosen, this, [this, set](const QString& id) {
            PivotRequest request = m_request;
            if (set(request, id.toStdString()))
                emit requestChosen(request);
        });
    };
    changeFigures(m_measure, [this](PivotRequest& r, const std::string& id) {
        r.measure = id;
        if (id == "counter") { // a counter is measured only by name
            const std::vector<std::string> parts = measureParts(id, m_comparison->sessions);
            r.measure = parts.empty() ? id : id + ":" + parts.front();
        }
        if (id == kFormulaMeasure)
            askForFormula();
        return id != kFormulaMeasure;
    });
    changeFigures(m_of, [this](PivotRequest& r, const std::string& id) {
        const std::string base = splitMeasure(r.measure).first;
        if (base == kFormulaMeasure && id.empty()) {
            askForFormula();
            return false;
        }
        r.measure = id.empty() ? base : base + ":" + id;
        return true;
    });
    change(m_x, [this](PivotRequest& r, const std::string& id) {
        if (m_comparison->sessions.size() > 1 && r.series == "session" && id != "session") {
            r.x = id; // the axis that was x is held at one case
            return;
        }
        if (r.series == id)
            r.series = r.x;
        if (r.facet == id)
            r.facet = r.x;
        r.x = id;
    });
    change(m_series, [](PivotRequest& r, const std::string& id) {
        if (r.facet == id)
            r.facet = id.empty() ? r.facet : r.series;
        r.series = id;
        r.baseline.clear();
    });
    change(m_facet, [](PivotRequest& r, const std::string& id) { r.facet = id; });
    change(m_baseline, [](PivotRequest& r, const std::string& id) { r.baseline = id; });
    change(m_relative, [](PivotRequest& r, const std::string& id) {
        r.relativeTo = RelativeTo::Nothing;
        for (const RelativeTo one : {RelativeTo::Baseline, RelativeTo::Best})
            r.relativeTo = id == toText(one) ? one : r.relativeTo;
    });
    change(m_centre, [](PivotRequest& r, const std::string& id) {
        r.centre = id == toText(Centre::Median) ? Centre::Median : Centre::Mean;
    });
}

//! The pills that show the same figures in another way.
void CompareControls::connectLook()
{
    connect(m_chart, &ChoicePill::chosen, this, &CompareControls::chartChosen);
    connect(m_published, &ChoicePill::chosen, this, [this](const QString& id) { m_wantedPublished = id; });
    connect(m_repeat, &ChoicePill::chosen, this, [this](const QString& id) { m_wantedRepeat = id; });
    for (ChoicePill* pill : {m_published, m_log, m_over, m_layout})
        connect(pill, &ChoicePill::chosen, this, &CompareControls::lookChosen);
    std::vector<ChoicePill::Choice> kinds;
    for (const Chart* chart : charts())
        kinds.push_back({qtText(chart->id()), chart->name()});
    m_chart->setChoices(kinds);
    m_log->setChoices({{QString(), tr("automatic")},
                       {QLatin1String(kLinearAxes), tr("linear")},
                       {QStringLiteral("y"), tr("log y")},
                       {QStringLiteral("x"), tr("log x")},
                       {QStringLiteral("xy"), tr("log x and y")}});
    m_over->setChoices({{QString(), tr("time")}, {QStringLiteral("rows"), tr("rows")}});
    m_layout->setChoices({{QString(), tr("overlaid")}, {QStringLiteral("each"), tr("one chart each")}});
    for (ChoicePill* pill : {m_at, m_repeat})
        connect(pill, &ChoicePill::chosen, this, &CompareControls::runsChosen);
    m_perRow->setChoices({{QString(), tr("as many as fit")},
                          {QStringLiteral("1"), QStringLiteral("1")},
                          {QStringLiteral("2"), QStringLiteral("2")},
                          {QStringLiteral("3"), QStringLiteral("3")},
                          {QStringLiteral("4"), QStringLiteral("4")}});
    m_perRow->setCurrent(lastOf(*m_perRow));
    m_layout->setCurrent(lastOf(*m_layout));
    connect(m_perRow, &ChoicePill::chosen, this, [this](const QString& id) { emit perRowChosen(id.toInt()); });
}

//! One bar: what is compared, and at its right end everything else behind "More".
void CompareControls::layOut()
{
    setRole(this, "bar");
    setAttribute(Qt::WA_StyledBackground);
    auto* shown = new QWidget;
    m_pills = new FlowLayout(shown, 0);
    m_pills->setContentsMargins(0, 0, 0, 0);
    for (ChoicePill* pill : {m_view, m_chart, m_measure, m_of, m_x, m_series, m_baseline, m_at})
        m_pills->addWidget(pill);
    for (ChoicePill* pill : {m_of, m_at})
        pill->hide(); // until there is something to choose: the line is not laid out for them first
    m_more = makeButton({}, "choice", QStringLiteral("chevron-down"));
    m_more->setLayoutDirection(Qt::RightToLeft); // the arrow after the text
    m_more->setObjectName(QStringLiteral("morePill"));
    m_more->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* bar = new QHBoxLayout(this);
    bar->setContentsMargins(1, 1, 1, 1); // the frame
    bar->setSpacing(0);
    bar->addWidget(shown, 1);
    bar->addWidget(m_more, 0, Qt::AlignTop);
    auto* menu = new QMenu(m_more);
    menu->setObjectName(QStringLiteral("morePillMenu"));
    menu->setLayoutDirection(layoutDirection()); // its own, not the button's
    menu->setToolTipsVisible(true);
    connect(m_more, &QPushButton::clicked, menu,
            [this, menu] { menu->popup(m_more->mapToGlobal(QPoint(0, m_more->height() + 2))); });
    m_moreChoices = {m_facet, m_relative, m_centre, m_log, m_published, m_repeat, m_over, m_layout, m_perRow};
    for (ChoicePill* pill : m_moreChoices)
        addToMore(pill, menu);
    menu->addSeparator();
    m_reset = menu->addAction(tr("Reset"), this, &CompareControls::reset);
    m_reset->setObjectName(QStringLiteral("moreReset"));
    m_reset->setToolTip(tr("Undo all changes in this menu and forget them"));
}

//! What a view stands for that says nothing of it; null for what depends on the data.
QString CompareControls::plainOf(const ChoicePill& pill) const
{
    const View nothing;
    if (&pill == m_log || &pill == m_over)
        return QStringLiteral("");
    if (&pill == m_centre)
        return QString::fromLatin1(toText(nothing.centre));
    if (&pill == m_relative)
        return QString::fromLatin1(toText(nothing.relativeTo));
    return {};
}

void CompareControls::addToMore(ChoicePill* pill, QMenu* menu)
{
    pill->setParent(this);
    pill->moveInto(menu);
    connect(pill, &ChoicePill::chosen, this, [this, pill](const QString&) {
        remember(*pill, plainOf(*pill));
        updateMore();
    });
}

//! All entries as usual, also those that this chart does not offer.
void CompareControls::reset()
{
    for (const ChoicePill* pill : m_moreChoices)
        QSettings().remove(keyOf(*pill));
    show(m_base);
    for (ChoicePill* pill : {m_repeat, m_layout, m_perRow})
        pill->setCurrent(pill->usual());
    m_wantedRepeat.clear();
    emit perRowChosen(perRow());
    const PivotRequest usual = requestOf(m_base);
    m_request.facet = usual.facet; // where the view leaves it open, so that it is filled in again
    m_request.centre = usual.centre;
    m_request.relativeTo = usual.relativeTo;
    updateMore();
    if (m_comparison)
        emit requestChosen(PivotRequest(m_request));
}

//! The button says how many of its entries are not as usual.
void CompareControls::updateMore()
{
    int offered = 0, changed = 0;
    QStringList names;
    for (const ChoicePill* pill : m_moreChoices) {
        offered += pill->isOffered() ? 1 : 0;
        if (pill->isOffered() && pill->isChanged()) {
            ++changed;
            names += pill->accessibleName(); // "Scale: log y"
        }
    }
    m_more->setToolTip(changed > 0 ? tr("Changed here: %1", "list of settings").arg(names.join(QStringLiteral(", ")))
                                   : tr("Small charts, runs, axes, published figures"));
    m_more->setAccessibleDescription(changed > 0 ? m_more->toolTip() : QString());
    m_more->setText(changed > 0 ? tr("More: %1", "count of changed settings").arg(changed) : tr("More"));
    m_more->setAccessibleName(changed > 0 ? tr("More: %n changed setting(s)", nullptr, changed) : tr("More"));
    m_more->setVisible(offered > 0);
    const auto isStored = [](const ChoicePill* pill) { return QSettings().contains(keyOf(*pill)); };
    m_reset->setEnabled(changed > 0 || std::ranges::any_of(m_moreChoices, isStored));
}

void CompareControls::showFor(const Chart& chart, const std::string& measure)
{
    const ChartKind& kind = chart.kind();
    m_chart->setCurrent(qtText(chart.id()));
    m_measure->setCurrent(qtText(splitMeasure(measure).first));
    const auto show = [](ChoicePill* pill, bool matters) { pill->setVisible(matters && pill->choices().size() > 1); };
    m_centre->setVisible(kind.summary && runFacts(m_comparison->sessions).mostRepeats > 1);
    show(m_relative, kind.summary);
    show(m_measure, kind.measure);
    show(m_of, kind.measure);
    show(m_at, kind.intervals && !xIsElsewhere(m_request));
    show(m_published, kind.summary);
    show(m_repeat, kind.intervals);
    show(m_log, kind.log);
    show(m_over, kind.rows);
    show(m_layout, kind.rows);
    updateMore();
}

void CompareControls::showPerRow(bool on)
{
    m_perRow->setVisible(on);
    updateMore();
}

void CompareControls::setBase(const View& view)
{
    m_base = view;
    m_log->setUsual(qtText(view.log));
    m_over->setUsual(qtText(view.over));
    m_centre->setUsual(QString::fromLatin1(toText(view.centre)));
    m_relative->setUsual(QString::fromLatin1(toText(view.relativeTo)));
}

void CompareControls::begin(const View& view)
{
    m_at->setChoices({}); // the last x of the new data
    show(view);
    if (view.log.empty())
        m_log->setCurrent(lastOf(*m_log));
    if (view.over.empty())
        m_over->setCurrent(lastOf(*m_over));
    if (!view.published)
        m_wantedPublished = lastOf(*m_published);
    m_wantedRepeat = lastOf(*m_repeat);
}

PivotRequest CompareControls::remembered(PivotRequest request, const std::vector<std::string>& axes) const
{
    if (m_base.centre == Centre::Mean && lastOf(*m_centre) == QLatin1String(toText(Centre::Median)))
        request.centre = Centre::Median;
    for (const RelativeTo one : {RelativeTo::Baseline, RelativeTo::Best}) {
        if (m_base.relativeTo == RelativeTo::Nothing && lastOf(*m_relative) == QLatin1String(toText(one)))
            request.relativeTo = one;
    }
    const std::string facet = lastOf(*m_facet).toStdString();
    // Axes that are open yet come first: a facet is what they leave.
    const bool isFree = !request.x.empty() && !request.series.empty() && facet != request.x && facet != request.series;
    if (request.facet.empty() && isFree && std::ranges::find(axes, facet) != axes.end())
        request.facet = facet;
    return request;
}

void CompareControls::show(const View& view)
{
    setBase(view);
    m_log->setCurrent(qtText(view.log));
    m_over->setCurrent(qtText(view.over));
    m_wantedPublished = view.published ? kAnyPublished : QString();
}

void CompareControls::setScale(bool logY)
{
    const bool logX = viewAxes(log().toStdString()).logX;
    m_log->setCurrent(logY ? (logX ? QStringLiteral("xy") : QStringLiteral("y"))
                           : (logX ? QStringLiteral("x") : QLatin1String(kLinearAxes)));
    remember(*m_log, plainOf(*m_log));
    updateMore();
    emit lookChosen();
}

QString CompareControls::log() const
{
    return m_log->current();
}

QString CompareControls::over() const
{
    return m_over->current();
}

bool CompareControls::each() const
{
    return m_layout->current() == QStringLiteral("each");
}

QString CompareControls::at() const
{
    return m_at->current();
}

std::optional<int> CompareControls::repeat() const
{
    if (m_repeat->current() == kEveryRepeat)
        return {};
    return m_repeat->current().toInt();
}

int CompareControls::perRow() const
{
    return m_perRow->current().toInt();
}

//! The pills show what is asked for until the dialog's answer is.
void CompareControls::askForFormula()
{
    const auto [base, part] = splitMeasure(m_request.measure);
    m_measure->setCurrent(qtText(base));
    m_of->setCurrent(qtText(part));
    auto* dialog = new FormulaDialog({measureParts("counter", m_comparison->sessions), measures()},
                                     base == kFormulaMeasure ? qtText(part) : QString(), this);
    connect(dialog, &FormulaDialog::formulaChosen, this, [this](const QString& formula) {
        PivotRequest request = m_request;
        request.measure = fmt::format("{}:{}", kFormulaMeasure, formula.toStdString());
        emit requestChosen(request);
    });
    dialog->open();
}

void CompareControls::fillMeasures(const Pivot& pivot)
{
    using Choice = ChoicePill::Choice;
    const auto [base, part] = splitMeasure(m_request.measure);
    std::vector<const RunField*> offered;
    bool unpriced = false;
    for (const MeasureInfo& measure : measures()) {
        // Without a price there is nothing to show; the one that the plan asks for stays, and the verdict says why.
        const RunField* field = findRunField(measure.id);
        const bool priced = measure.id == base || hasPriceFor(measure, m_comparison->sessions);
        unpriced = unpriced || !priced;
        if (priced && (measure.id == base || hasFigures(*field, m_comparison->sessions)))
            offered.push_back(field);
    }
    std::ranges::stable_sort(offered, {}, &RunField::topic);
    std::vector<Choice> list;
    for (const RunField* field : offered) {
        const bool shown = field->info.id == base && part.empty();
        list.push_back({qtText(field->info.id),
                        shown ? PivotTableModel::measureLabel(pivot) : PivotTableModel::measureLabel(field->info),
                        measureTopicText(field->topic)});
    }
    m_measure->setToolTip(unpriced ? tr("What is compared. Figures per cost or per watt-hour need a target's cost per "
                                        "hour or its watts: see the Plan page")
                                   : tr("What is compared"));
    m_measure->setChoices(list);
    m_measure->setCurrent(qtText(base));
    list.clear();
    if (base == kFormulaMeasure)
        list.push_back({QString(), tr("another formula…")});
    else if (base != "counter")
        list.push_back({QString(), base == "exit_rate" ? tr("last tenth of the rows") : tr("all")});
    const RunField* shownField = findRunField(base);
    const bool ofRows = shownField && shownField->parts == RunField::Parts::Rows;
    std::vector<std::string> parts = measureParts(base, m_comparison->sessions);
    if ((ofRows || base == kFormulaMeasure) && !part.empty() && std::ranges::find(parts, part) == parts.end())
        parts.push_back(part); // what the plan asks for
    for (const std::string& one : parts)
        list.push_back(
            {qtText(one), ofRows ? tr("last %1 rows").arg(format::count(qtText(one).toLongLong())) : qtText(one)});
    m_of->setChoices(list);
    m_of->setCurrent(qtText(part));
}

void CompareControls::fill(const ComparisonPtr& comparison, const Pivot& pivot)
{
    m_comparison = comparison;
    const bool facetOpen = m_request.facet.empty(); // before it was filled in
    m_request = pivot.request;
    using Choice = ChoicePill::Choice;
    fillMeasures(pivot);
    std::vector<Choice> list;
    for (const std::string& axis : m_comparison->axes)
        list.push_back({qtText(axis), qtText(axis)});
    // What a plan's view joins ("engine × spread") is a choice as long as it is shown.
    const auto withShown = [](std::vector<Choice> choices, const std::string& shown) {
        if (std::ranges::none_of(choices, [&shown](const Choice& one) { return one.id == qtText(shown); }))
            choices.push_back({qtText(shown), qtText(shown)});
        return choices;
    };
    m_x->setChoices(withShown(list, m_request.x));
    m_x->setCurrent(qtText(m_request.x));
    const auto others = [this](const std::vector<std::string>& without) {
        std::vector<Choice> choices{{QString(), tr("none")}};
        for (const std::string& axis : m_comparison->axes) {
            if (std::find(without.begin(), without.end(), axis) == without.end())
                choices.push_back({qtText(axis), qtText(axis)});
        }
        return choices;
    };
    m_series->setChoices(withShown(others({m_request.x}), m_request.series));
    m_series->setCurrent(qtText(m_request.series));
    for (ChoicePill* pill : {m_x, m_series})
        pill->setVisible(pill->choices().size() > 1);
    // Axes that vary and stand nowhere else are facets, joined if there are several: see pivot().
    m_facet->setChoices(withShown(others({m_request.x, m_request.series}), m_request.facet));
    m_facet->setCurrent(qtText(m_request.facet));
    if (!m_base.facet.empty() || facetOpen)
        m_facet->setUsual(m_base.facet.empty() ? qtText(m_request.facet) : qtText(m_base.facet));
    m_facet->setVisible(m_facet->choices().size() > 1);
    list.clear();
    for (const std::string& series : pivot.series)
        list.push_back({qtText(series), series.empty() ? tr("none") : qtText(series)});
    m_baseline->setChoices(list);
    m_baseline->setCurrent(qtText(m_request.baseline));
    m_baseline->setVisible(list.size() > 1 && pivot.ratios &&
                           m_request.relativeTo != RelativeTo::Best); // ratios refer to the best then
    list = {{QString(), tr("as measured")}};
    if (pivot.series.size() > 1)
        list.push_back({QString::fromLatin1(toText(RelativeTo::Baseline)), tr("% of the baseline")});
    list.push_back({QString::fromLatin1(toText(RelativeTo::Best)), tr("% of the best")});
    m_relative->setChoices(list);
    m_relative->setCurrent(QString::fromLatin1(toText(m_request.relativeTo)));
    m_centre->setChoices({{QString::fromLatin1(toText(Centre::Mean)), tr("mean")},
                          {QString::fromLatin1(toText(Centre::Median)), tr("median")}});
    m_centre->setCurrent(QString::fromLatin1(toText(m_request.centre)));

    fillHolds();
    fillPublished(pivot);
    const bool fresh = m_at->choices().empty();
    list.clear();
    for (const std::string& x : pivot.xs)
        list.push_back({qtText(x), QStringLiteral("%1 = %2").arg(qtText(m_request.x), qtText(x))});
    m_at->setChoices(list);
    if (fresh && !list.empty())
        m_at->setCurrent(list.back().id);
    const RunFacts facts = runFacts(m_comparison->sessions);
    list.clear();
    for (int i = 1; i <= std::max(1, facts.mostRepeats); ++i)
        list.push_back({QString::number(i), QString::number(i)});
    if (facts.mostRepeats > 1)
        list.push_back({kEveryRepeat, tr("all")});
    m_repeat->setChoices(list);
    m_repeat->setCurrent(m_wantedRepeat);
}

//! After the series: a pill for each axis that is held at one of its cases.
void CompareControls::fillHolds()
{
    QStringList axes;
    for (const CaseRef& one : m_request.fixed) {
        if (!axes.contains(qtText(one.axis)))
            axes += qtText(one.axis);
    }
    for (auto pill = m_holds.begin(); pill != m_holds.end();) {
        const bool stays = axes.contains((*pill)->property("axis").toString());
        if (!stays)
            delete *pill;
        pill = stays ? pill + 1 : m_holds.erase(pill);
    }
    for (const QString& axis : axes) {
        auto found =
            std::ranges::find_if(m_holds, [&axis](const ChoicePill* pill) { return pill->property("axis") == axis; });
        if (found == m_holds.end()) {
            auto* pill =
                new ChoicePill(axis, QStringLiteral("holdPill.") + axis, tr("The case of this axis that is compared"));
            pill->setProperty("axis", axis);
            int after = 0;
            while (m_pills->itemAt(after)->widget() != m_series)
                ++after;
            m_pills->insertWidget(after + 1 + int(m_holds.size()), pill);
            pill->show(); // at once: the layout would do it an event later
            connect(pill, &ChoicePill::chosen, this, [this, axis](const QString& id) {
                PivotRequest request = m_request;
                std::erase_if(request.fixed, [&axis](const CaseRef& one) { return qtText(one.axis) == axis; });
                for (const std::vector<std::string>& hold : holdsOf(m_comparison->sessions, axis.toStdString())) {
                    if (holdText(hold) != id)
                        continue;
                    for (const std::string& label : hold)
                        request.fixed.push_back({axis.toStdString(), label});
                }
                emit requestChosen(request);
            });
            found = m_holds.insert(m_holds.end(), pill);
        }
        std::vector<ChoicePill::Choice> list;
        for (const std::vector<std::string>& hold : holdsOf(m_comparison->sessions, axis.toStdString())) {
            const QString text = holdText(hold);
            list.push_back({text, text});
        }
        std::vector<std::string> now;
        for (const CaseRef& one : m_request.fixed) {
            if (qtText(one.axis) == axis)
                now.push_back(one.label);
        }
        (*found)->setChoices(list);
        (*found)->setCurrent(holdText(now));
    }
}

void CompareControls::fillPublished(const Pivot& pivot)
{
    std::vector<ChoicePill::Choice> list{{QString(), tr("hidden")}};
    const std::vector<Published>& all = m_comparison->sessions.front().header.plan.published;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!hasPublished(pivot, all[i], m_comparison->sessions.front().header.plan))
            continue;
        const QString when = qtText(all[i].date).left(4);
        const QString where = qtText(all[i].hardware).section(QLatin1Char(','), 0, 0);
        list.push_back({QString::number(i), when.isEmpty() ? where : tr("%1, %2", "year, machine").arg(when, where)});
    }
    // Two ends of a range, say, are of one year and machine: their sources tell them apart.
    std::map<QString, int> named;
    for (const ChoicePill::Choice& one : list)
        ++named[one.label];
    for (ChoicePill::Choice& one : list) {
        if (named[one.label] > 1 && !one.id.isEmpty())
            one.label = qtText(all[one.id.toULongLong()].source);
    }
    m_published->setChoices(list);
    const bool any = list.size() > 1;
    m_published->setUsual(m_base.published && any ? list[1].id : QString());
    // That one, or, of another plan or measure, the first.
    m_published->setCurrent(m_wantedPublished.isEmpty() || !any ? QString() : list[1].id);
    m_published->setCurrent(m_wantedPublished);
}

const Published* CompareControls::published() const
{
    bool chosen = false;
    const std::size_t index = m_published->current().toULongLong(&chosen);
    const std::vector<Published>& all = m_comparison->sessions.front().header.plan.published;
    return chosen && index < all.size() ? &all[index] : nullptr;
}

} // namespace dyno
