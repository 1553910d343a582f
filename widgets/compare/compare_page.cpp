// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_page.h"

#include "bridge/app_context.h"
#include "bridge/recipe_book.h"
#include "compare/add_session_dialog.h"
#include "compare/compare_chart_area.h"
#include "compare/compare_controls.h"
#include "compare/compare_export.h"
#include "compare/compare_missing.h"
#include "compare/compare_traces.h"
#include "compare/compare_views.h"
#include "compare/facts_card.h"
#include "compare/ratio_table.h"
#include "compare/verdict_card.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/run_status_text.h"
#include "parts/scroll_area.h"
#include "plots/plot_card.h"
#include "qt_text.h"
#include "sessions/rerun_dialog.h"

#include <dyno/missing_runs.h>
#include <dyno/topics.h>

#include <QMenu>
#include <QPointer>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace dyno {

namespace {

constexpr int kSideWidth = 312, kChartHeight = 200, kTableHeight = 138; // the least that can be read

//! A view's figures with what was read and worked out for them.
struct PivotWithFigures
{
    PivotView view;
    std::shared_ptr<const IntervalFigures> figures;
    ChartDataPtr data;
};

std::vector<std::string> stdList(const QStringList& list)
{
    std::vector<std::string> out;
    for (const QString& text : list)
        out.push_back(text.toStdString());
    return out;
}

//! What a group of settings is called; settings without a topic come last.
QString topicText(const std::string& topic)
{
    const std::size_t place = topicPlace(topic);
    if (place == kSettingTopics.size())
        return ComparePage::tr("Other settings");
    return QCoreApplication::translate("SettingTopic", kSettingTopics[place].label.data());
}

//! "stopped, 8 of 18 runs" of a session that is not complete, else "".
QString stateText(const StoredSession& session)
{
    const RunCounts counts = countRuns(session);
    if (isImported(session) || session.info.status == RunStatus::Done || counts.missing() == 0)
        return {};
    return endingText(session.info.status, counts.done, counts.planned);
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
    , m_apart(makeLabel({}, TextRole::Secondary))
    , m_controls(new CompareControls)
    , m_charts(new CompareChartArea)
    , m_blank(new PlotCard({}, {}, this))
    , m_table(new RatioTable)
    , m_views(new CompareViews(m_controls->view(), m_worker, this))
    , m_export(new CompareExport(m_worker, m_table->model(), this))
    , m_side(new QWidget)
    , m_differs(new FactsCard(tr("What differs"), false))
    , m_setup(new FactsCard(tr("How it was run"), true))
    , m_findings(new FactsCard({}, true))
{
    setObjectName(QStringLiteral("comparePage"));
    buildHeader();
    buildContent();
    connectParts();
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
                              tr("Add another saved session to the comparison"), "", QStringLiteral("plus"));
    connect(add, &QPushButton::clicked, this, &ComparePage::chooseSession);
    m_replay = button(QStringLiteral("compareReplayButton"), tr("Replay"), tr("Play the session as it ran"), "",
                      QStringLiteral("replay"));
    connect(m_replay, &QPushButton::clicked, this, [this] {
        const auto pair = replayPicks();
        if (pair.size() == 2)
            context().replayPair(pair[0], pair[1]);
        else if (!m_ids.isEmpty())
            context().replaySession(m_ids.front());
    });
    m_again = button(QStringLiteral("compareAgainButton"), tr("Run again"),
                     tr("Run the stored plan again with the same seeds, order and knobs"), "", {});
    connect(m_again, &QPushButton::clicked, this, [this] {
        if (!m_comparison || m_comparison->sessions.size() != 1)
            return;
        m_worker.run<Rerun>(
            Library::Mode::ReadOnly,
            [comparison = m_comparison](Library&) { return rerunHere(comparison->sessions.front()); },
            [this](Expected<Rerun> again) {
                if (again)
                    offerRerun(context(), *again, this);
                else
                    m_banner->showError(tr("This session cannot be rerun"), again.error());
            });
    });
    QPushButton* copy = button(QStringLiteral("copyTableButton"), tr("Copy table"),
                               tr("Copy the ratio table as Markdown"), "", QStringLiteral("copy"));
    connect(copy, &QPushButton::clicked, m_table, &RatioTable::copyMarkdown);
    QPushButton* save = button(QStringLiteral("compareExportButton"), tr("Export…"),
                               tr("Pictures, tables, data, or the whole session"), "primary", {});
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("compareExportMenu"));
    m_export->fillMenu(menu);
    connect(save, &QPushButton::clicked, this,
            [menu, save] { menu->popup(save->mapToGlobal(QPoint(0, save->height() + 2))); });
}

