// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of the Compare page: buttons of its header, and the pills that choose what is drawn.
#include "bridge/app_context.h"
#include "forms/choice_pill.h"
#include "models/pivot_table_model.h"
#include "pages/compare_page.h"
#include "pages/compare_parts.h"

#include <QButtonGroup>
#include <QMenu>

#include <algorithm>
#include <tuple>

namespace dyno {

namespace {

QString qs(const std::string& text)
{
    return QString::fromStdString(text);
}

} // namespace

void ComparePage::buildHeader()
{
    const auto button = [this](const QString& name, const QString& text, const QString& tip, const char* role,
                               const QString& icon) {
        QPushButton* made = makeButton(text, role, icon);
        made->setObjectName(name);
        made->setToolTip(tip);
        made->setAccessibleName(text);
        m_header->actions()->addWidget(made);
        return made;
    };
    QPushButton* add = button(QStringLiteral("addSessionButton"), tr("Add session…"),
                              tr("Lay another saved session over this one"), "", QStringLiteral("plus"));
    connect(add, &QPushButton::clicked, this, &ComparePage::chooseSession);
    m_replay = button(QStringLiteral("compareReplayButton"), tr("Replay"), tr("Play it again as it ran"), "",
                      QStringLiteral("replay"));
    connect(m_replay, &QPushButton::clicked, this, [this] {
        if (!m_ids.isEmpty())
            context().replaySession(m_ids.front());
    });
    m_again =
        button(QStringLiteral("compareAgainButton"), tr("Run again"), tr("Run the stored plan once more"), "", {});
    connect(m_again, &QPushButton::clicked, this, [this] {
        if (m_comparison && m_comparison->sessions.size() == 1)
            context().startPlan(m_comparison->sessions.front().header.plan);
    });
    QPushButton* copy = button(QStringLiteral("copyTableButton"), tr("Copy table"),
                               tr("Copy the ratio table as Markdown"), "", QStringLiteral("copy"));
    connect(copy, &QPushButton::clicked, m_table, &RatioTable::copyMarkdown);
    QPushButton* save = button(QStringLiteral("compareExportButton"), tr("Export…"),
                               tr("Pictures, tables, data, or the whole session"), "primary", {});
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("compareExportMenu"));
    buildExportMenu(menu);
    connect(save, &QPushButton::clicked, this,
            [menu, save] { menu->popup(save->mapToGlobal(QPoint(0, save->height() + 2))); });
}

