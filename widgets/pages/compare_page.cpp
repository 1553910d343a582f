// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/compare_page.h"

#include "bridge/app_context.h"
#include "forms/banner.h"
#include "forms/choice_pill.h"
#include "models/pivot_table_model.h"
#include "pages/compare_parts.h"
#include "plots/pivot_plot.h"

#include <QButtonGroup>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include <limits>

namespace dyno {

namespace {

constexpr int kSideWidth = 312, kChartHeight = 250, kTableHeight = 170;
enum ChartPage { PivotPage, TimePage, NoDataPage };

QString qs(const std::string& text)
{
    return QString::fromStdString(text);
}

std::vector<std::string> stdList(const QStringList& list)
{
    std::vector<std::string> out;
    for (const QString& text : list)
        out.push_back(text.toStdString());
    return out;
}

//! Published figures by series and x of one facet; NaN where there is none.
std::vector<std::vector<double>> publishedOver(const Pivot& pivot, const Published& published, const std::string& facet)
{
    std::vector<std::vector<double>> values;
    for (const std::string& series : pivot.series) {
        std::vector<double>& line = values.emplace_back();
        for (const std::string& x : pivot.xs) {
            const PivotCell* cell = pivot.cell(x, series, facet);
            line.push_back((cell ? publishedAt(published, pivot.request, *cell) : std::nullopt)
                               .value_or(std::numeric_limits<double>::quiet_NaN()));
        }
    }
    return values;
}

QScrollArea* scrollArea(QWidget* content, const QString& name)
{
    auto* area = new QScrollArea;
    area->setObjectName(name);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidget(content);
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

} // namespace

ComparePage::ComparePage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_worker(context.library())
    , m_header(new PageHeader(tr("Compare")))
    , m_banner(new Banner(QStringLiteral("compareBanner")))
    , m_root(new QStackedWidget)
    , m_state(new EmptyState(QStringLiteral("compare"), {}, {}))
    , m_verdict(new VerdictCard)
    , m_charts(new QStackedWidget)
    , m_plotBox(new QWidget)
    , m_plotGrid(new QGridLayout(m_plotBox))
    , m_noData(new EmptyState(QStringLiteral("warning"), {}, {}))
    , m_time(new TimeOverlayPlot)
    , m_table(new RatioTable)
    , m_side(new QWidget)
    , m_differs(new FactsCard(tr("What differs"), false))
    , m_setup(new FactsCard(tr("How it was run"), true))
{
    setObjectName(QStringLiteral("comparePage"));
    buildHeader();
    buildContent();
    m_state->setObjectName(QStringLiteral("compareState"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_root);
    m_root->addWidget(m_scroll);
    auto* stateCard = new Card;
    stateCard->body()->addWidget(m_state, 1);
    auto* stateBox = new QWidget;
    auto* stateLayout = new QVBoxLayout(stateBox);
    stateLayout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    stateLayout->addWidget(stateCard);
    m_root->addWidget(stateBox);
    connect(m_state, &EmptyState::buttonClicked, this, [this] {
        const std::function<void()> action = m_stateAction; // the state may change while it runs
        if (action)
            action();
    });
    connect(&context, &AppContext::compareRequested, this, &ComparePage::showSessions);
    connect(&context, &AppContext::libraryChanged, this, [this] {
        if (!m_ids.isEmpty())
            load(m_ids, true); // titles, tags, or a session deleted and brought back
    });
    showState(QStringLiteral("compare"), tr("Nothing chosen yet"),
              tr("Choose one session or several on the Sessions page, or show the newest."), tr("Show the newest"),
              [this] { loadNewest(); });
}

ComparePage::~ComparePage() = default;

void ComparePage::buildContent()
{
    m_plotGrid->setContentsMargins(0, 0, 0, 0);
    m_plotGrid->setSpacing(space::cardGap);
    m_charts->addWidget(m_plotBox);
    m_charts->addWidget(m_time);
    auto* noData = new Card;
    noData->body()->addWidget(m_noData, 1);
    m_charts->addWidget(noData);
    m_charts->setMinimumHeight(kChartHeight);
    m_table->setMinimumHeight(kTableHeight);
    auto* left = new QSplitter(Qt::Vertical);
    left->setObjectName(QStringLiteral("compareSplitter"));
    left->setChildrenCollapsible(false);
    left->setHandleWidth(space::cardGap);
    left->addWidget(m_charts);
    left->addWidget(m_table);
    left->setStretchFactor(0, 3);
    left->setStretchFactor(1, 2);
    left->setSizes({460, 260});

    m_sideLayout = new QBoxLayout(QBoxLayout::TopToBottom, m_side);
    m_sideLayout->setContentsMargins(0, 0, 0, 0);
    m_sideLayout->setSpacing(space::cardGap);
    m_sideLayout->addWidget(m_differs);
    m_sideLayout->addWidget(m_setup);
    m_sideLayout->addStretch(1);
    m_sideScroll = scrollArea(m_side, QStringLiteral("compareSide"));
    m_columns = new QBoxLayout(QBoxLayout::LeftToRight);
    m_columns->setSpacing(space::cardGap);
    m_columns->addWidget(left, 1);
    m_columns->addWidget(m_sideScroll);

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    layout->setSpacing(space::cardGap);
    layout->addWidget(m_header);
    layout->addWidget(m_banner);
    layout->addWidget(m_verdict);
    layout->addWidget(buildPills());
    layout->addLayout(m_columns, 1);
    m_scroll = scrollArea(content, QStringLiteral("compareScroll"));
    m_differs->setObjectName(QStringLiteral("differencesCard"));
    m_setup->setObjectName(QStringLiteral("setupCard"));
    connect(m_table, &RatioTable::copied, this, [this](const QString& what) { context().showMessage(what); });
    connect(m_table, &RatioTable::selectionChanged, this, [this] {
        if (m_chart == ChartKind::Time)
            loadTraces();
    });
    connect(m_table, &RatioTable::rowActivated, this, [this] {
        m_chartChosen = true;
        setChartKind(ChartKind::Time);
    });
}

void ComparePage::activated()
{
    if (m_ids.isEmpty())
        loadNewest();
}

void ComparePage::showSessions(const QStringList& ids)
{
    m_chartChosen = false;
    load(ids, false);
}

void ComparePage::loadNewest()
{
    using List = std::vector<SessionInfo>;
    const int token = ++m_loads;
    m_worker.run<List>(
        Library::Mode::ReadOnly, [](Library& library) { return library.sessions(); },
        [this, token](Expected<List> sessions) {
            if (token != m_loads)
                return;
            if (!sessions) {
                showState(QStringLiteral("error"), tr("The library cannot be read"), qs(sessions.error().text()),
                          tr("Try again"), [this] { loadNewest(); });
            } else if (sessions->empty()) {
                showState(QStringLiteral("compare"), tr("Nothing to compare yet"),
                          tr("Run a benchmark first; its charts and its ratio table will stand here."),
                          tr("Go to Start"), [this] { context().showPage(QStringLiteral("startPage")); });
            } else {
                showSessions({qs(sessions->front().id)});
            }
        },
        List{});
}

void ComparePage::load(const QStringList& ids, bool keepRequest)
{
    m_ids = ids;
    ++m_views;
    const int token = ++m_loads;
    if (!m_comparison)
        showState(QStringLiteral("clock"), tr("Reading the session"), {}, {}, {});
    m_worker.run<ComparisonPtr>(
        Library::Mode::ReadOnly, [list = stdList(ids)](Library& library) { return loadComparison(library, list); },
        [this, token, keepRequest](Expected<ComparisonPtr> comparison) {
            if (token != m_loads)
                return;
            if (comparison) {
                applyComparison(*comparison, keepRequest);
                return;
            }
            m_comparison.reset();
            const Error& error = comparison.error();
            showState(QStringLiteral("error"), tr("The session cannot be shown"), qs(error.text()),
                      tr("Go to Sessions"), [this] { context().showPage(QStringLiteral("sessionsPage")); });
        });
}

void ComparePage::applyComparison(const ComparisonPtr& comparison, bool keepRequest)
{
    m_comparison = comparison;
    const bool one = comparison->sessions.size() == 1;
    m_header->setTitle(one ? qs(comparison->sessions.front().info.title)
                           : tr("%1 sessions side by side").arg(comparison->sessions.size()));
    m_header->setSubtitle(subtitleOf(*comparison));
    m_again->setEnabled(one);
    m_replay->setEnabled(one);
    FactsCard::Rows rows;
    for (const Difference& difference : comparison->differences) {
        QStringList values;
        for (const std::string& value : difference.values)
            values += qs(value);
        rows.emplace_back(qs(difference.name), values.join(QStringLiteral(", ")));
    }
    m_differs->setRows(rows, rows.empty() ? tr("Nothing: all runs had the same settings")
                                          : tr("All other recorded settings are equal"));
    m_setup->setRows(setupFacts(*comparison));
    if (!keepRequest || !m_request.measure.size()) {
        m_request = defaultRequest(*comparison);
        m_at->setChoices({}); // the last x of the new data
        if (!m_chartChosen)
            m_chart = defaultChart(*comparison) == "time" ? ChartKind::Time : ChartKind::Lines;
    }
    recompute();
}

void ComparePage::changeRequest(const PivotRequest& request)
{
    m_request = request;
    recompute();
}

void ComparePage::recompute()
{
    if (!m_comparison)
        return;
    const int token = ++m_views;
    m_worker.submit<PivotView>([comparison = m_comparison,
                                request = m_request]() -> Expected<PivotView> { return viewOf(*comparison, request); },
                               [this, token](Expected<PivotView> view) {
                                   if (token != m_views || !view)
                                       return;
                                   m_view = std::move(*view);
                                   m_request = m_view.pivot.request;
                                   showView();
                               });
}

void ComparePage::showView()
{
    m_root->setCurrentIndex(0);
    m_verdict->setSentence(qs(m_view.verdict));
    m_verdict->setFacts(runFacts(*m_comparison));
    m_table->setPivot(m_view.pivot);
    if (!m_chartChosen && m_chart != ChartKind::Time) {
        PivotPlot probe; // knows what Auto means for this pivot
        probe.setChart(PivotPlot::Chart::Auto);
        probe.setPivot(m_view.pivot);
        const bool asked = m_request.x == defaultRequest(*m_comparison).x;
        const PivotPlot::Chart wanted =
            asked ? PivotPlot::chartFromText(defaultChart(*m_comparison)) : PivotPlot::Chart::Auto;
        const PivotPlot::Chart kind =
            wanted == PivotPlot::Chart::Auto || m_view.pivot.xs.size() < 3 ? probe.effectiveChart() : wanted;
        m_chart = kind == PivotPlot::Chart::Bars ? ChartKind::Bars : ChartKind::Lines;
    }
    fillPills();
    showPlots();
}

void ComparePage::setChartKind(ChartKind kind)
{
    m_chart = kind;
    if (m_comparison)
        showPlots();
}

void ComparePage::showPlots()
{
    if (QAbstractButton* button = m_chartButtons->button(int(m_chart)))
        button->setChecked(true);
    const bool time = m_chart == ChartKind::Time;
    m_centre->setVisible(!time && runFacts(*m_comparison).mostRepeats > 1);
    m_relative->setVisible(!time);
    m_measure->setVisible(!time); // throughput and p95 are shown, whatever the measure
    m_at->setVisible(time);
    m_published->setVisible(!time && m_published->choices().size() > 1);
    m_repeat->setVisible(time && m_repeat->choices().size() > 1);
    const auto& facets = m_view.pivot.facets;
    const std::size_t count = std::max<std::size_t>(1, facets.size());
    while (m_plots.size() > count) {
        delete m_plots.back();
        m_plots.pop_back();
    }
    const int perRow = count <= 3 ? int(count) : int(count + 1) / 2;
    for (int column = 0; column < std::max(perRow, m_plotGrid->columnCount()); ++column)
        m_plotGrid->setColumnStretch(column, column < perRow ? 1 : 0);
    double highest = 0;
    for (const PivotCell& cell : m_view.pivot.cells) {
        if (const Figure figure = m_view.pivot.figure(cell); std::isfinite(figure.value))
            highest = std::max({highest, figure.value, figure.high.value_or(0)});
        if (const Published* published = chosenPublished())
            highest = std::max(highest, publishedAt(*published, m_view.pivot.request, cell).value_or(0));
    }
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (i == m_plots.size()) {
            m_plots.push_back(new PivotPlot);
            m_plots.back()->setAccessibleName(tr("Chart of the comparison"));
        }
        PivotPlot* plot = m_plots[i];
        plot->setObjectName(i == 0 ? QStringLiteral("pivotPlot") : QStringLiteral("pivotPlot%1").arg(i + 1));
        m_plotGrid->addWidget(plot, int(i) / perRow, int(i) % perRow);
        plot->show(); // at once: the layout would do it an event later
        plot->setSharedHighest(count > 1 ? highest : 0);
        plot->setChart(m_chart == ChartKind::Bars ? PivotPlot::Chart::Bars : PivotPlot::Chart::Lines);
        const Published* published = chosenPublished();
        plot->setPublished(published ? publishedOver(m_view.pivot, *published, facets.empty() ? std::string() : facets[i])
                                     : std::vector<std::vector<double>>(),
                           published ? qs(published->source) : QString());
        plot->setPivot(m_view.pivot, facets.empty() ? QString() : qs(facets[i]));
        any = any || plot->hasData();
    }
    if (!any && !time) {
        const RunFacts facts = runFacts(*m_comparison);
        m_noData->setTexts(tr("No finished run to draw"),
                           facts.failed > 0
                               ? tr("All runs failed or were stopped. Their intervals up to then are kept: "
                                    "see them over time, or replay the session.")
                               : tr("The session ended before its first run was done."));
        m_charts->setCurrentIndex(NoDataPage);
    } else {
        m_charts->setCurrentIndex(time ? TimePage : PivotPage);
    }
    if (time)
        loadTraces();
    updateFold();
}

PlotCard& ComparePage::frontPlot() const
{
    if (m_chart == ChartKind::Time || m_plots.empty())
        return m_time->throughput();
    return *m_plots.front();
}

void ComparePage::loadTraces()
{
    if (!m_comparison)
        return;
    const bool chosen = !m_table->selectedCells().empty();
    std::vector<const PivotCell*> cells = m_table->selectedCells();
    if (!chosen) {
        for (const PivotCell& cell : m_view.pivot.cells) {
            if (qs(cell.x) == m_at->current())
                cells.push_back(&cell);
        }
    }
    struct Wanted
    {
        std::int64_t run;
        QString name;
        int color;
    };
    std::vector<Wanted> wanted;
    const bool all = m_repeat->current() == QStringLiteral("all");
    const auto& names = m_view.pivot.series;
    for (const PivotCell* cell : cells) {
        for (const CellRun& run : runsOf(*m_comparison, m_request, *cell)) {
            if (!all && run.run->header.repeat != m_repeat->current().toInt())
                continue;
            QStringList name;
            for (const std::string& part : {cell->series, cell->facet, chosen ? cell->x : std::string()}) {
                if (!part.empty())
                    name += qs(part);
            }
            if (all)
                name += QStringLiteral("#%1").arg(run.run->header.repeat);
            const auto at = std::find(names.begin(), names.end(), cell->series);
            const int series = at == names.end() ? 0 : int(at - names.begin());
            // A colour a series, as in the chart; facets differ by dash.
            const auto& facets = m_view.pivot.facets;
            const auto facet = std::find(facets.begin(), facets.end(), cell->facet) - facets.begin();
            wanted.push_back({run.run->id, name.isEmpty() ? tr("run") : name.join(QStringLiteral(", ")),
                              chosen ? int(wanted.size()) : series + 6 * int(facet)});
        }
    }
    const QString second =
        chosen ? tr("selected rows") : QStringLiteral("%1 = %2").arg(qs(m_request.x), m_at->current());
    const int token = ++m_traces;
    using Traces = std::vector<RunTrace>;
    m_worker.run<Traces>(
        Library::Mode::ReadOnly,
        [wanted](Library& library) -> Expected<Traces> {
            Traces traces;
            for (const Wanted& want : wanted) {
                auto intervals = library.intervals(want.run);
                if (!intervals)
                    return fail(intervals.error());
                traces.push_back(traceOf(*intervals, want.name, want.color));
            }
            return traces;
        },
        [this, token, second](Expected<Traces> traces) {
            if (token != m_traces)
                return;
            if (!traces) {
                m_banner->showError(tr("The runs cannot be read"), traces.error());
                return;
            }
            m_time->setTraces(*traces, second);
        });
}

void ComparePage::updateFold()
{
    const bool narrow = width() < space::foldWidth;
    m_columns->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_sideLayout->setDirection(narrow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_sideScroll->setMinimumWidth(narrow ? 0 : kSideWidth);
    m_sideScroll->setMaximumWidth(narrow ? QWIDGETSIZE_MAX : kSideWidth);
    m_sideScroll->setMinimumHeight(narrow ? m_side->sizeHint().height() + 4 : 0);
    m_sideLayout->setStretch(0, narrow ? 1 : 0);
    m_sideLayout->setStretch(1, narrow ? 1 : 0);
    m_sideLayout->setStretch(2, narrow ? 0 : 1);
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    updateFold();
}

void ComparePage::showState(const QString& icon, const QString& title, const QString& text, const QString& button,
                            std::function<void()> action)
{
    m_state->setIconName(icon);
    m_state->setTexts(title, text, button);
    m_stateAction = std::move(action);
    m_root->setCurrentIndex(1);
}

void ComparePage::chooseSession()
{
    using List = std::vector<SessionInfo>;
    m_worker.run<List>(
        Library::Mode::ReadOnly, [](Library& library) { return library.sessions(); },
        [this](Expected<List> sessions) {
            if (!sessions) {
                m_banner->showError(tr("The sessions cannot be listed"), sessions.error());
                return;
            }
            std::erase_if(*sessions, [this](const SessionInfo& info) { return m_ids.contains(qs(info.id)); });
            if (sessions->empty()) {
                m_banner->showText(tr("There is no other session to add"), Tone::Neutral,
                                   tr("Run another benchmark, or import a .dyno file on the Sessions page."));
                return;
            }
            auto* dialog = new AddSessionDialog(std::move(*sessions), this);
            connect(dialog, &AddSessionDialog::sessionsChosen, this,
                    [this](const QStringList& ids) { showSessions(m_ids + ids); });
            dialog->open();
        },
        List{});
}

} // namespace dyno