void ComparePage::buildContent()
{
    m_apart->setObjectName(QStringLiteral("compareApart"));
    m_apart->setWordWrap(true);
    m_apart->hide();
    m_charts->setMinimumHeight(kChartHeight);
    m_table->setMinimumHeight(kTableHeight);
    m_left = new QSplitter(Qt::Vertical);
    m_left->setObjectName(QStringLiteral("compareSplitter"));
    m_left->setChildrenCollapsible(false);
    m_left->setHandleWidth(space::cardGap);
    m_left->addWidget(m_charts);
    m_left->addWidget(m_table);
    m_left->setStretchFactor(0, 3);
    m_left->setStretchFactor(1, 2);
    m_left->setMinimumHeight(kChartHeight + space::cardGap + kTableHeight); // with less the page scrolls
    connect(m_left, &QSplitter::splitterMoved, this, [this] { m_dividedByHand = true; });
    divide(1);

    m_sideLayout = new QBoxLayout(QBoxLayout::TopToBottom, m_side);
    m_sideLayout->setContentsMargins(0, 0, 0, 0);
    m_sideLayout->setSpacing(space::cardGap);
    m_sideLayout->addWidget(m_findings);
    m_sideLayout->addWidget(m_differs);
    m_sideLayout->addWidget(m_setup);
    m_sideLayout->addStretch(1);
    m_sideScroll = scrollArea(m_side, QStringLiteral("compareSide"));
    m_columns = new QBoxLayout(QBoxLayout::LeftToRight);
    m_columns->setSpacing(space::cardGap);
    m_columns->addWidget(m_left, 1);
    m_columns->addWidget(m_sideScroll);

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    layout->setSpacing(space::cardGap);
    layout->addWidget(m_header);
    layout->addWidget(m_banner);
    layout->addWidget(m_verdict);
    layout->addWidget(m_controls);
    layout->addWidget(m_apart);
    layout->addLayout(m_columns, 1);
    m_scroll = scrollArea(content, QStringLiteral("compareScroll"));
    m_differs->setObjectName(QStringLiteral("differencesCard"));
    m_setup->setObjectName(QStringLiteral("setupCard"));
    m_findings->setObjectName(QStringLiteral("findingsCard"));
    m_findings->hide();
    m_blank->hide();
}