QWidget* ComparePage::buildPills()
{
    m_measure = new ChoicePill(tr("Measure"), QStringLiteral("measurePill"), tr("What is compared"));
    m_x = new ChoicePill(tr("x"), QStringLiteral("xPill"), tr("What stands along the x axis"));
    m_series = new ChoicePill(tr("Series"), QStringLiteral("seriesPill"), tr("What each colour stands for"));
    m_facet = new ChoicePill(tr("Facet"), QStringLiteral("facetPill"), tr("One small chart for each value"));
    m_baseline = new ChoicePill(tr("Baseline"), QStringLiteral("baselinePill"), tr("What the ratios refer to"));
    m_relative = new ChoicePill(tr("Shown"), QStringLiteral("relativePill"),
                                tr("As measured, or in percent of the baseline or of the best figure of the chart"));
    m_centre = new ChoicePill(tr("Runs"), QStringLiteral("centrePill"),
                              tr("What stands for the repeated runs: their mean with its interval, or the middle one"));
    m_at = new ChoicePill(tr("At"), QStringLiteral("atPill"),
                          tr("Whose runs are shown over time; selected rows of the table come first"));
    m_repeat = new ChoicePill(tr("Repeat"), QStringLiteral("repeatPill"), tr("Which of the repeated runs is shown"));
    m_published = new ChoicePill(tr("Published"), QStringLiteral("publishedPill"),
                                 tr("Figures that somebody published of this experiment, on another machine at another "
                                    "time: compare the shape, not the height"));
    connect(m_published, &ChoicePill::chosen, this, &ComparePage::showPlots);
    const auto change = [this](ChoicePill* pill, auto&& set) {
        connect(pill, &ChoicePill::chosen, this, [this, set](const QString& id) {
            PivotRequest request = m_request;
            set(request, id.toStdString());
            changeRequest(request);
        });
    };
    change(m_measure, [](PivotRequest& r, const std::string& id) { r.measure = id; });
    change(m_x, [](PivotRequest& r, const std::string& id) {
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
    connect(m_at, &ChoicePill::chosen, this, &ComparePage::loadTraces);
    connect(m_repeat, &ChoicePill::chosen, this, &ComparePage::loadTraces);

    auto* box = new QWidget;
    auto* flow = new FlowLayout(box);
    flow->setContentsMargins(0, 0, 0, 0);
    for (ChoicePill* pill : {m_measure, m_x, m_series, m_facet, m_baseline, m_relative, m_centre, m_published, m_at, m_repeat})
        flow->addWidget(pill);
    for (ChoicePill* pill : {m_published, m_at, m_repeat})
        pill->hide(); // until there is something to choose: the line is not laid out for them first
    auto* kinds = new QWidget;
    auto* kindLine = new QHBoxLayout(kinds);
    kindLine->setContentsMargins(0, 0, 0, 0);
    kindLine->setSpacing(4);
    m_chartButtons = new QButtonGroup(this);
    m_chartButtons->setExclusive(true);
    const std::tuple<ChartKind, QString, QString, QString> all[] = {
        {ChartKind::Lines, QStringLiteral("chartLines"), tr("Lines"), tr("Means joined by lines, one a series")},
        {ChartKind::Bars, QStringLiteral("chartBars"), tr("Bars"), tr("Bars side by side")},
        {ChartKind::Time, QStringLiteral("chartTime"), tr("Over time"),
         tr("The runs themselves, interval by interval")},
    };
    for (const auto& [kind, name, text, tip] : all) {
        auto* pill = new PillButton(text);
        pill->setObjectName(name);
        pill->setCheckable(true);
        pill->setToolTip(tip);
        pill->setAccessibleName(tr("Chart: %1").arg(text));
        m_chartButtons->addButton(pill, int(kind));
        kindLine->addWidget(pill);
    }
    connect(m_chartButtons, &QButtonGroup::idClicked, this, [this](int id) {
        m_chartChosen = true;
        setChartKind(ChartKind(id));
    });
    auto* line = new QWidget;
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(box, 1);
    layout->addWidget(kinds, 0, Qt::AlignTop);
    return line;
}

void ComparePage::fillPills()
{
    using Choice = ChoicePill::Choice;
    std::vector<Choice> list;
    bool unpriced = false;
    for (const MeasureInfo& measure : measures()) {
        // Without a price there is nothing to show; the one that the plan asks for stays, and the verdict says why.
        if (measure.id == m_request.measure)
            list.push_back({qs(measure.id), PivotTableModel::measureLabel(m_view.pivot)});
        else if (hasPriceFor(measure, m_comparison->sessions))
            list.push_back({qs(measure.id), PivotTableModel::measureLabel(measure)});
        else
            unpriced = true;
    }
    m_measure->setToolTip(unpriced ? tr("What is compared. Figures per cost or per watt-hour need a target's cost per "
                                        "hour or its watts: see the Plan page")
                                   : tr("What is compared"));
    m_measure->setChoices(list);
    m_measure->setCurrent(qs(m_request.measure));
    list.clear();
    for (const std::string& axis : m_comparison->axes)
        list.push_back({qs(axis), qs(axis)});
    m_x->setChoices(list);
    m_x->setCurrent(qs(m_request.x));
    const auto others = [this](const std::vector<std::string>& without) {
        std::vector<Choice> choices{{QString(), tr("none")}};
        for (const std::string& axis : m_comparison->axes) {
            if (std::find(without.begin(), without.end(), axis) == without.end())
                choices.push_back({qs(axis), qs(axis)});
        }
        return choices;
    };
    m_series->setChoices(others({m_request.x}));
    m_series->setCurrent(qs(m_request.series));
    list = others({m_request.x, m_request.series});
    // Axes that vary and stand nowhere else are facets, joined if there are several: see pivot().
    if (std::none_of(list.begin(), list.end(), [this](const Choice& c) { return c.id == qs(m_request.facet); }))
        list.push_back({qs(m_request.facet), qs(m_request.facet)});
    m_facet->setChoices(list);
    m_facet->setCurrent(qs(m_request.facet));
    m_facet->setVisible(m_facet->choices().size() > 1);
    list.clear();
    for (const std::string& series : m_view.pivot.series)
        list.push_back({qs(series), series.empty() ? tr("none") : qs(series)});
    m_baseline->setChoices(list);
    m_baseline->setCurrent(qs(m_request.baseline));
    m_baseline->setVisible(m_request.relativeTo != RelativeTo::Best); // ratios refer to the best then
    list = {{QString(), tr("as measured")}};
    if (m_view.pivot.series.size() > 1)
        list.push_back({QString::fromLatin1(toText(RelativeTo::Baseline)), tr("% of the baseline")});
    list.push_back({QString::fromLatin1(toText(RelativeTo::Best)), tr("% of the best")});
    m_relative->setChoices(list);
    m_relative->setCurrent(QString::fromLatin1(toText(m_request.relativeTo)));
    m_centre->setChoices({{QString::fromLatin1(toText(Centre::Mean)), tr("mean")},
                          {QString::fromLatin1(toText(Centre::Median)), tr("median")}});
    m_centre->setCurrent(QString::fromLatin1(toText(m_request.centre)));

    fillPublished();
    const bool fresh = m_at->choices().empty();
    list.clear();
    for (const std::string& x : m_view.pivot.xs)
        list.push_back({qs(x), QStringLiteral("%1 = %2").arg(qs(m_request.x), qs(x))});
    m_at->setChoices(list);
    if (fresh && !list.empty())
        m_at->setCurrent(list.back().id);
    const RunFacts facts = runFacts(*m_comparison);
    list.clear();
    for (int i = 1; i <= std::max(1, facts.mostRepeats); ++i)
        list.push_back({QString::number(i), QString::number(i)});
    if (facts.mostRepeats > 1)
        list.push_back({QStringLiteral("all"), tr("all")});
    m_repeat->setChoices(list);
}

void ComparePage::fillPublished()
{
    const QString before = m_published->current();
    std::vector<ChoicePill::Choice> list{{QString(), tr("hidden")}};
    const std::vector<Published>& all = m_comparison->sessions.front().header.plan.published;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].measure != m_request.measure || all[i].values.empty() ||
            m_request.relativeTo != RelativeTo::Nothing)
            continue;
        const QString when = qs(all[i].date).left(4);
        const QString where = qs(all[i].hardware).section(QLatin1Char(','), 0, 0);
        list.push_back({QString::number(i), when.isEmpty() ? where : tr("%1, %2", "year, machine").arg(when, where)});
    }
    m_published->setChoices(list);
    const bool stays = std::any_of(list.begin(), list.end(), [&](const auto& choice) { return choice.id == before; });
    m_published->setCurrent(stays ? before : QString());
}

const Published* ComparePage::chosenPublished() const
{
    bool chosen = false;
    const std::size_t index = m_published->current().toULongLong(&chosen);
    const std::vector<Published>& all = m_comparison->sessions.front().header.plan.published;
    return chosen && index < all.size() ? &all[index] : nullptr;
}

} // namespace dyno