void ComparePage::connectParts()
{
    connect(m_table, &RatioTable::copied, this, [this](const QString& what) { context().showMessage(what); });
    connect(m_table, &RatioTable::selectionChanged, this, [this] {
        updateReplay();
        if (m_chart->kind().intervals)
            loadTraces();
    });
    connect(m_table, &RatioTable::rowActivated, this, [this] {
        m_chartChosen = true;
        setChart("time"); // the course of the row's runs
        fillViews();
    });
    connect(m_controls, &CompareControls::requestChosen, this, &ComparePage::changeRequest);
    connect(m_controls, &CompareControls::chartChosen, this, [this](const QString& id) {
        m_chartChosen = true;
        setChart(id.toStdString());
        fillViews();
    });
    connect(m_controls, &CompareControls::lookChosen, this, [this] {
        showChart();
        fillViews();
    });
    connect(m_controls, &CompareControls::runsChosen, this, &ComparePage::loadTraces);
    connect(m_controls, &CompareControls::perRowChosen, m_charts, &CompareChartArea::setPerRow);
    m_charts->setPerRow(m_controls->perRow());
    connect(m_charts, &CompareChartArea::scaleChosen, m_controls, &CompareControls::setScale);
    connect(m_charts, &CompareChartArea::rowsChanged, this, &ComparePage::divide);
    connect(m_views, &CompareViews::chosen, this, &ComparePage::showView);
    connect(m_views, &CompareViews::saved, this, [this](const QString& message) {
        context().showMessage(message);
        load(m_ids, true);
    });
    connect(m_views, &CompareViews::failed, this,
            [this](const Error& error) { m_banner->showError(tr("The view was not saved"), error); });
    m_export->setCards([this] { return m_charts->cards(); });
    connect(m_export, &CompareExport::pictureWanted, this, [this] { frontPlot().exportDialog(); });
    connect(m_export, &CompareExport::recipeWanted, this, [this] {
        if (!m_comparison)
            return;
        RecipeBook::of(context()).saveSession( // of what is shown, while others may be read
            qtText(m_comparison->sessions.front().info.id), this,
            [this](const Error& error) { m_banner->showError(tr("The recipe was not saved"), error); },
            m_views->shown());
    });
    connect(m_export, &CompareExport::done, this, [this](const QString& message) { context().showMessage(message); });
    connect(m_export, &CompareExport::failed, this,
            [this](const Error& error) { m_banner->showError(tr("Not saved"), error); });
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
                showState(QStringLiteral("error"), tr("The library cannot be read"), qtText(sessions.error().text()),
                          tr("Try again"), [this] { loadNewest(); });
            } else if (sessions->empty()) {
                showState(QStringLiteral("compare"), tr("Nothing to compare yet"),
                          tr("Run a benchmark first; its charts and ratio table appear here."), tr("Go to Start"),
                          [this] { context().showPage(QStringLiteral("startPage")); });
            } else {
                showSessions({qtText(sessions->front().id)});
            }
        },
        List{});
}

void ComparePage::load(const QStringList& ids, bool keepRequest)
{
    m_ids = ids;
    m_ids.removeDuplicates(); // a session that is given twice counts once
    ++m_results;
    const int token = ++m_loads;
    if (!m_comparison)
        showState(QStringLiteral("clock"), tr("Reading the session"), {}, {}, {});
    m_worker.run<ComparisonPtr>(
        Library::Mode::ReadOnly, [list = stdList(m_ids)](Library& library) { return loadComparison(library, list); },
        [this, token, keepRequest](Expected<ComparisonPtr> comparison) {
            if (token != m_loads)
                return;
            if (comparison) {
                applyComparison(*comparison, keepRequest);
                return;
            }
            m_comparison.reset();
            const Error& error = comparison.error();
            showState(QStringLiteral("error"), tr("The session cannot be shown"), qtText(error.text()),
                      tr("Go to Sessions"), [this] { context().showPage(QStringLiteral("sessionsPage")); });
        });
}

void ComparePage::applyComparison(const ComparisonPtr& comparison, bool keepRequest)
{
    m_comparison = comparison;
    m_figures.reset();
    m_export->setComparison(comparison);
    tellMissing(*comparison, context(), *m_banner);
    const bool one = comparison->sessions.size() == 1;
    m_header->setTitle(one ? qtText(comparison->sessions.front().info.title)
                           : tr("%1 sessions side by side").arg(comparison->sessions.size()));
    m_header->setSubtitle(subtitleOf(*comparison));
    m_header->setChip(one ? stateText(comparison->sessions.front()) : QString(), Tone::Warn);
    const bool imported = one && isImported(comparison->sessions.front());
    m_again->setEnabled(one && !imported);
    m_again->setToolTip(imported ? tr("Another tool measured this session, so there is no plan to run")
                        : one    ? tr("Run the stored plan again with the same seeds, order and knobs")
                                 : tr("One session at a time can run again"));
    m_again->setAccessibleDescription(m_again->toolTip());
    FactsCard::Rows rows;
    QString topic = topicText({});
    for (const Difference& difference : comparison->differences) {
        if (const QString heading = topicText(difference.topic); heading != topic) {
            topic = heading;
            rows.emplace_back(heading, QString());
        }
        QStringList values;
        for (const std::string& value : difference.values)
            values += value.empty() ? tr("(empty)") : qtText(value);
        rows.emplace_back(qtText(difference.name), values.join(QStringLiteral("; ")));
    }
    const bool oneSided = comparison->oneSided;
    const bool told = std::ranges::none_of(comparison->sessions, isImported);
    m_differs->setRows(rows, !told          ? tr("Logs of other tools record few settings")
                             : oneSided     ? tr("Settings that not all of these servers have are not compared")
                             : rows.empty() ? tr("All runs had the same settings")
                                            : tr("All other recorded settings are equal"));
    m_setup->setRows(setupFacts(*comparison));
    if (!keepRequest || !m_request.measure.size()) {
        m_request = defaultRequest(*comparison);
        const View first = comparison->views.empty() ? View() : comparison->views.front();
        if (!m_chartChosen)
            m_chart = &chartOf(defaultChart(*comparison));
        m_from = first.from;
        m_to = first.to;
        m_controls->begin(first);
        m_request = holdOtherAxes(comparison->sessions, m_controls->remembered(m_request, comparison->axes));
    }
    m_controls->setRequest(m_request);
    recompute();
}

void ComparePage::changeRequest(const PivotRequest& request)
{
    m_request = holdOtherAxes(m_comparison->sessions, request);
    m_controls->setRequest(m_request);
    recompute();
}

void ComparePage::recompute()
{
    if (!m_comparison)
        return;
    const int token = ++m_results;
    const auto done = [this, token](Expected<PivotWithFigures> result) {
        if (token != m_results)
            return;
        if (!result) {
            m_banner->showError(tr("The runs cannot be read"), result.error());
            return;
        }
        m_figures = result->figures;
        m_view = std::move(result->view);
        m_data = std::move(result->data);
        m_request = m_view.pivot.request;
        showResult();
    };
    const MeasureInfo* measure = findMeasure(m_request.measure);
    const bool known = !measure || !measure->fromIntervals || (m_figures && m_figures->measure == m_request.measure);
    const auto work = [comparison = m_comparison, request = m_request,
                       chart = m_chart](const std::shared_ptr<const IntervalFigures>& figures) {
        PivotWithFigures result{viewOf(*comparison, request, figures.get()), figures, {}};
        result.data = chart->workOut(comparison->sessions, result.view.pivot);
        return Expected<PivotWithFigures>(std::move(result));
    };
    if (known) {
        m_worker.submit<PivotWithFigures>([work, figures = m_figures] { return work(figures); }, done);
        return;
    }
    m_worker.run<PivotWithFigures>(
        Library::Mode::ReadOnly,
        [work, comparison = m_comparison, id = m_request.measure](Library& library) -> Expected<PivotWithFigures> {
            auto figures = std::make_shared<IntervalFigures>(IntervalFigures{id, {}});
            for (const StoredSession& session : comparison->sessions) {
                auto values = intervalFigures(library, session, id);
                if (!values)
                    return fail(values.error());
                figures->values.push_back(std::move(*values));
            }
            return work(std::move(figures));
        },
        done);
}

void ComparePage::showResult()
{
    m_root->setCurrentIndex(0);
    m_verdict->setSentence(qtText(m_view.verdict));
    m_verdict->setFacts(runFacts(m_comparison->sessions));
    for (const Drift& drift : m_comparison->drifts)
        m_verdict->addDrift(drift);
    m_verdict->addDoubts(m_comparison->gaps, m_comparison->misnamed);
    m_table->setPivot(m_view.pivot);
    QStringList apart;
    for (const std::string& line : m_view.pivot.apart)
        apart += qtText(line);
    m_apart->setText(apart.join(QStringLiteral(" · ")));
    m_apart->setAccessibleName(m_apart->text());
    m_apart->setVisible(!apart.isEmpty());
    if (!m_chartChosen) {
        const bool asked = m_request.x == defaultRequest(*m_comparison).x;
        m_chart = &m_chart->suited(m_view.pivot, asked ? defaultChart(*m_comparison) : std::string());
    }
    m_controls->fill(m_comparison, m_view.pivot);
    fillViews();
    showChart();
    updateReplay();
}

void ComparePage::setChart(std::string_view id)
{
    m_chart = &chartOf(id);
    if (!m_comparison)
        return;
    if (const std::string& along = m_chart->kind().along; !along.empty())
        m_request.measure = along;
    if (m_chart->needsData())
        recompute();
    else
        showChart();
}

void ComparePage::showChart()
{
    m_controls->showFor(*m_chart, m_chart->measure(m_view.pivot, m_data.get()));
    if (m_chart->kind().intervals)
        loadTraces();
    else
        drawChart();
    showFindings();
    updateFold();
}

ChartInput ComparePage::chartInput() const
{
    const ViewAxes axes = viewAxes(m_controls->log().toStdString());
    return {.sessions = m_comparison->sessions,
            .pivot = m_view.pivot,
            .data = m_data,
            .traces = m_traces,
            .which = m_which,
            .words = m_view.words,
            .published = m_controls->published(),
            .logX = axes.logX,
            .logY = axes.logY,
            .logOpen = axes.open,
            .overRows = m_controls->over() == QStringLiteral("rows"),
            .each = m_controls->each(),
            .from = m_from,
            .to = m_to};
}

void ComparePage::drawChart()
{
    m_charts->draw(*m_chart, chartInput());
    m_controls->showPerRow(m_charts->hasSeveralInGrid());
}

void ComparePage::loadTraces()
{
    if (!m_comparison)
        return;
    using Traces = std::vector<RunTrace>;
    ChosenRuns runs = chosenRuns(*m_chart, *m_comparison, m_view.pivot,
                                 {m_table->selectedCells(), m_controls->at(), m_controls->repeat()});
    m_which = runs.which;
    const int token = ++m_traceLoads;
    m_worker.run<Traces>(
        Library::Mode::ReadOnly, [runs = std::move(runs)](Library& library) { return readTraces(library, runs); },
        [this, token](Expected<Traces> traces) {
            if (token != m_traceLoads || !m_comparison)
                return;
            if (!traces) {
                m_banner->showError(tr("The runs cannot be read"), traces.error());
                return;
            }
            m_traces = std::move(*traces);
            if (!m_chart->kind().intervals)
                return;
            drawChart();
            showFindings();
        });
}

void ComparePage::showFindings()
{
    const ChartFindings findings = m_chart->findings(chartInput());
    m_findings->setTitle(findings.title);
    m_findings->setRows(findings.rows, findings.note);
    m_findings->setVisible(!findings.rows.empty());
}

//! Room for charts and table: several rows of charts get all that the table can do without.
void ComparePage::divide(int rows)
{
    if (rows == m_chartRows)
        return;
    const bool anew = !m_dividedByHand && (m_chartRows == 0 || (rows > 1) != (m_chartRows > 1));
    m_chartRows = rows;
    if (anew)
        m_left->setSizes(rows > 1 ? QList<int>{1000, 1} : QList<int>{392, 290}); // six rows of the table at 1440 × 900
}

PlotCard& ComparePage::frontPlot() const
{
    PlotCard* front = m_charts->front();
    return front ? *front : *m_blank;
}

View ComparePage::currentView() const
{
    View view;
    view.chart = m_chart->id();
    view.measure = m_request.measure;
    view.x = m_request.x;
    view.series = m_request.series;
    view.facet = m_request.facet;
    view.baseline = m_request.relativeTo == RelativeTo::Best ? std::string() : m_request.baseline;
    view.centre = m_request.centre;
    view.relativeTo = m_request.relativeTo;
    view.log = m_controls->log().toStdString();
    view.over = m_controls->over().toStdString();
    view.published = m_controls->published() != nullptr;
    view.knee = m_request.knee && view.chart == "lines";
    if (hasChart(view.chart, &ChartKind::summary)) {
        std::vector<std::string> limits = m_request.limits; // those of another measure are there when it comes back
        std::erase_if(limits, [unit = m_view.pivot.measure().unit](const std::string& name) {
            const DeviceLimitInfo* info = findDeviceLimit(name);
            return info && !hasUnitOf(*info, unit);
        });
        view.limit = joinedLimits(limits);
    }
    if (showsSeconds(view.chart, view.over)) {
        view.from = m_from;
        view.to = m_to;
    }
    return view;
}

void ComparePage::showView(const View& view)
{
    m_chartChosen = true;
    m_chart = &chartOf(view.chart);
    m_controls->show(view);
    m_from = view.from;
    m_to = view.to;
    changeRequest(requestOf(view));
}

void ComparePage::saveView(const QString& name)
{
    if (m_comparison)
        fillViews();
    m_views->save(name);
}

void ComparePage::removeView(const QString& name)
{
    m_views->remove(name);
}

void ComparePage::saveTable(const QString& file)
{
    m_export->saveTable(file);
}

void ComparePage::saveReport(const QString& file)
{
    m_export->saveReport(file);
}

void ComparePage::saveData(const QString& dir)
{
    m_export->saveData(dir);
}

void ComparePage::saveSessions(const QString& fileOrDir)
{
    m_export->saveSessions(fileOrDir);
}

void ComparePage::fillViews()
{
    m_views->fill(m_comparison, currentView(), !m_chartChosen);
}

//! The first finished run of each of two selected rows; else, of two sessions, one that both have.
std::vector<ReplayPick> ComparePage::replayPicks() const
{
    std::vector<ReplayPick> picks;
    if (!m_comparison)
        return picks;
    const std::vector<const PivotCell*> cells = m_table->selectedCells();
    if (cells.size() == 2) {
        for (const PivotCell* cell : cells) {
            const std::vector<CellRun> runs = runsOf(*m_comparison, m_request, *cell);
            if (!runs.empty())
                picks.push_back({qtText(m_comparison->sessions[runs.front().session].info.id), runs.front().run->id});
        }
    } else if (m_ids.size() == 2) {
        picks = {{m_ids[0]}, {m_ids[1]}};
    }
    return picks;
}

void ComparePage::updateReplay()
{
    const bool pair = replayPicks().size() == 2;
    m_replay->setEnabled(pair || m_ids.size() == 1);
    m_replay->setText(pair ? tr("Replay side by side") : tr("Replay"));
    m_replay->setAccessibleName(m_replay->text());
    m_replay->setToolTip(
        pair ? tr("Play both together, over time or over rows")
             : tr("Play the session as it ran; select two rows of the table to play them side by side"));
}

void ComparePage::updateFold()
{
    const bool narrow = width() < space::foldWidth;
    // Side by side the chart and the table give way to a second line of pills; the page scrolls only below their least
    // height.
    m_left->setSizePolicy(QSizePolicy::Expanding, narrow ? QSizePolicy::Expanding : QSizePolicy::Ignored);
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
    readOthers({}, [this](Expected<std::vector<SessionInfo>> sessions) {
        if (!sessions) {
            m_banner->showError(tr("The sessions cannot be listed"), sessions.error());
            return;
        }
        if (sessions->empty()) {
            m_banner->showText(tr("There is no other session to add"), Tone::Neutral,
                               tr("Run another benchmark, or import a .dyno file on the Sessions page."));
            return;
        }
        auto* dialog = new AddSessionDialog(std::move(*sessions), this);
        connect(dialog, &AddSessionDialog::sessionsChosen, this,
                [this](const QStringList& ids) { showSessions(m_ids + ids); });
        connect(dialog, &AddSessionDialog::searched, this, [this, box = QPointer(dialog)](const QString& query) {
            const int token = ++m_searches;
            readOthers(query.toStdString(), [this, box, token](Expected<std::vector<SessionInfo>> found) {
                if (!box || token != m_searches)
                    return;
                if (found)
                    box->setSessions(std::move(*found));
                else
                    box->showProblem(qtText(found.error().remedy.empty()
                                                ? found.error().message
                                                : found.error().message + "; " + found.error().remedy));
            });
        });
        dialog->open();
    });
}

//! The sessions that are not shown and fit the search line; "" = all.
void ComparePage::readOthers(const std::string& query, std::function<void(Expected<std::vector<SessionInfo>>)> done)
{
    using List = std::vector<SessionInfo>;
    m_worker.run<List>(
        Library::Mode::ReadOnly,
        [query](Library& library) { return query.empty() ? library.sessions() : library.search(query); },
        [this, done = std::move(done)](Expected<List> sessions) {
            if (sessions)
                std::erase_if(*sessions, [this](const SessionInfo& info) { return m_ids.contains(qtText(info.id)); });
            done(std::move(sessions));
        },
        List{});
}

} // namespace dyno
