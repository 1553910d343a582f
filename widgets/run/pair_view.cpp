// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pair_view.h"

#include "bridge/app_context.h"
#include "format.h"
#include "parts/card.h"
#include "parts/choice_pill.h"
#include "plots/crosshair_group.h"
#include "plots/latency_plot.h"
#include "plots/series_labels.h"
#include "run/replay_bar.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dyno {

namespace {

const char* const kAxisKey = "replay/along"; // in QSettings: "" (time) or "rows"
const QString kLetters[] = {QStringLiteral("A"), QStringLiteral("B")};

enum PairFigure { Throughput, Mean, Median, P95, P99, Errors, Rows };

} // namespace

PairView::PairView(AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_worker(context.library())
{
    setObjectName(QStringLiteral("pairView"));
    m_axis = QSettings().value(QLatin1String(kAxisKey)).toString() == QStringLiteral("rows") ? PairAxis::Rows
                                                                                             : PairAxis::Time;
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(space::pageMargin, 16, space::pageMargin, space::pageMargin - 4);
    page->setSpacing(space::cardGap);
    buildHead(*page);
    buildFigures(*page);
    buildPlots(*page);
    connect(&m_clock, &ReplayClock::positionChanged, this, &PairView::showUpTo);
    connect(&m_clock, &ReplayClock::advanced, this, [this] { m_played = true; });
    connect(&m_clock, &ReplayClock::sought, this, [this] { m_played = false; });
    connect(&m_clock, &ReplayClock::ended, this, [this] {
        if (m_whole && m_played)
            playNextPair();
    });
    connect(&Theme::instance(), &Theme::changed, this, &PairView::colourSwatches);
    colourSwatches();
}

PairView::~PairView() = default;

void PairView::buildHead(QVBoxLayout& page)
{
    m_head = new PageHeader(tr("Two runs side by side"));
    auto* compare = makeButton(tr("Compare"), "primary");
    compare->setObjectName(QStringLiteral("pairCompare"));
    compare->setToolTip(tr("Show the sessions of both runs on the Compare page, with repeats and intervals"));
    auto* close = makeButton(tr("Close replay"));
    close->setObjectName(QStringLiteral("pairClose"));
    close->setToolTip(tr("Back to the live view"));
    auto* swap = makeButton(tr("Swap A and B"));
    swap->setObjectName(QStringLiteral("pairSwap"));
    swap->setToolTip(tr("Aligned by rows, A sets the pace"));
    for (QPushButton* button : {swap, close, compare})
        m_head->actions()->addWidget(button);
    page.addWidget(m_head);
    m_bar = new ReplayBar(m_clock);
    m_along = new ChoicePill(tr("Align by"), QStringLiteral("pairAlong"),
                             tr("Align by time or by rows changed; by rows, A sets the pace"));
    connect(m_along, &ChoicePill::chosen, this,
            [this](const QString& id) { setAxis(id.isEmpty() ? PairAxis::Time : PairAxis::Rows); });
    m_bar->addChoice(m_along);
    m_playedPill = new ChoicePill(tr("Replay"), QStringLiteral("pairWhole"),
                                  tr("These two runs, or both sessions: each run is paired with the one that has the "
                                     "same settings"));
    m_playedPill->setChoices({{QString(), tr("two runs")}, {QStringLiteral("whole"), tr("both sessions")}});
    connect(m_playedPill, &ChoicePill::chosen, this, [this](const QString& id) { setWhole(!id.isEmpty()); });
    m_bar->addChoice(m_playedPill);
    page.addWidget(m_bar);
    connect(close, &QPushButton::clicked, this, &PairView::closeRequested);
    connect(swap, &QPushButton::clicked, this, [this] { setSides(m_sides[1], m_sides[0]); });
    connect(compare, &QPushButton::clicked, this, [this] {
        QStringList ids;
        for (const PairSidePtr& side : m_sides) {
            const QString id = side ? QString::fromStdString(side->session.info.id) : QString();
            if (!id.isEmpty() && !ids.contains(id))
                ids << id;
        }
        if (!ids.isEmpty())
            m_context.compareSessions(ids);
    });
}

void PairView::buildFigures(QVBoxLayout& page)
{
    auto* card = new Card;
    card->setObjectName(QStringLiteral("pairFigures"));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(6);
    const QString heads[] = {tr("Throughput, tps"), tr("Mean so far, tps"), tr("Median"), tr("p95"), tr("p99"),
                             tr("Errors"),          tr("Rows changed")};
    const QString tips[] = {tr("Transactions per second in the last interval"),
                            tr("Transactions per second since measuring began"),
                            tr("Service time in the last interval"),
                            tr("Service time in the last interval"),
                            tr("Service time in the last interval"),
                            tr("Failed transactions since measuring began"),
                            tr("Rows changed since measuring began")};
    const char* const names[] = {"Throughput", "Mean", "Median", "P95", "P99", "Errors", "Rows"};
    QLabel* service =
        makeLabel(tr("Service time"), TextRole::Label); // of three columns: there is no room for it in each
    service->setObjectName(QStringLiteral("pairService"));
    grid->addWidget(service, 0, 3 + Median, 1, P99 - Median + 1, Qt::AlignRight);
    for (int i = 0; i < int(std::size(heads)); ++i) {
        QLabel* head = makeLabel(heads[i], TextRole::Label);
        head->setToolTip(tips[i]);
        grid->addWidget(head, 1, 3 + i, Qt::AlignRight);
    }
    for (int side = 0; side < 2; ++side) {
        Row& row = m_rows[std::size_t(side)];
        row.swatch = makeLabel(kLetters[side], TextRole::Body);
        row.swatch->setFixedSize(22, 22);
        row.swatch->setAlignment(Qt::AlignCenter);
        row.name = new ElidedLabel({}, TextRole::Body);
        row.name->setObjectName(QStringLiteral("pairName") + kLetters[side]);
        row.run = new ChoicePill(tr("Run"), QStringLiteral("pairRun") + kLetters[side], tr("Which run of the session"));
        connect(row.run, &ChoicePill::chosen, this, [this, side](const QString& id) {
            if (!m_sides[0] || !m_sides[1])
                return;
            std::array<ReplayPick, 2> picks;
            for (std::size_t i = 0; i < 2; ++i)
                picks[i] = {QString::fromStdString(m_sides[i]->session.info.id), m_sides[i]->stored().id};
            picks[std::size_t(side)].run = id.toLongLong();
            m_goOn = false;
            read(picks[0], picks[1]);
        });
        grid->addWidget(row.swatch, side + 2, 0);
        grid->addWidget(row.name, side + 2, 1);
        grid->addWidget(row.run, side + 2, 2);
        for (int i = 0; i < int(row.figures.size()); ++i) {
            FigureLabel*& figure = row.figures[std::size_t(i)];
            figure = new FigureLabel({}, TextRole::Body);
            figure->setObjectName(QStringLiteral("pair%1%2").arg(QLatin1String(names[i]), kLetters[side]));
            figure->setToolTip(tips[i]);
            grid->addWidget(figure, side + 2, 3 + i, Qt::AlignRight | Qt::AlignVCenter);
        }
    }
    grid->setColumnStretch(1, 1);
    card->body()->addLayout(grid);
    m_ratio = makeLabel({}, TextRole::Secondary);
    m_ratio->setObjectName(QStringLiteral("pairRatio"));
    m_ratio->setToolTip(tr("For these two runs only; the Compare page shows whether repeats confirm it"));
    card->body()->addWidget(m_ratio);
    page.addWidget(card);
}

void PairView::buildPlots(QVBoxLayout& page)
{
    m_throughput = new PlotCard(tr("Throughput"), tr("transactions/s"));
    m_throughput->setObjectName(QStringLiteral("pairThroughputPlot"));
    m_throughput->setAccessibleName(tr("Throughput of both runs"));
    m_latency = new LatencyPlot;
    m_latency->setTitle(tr("Service time"));
    m_latency->setObjectName(QStringLiteral("pairLatencyPlot"));
    m_latency->setAccessibleName(tr("Service time of both runs"));
    m_percentile = new ChoicePill(tr("Shown"), QStringLiteral("pairPercentile"), tr("Percentile of the service time"));
    m_percentile->setChoices({{QStringLiteral("95"), QStringLiteral("p95")},
                              {QStringLiteral("50"), tr("median")},
                              {QStringLiteral("99"), QStringLiteral("p99")}});
    m_latency->header()->insertWidget(0, m_percentile);
    m_latency->header()->insertSpacing(1, 10);
    connect(m_percentile, &ChoicePill::chosen, this, &PairView::refillLatency);
    auto* group = new CrosshairGroup(this);
    for (PlotCard* card : {m_throughput, m_latency}) {
        card->addSeries(kLetters[0], {.color = 0});
        card->addSeries(kLetters[1], {.color = 1});
        card->setCrosshairGroup(group);
    }
    page.addWidget(m_throughput, 5);
    page.addWidget(m_latency, 4);
}

void PairView::colourSwatches()
{
    for (int side = 0; side < 2; ++side) {
        const QColor color = Theme::instance().series(side);
        m_rows[std::size_t(side)].swatch->setStyleSheet(
            QStringLiteral("background: %1; color: %2; border-radius: 4px; font-weight: 600;")
                .arg(color.name(), Theme::instance().colors().surface.name()));
    }
}

void PairView::showRuns(const ReplayPick& first, const ReplayPick& second)
{
    clear();
    // Nobody chose a run: it is about the sessions.
    setWhole(first.run == 0 && second.run == 0 && first.session != second.session);
    read(first, second);
}

void PairView::clear()
{
    ++m_loads;
    m_clock.setAxis(0, {});
    m_timeline = {};
    m_sides = {};
    m_pairs.clear();
    m_goOn = false;
}

void PairView::read(const ReplayPick& first, const ReplayPick& second)
{
    using Sides = std::array<PairSidePtr, 2>;
    const int token = ++m_loads;
    m_worker.run<Sides>(
        Library::Mode::ReadOnly,
        [first, second](Library& library) -> Expected<Sides> {
            auto one = readPairSide(library, first, nullptr);
            if (!one)
                return fail(one.error());
            auto other = readPairSide(library, second, one->get());
            if (!other)
                return fail(other.error());
            return Sides{std::move(*one), std::move(*other)};
        },
        [this, token](Expected<Sides> sides) {
            if (token != m_loads)
                return;
            if (sides)
                setSides((*sides)[0], (*sides)[1]);
            else
                emit failed(QString::fromStdString(sides.error().text()));
        });
}

void PairView::setSides(PairSidePtr first, PairSidePtr second)
{
    if (!first || !second)
        return;
    m_sides = {std::move(first), std::move(second)};
    m_pairs = pairsOf(m_sides[0]->session, m_sides[1]->session);
    showNames();
    showPairs();
    showAxis();
    if (std::exchange(m_goOn, false)) {
        m_clock.seek(0);
        m_clock.play();
    }
    emit ready();
}

void PairView::setWhole(bool on)
{
    m_whole = on;
    m_playedPill->setCurrent(on ? QStringLiteral("whole") : QString());
    showPairs();
}

int PairView::pairNow() const
{
    if (!m_sides[0] || !m_sides[1])
        return -1;
    const auto at = std::ranges::find(m_pairs, std::pair(m_sides[0]->stored().id, m_sides[1]->stored().id));
    return at == m_pairs.end() ? -1 : int(at - m_pairs.begin());
}

void PairView::playNextPair()
{
    const auto next = std::size_t(pairNow() + 1);
    if (next >= m_pairs.size())
        return;
    m_goOn = true;
    read({QString::fromStdString(m_sides[0]->session.info.id), m_pairs[next].first},
         {QString::fromStdString(m_sides[1]->session.info.id), m_pairs[next].second});
}

void PairView::showPairs()
{
    const bool two = m_sides[0] && m_sides[1] && m_sides[0]->session.info.id != m_sides[1]->session.info.id;
    m_playedPill->setVisible(two && m_pairs.size() > 1);
    const int now = pairNow();
    m_head->setChip(m_whole && two && now >= 0 && m_pairs.size() > 1
                        ? tr("runs %1 of %2").arg(now + 1).arg(m_pairs.size())
                        : QString(),
                    Tone::Neutral);
}

void PairView::setAxis(PairAxis axis)
{
    m_axis = axis;
    QSettings().setValue(QLatin1String(kAxisKey), axis == PairAxis::Rows ? QStringLiteral("rows") : QString());
    showAxis();
}

void PairView::showNames()
{
    const bool same = m_sides[0]->session.info.id == m_sides[1]->session.info.id;
    for (std::size_t side = 0; side < 2; ++side) {
        const PairSide& own = *m_sides[side];
        const QString title = QString::fromStdString(own.session.info.title);
        std::vector<ChoicePill::Choice> runs;
        for (const StoredRun& run : own.session.runs)
            runs.push_back({QString::number(run.id), runLabel(own.session, run)});
        m_rows[side].name->setText(title);
        m_rows[side].run->setChoices(std::move(runs));
        m_rows[side].run->setCurrent(QString::number(own.stored().id));
        const QString whole = same ? own.trace.name : QStringLiteral("%1, %2").arg(title, own.trace.name);
        m_rows[side].name->setToolTip(whole);
        m_rows[side].swatch->setAccessibleName(whole);
        const QString name = QStringLiteral("%1: %2").arg(kLetters[side], shortLabel(same ? own.trace.name : title));
        for (PlotCard* card : {m_throughput, m_latency})
            card->setSeriesName(int(side), name);
    }
    m_head->setSubtitle(same ? QString::fromStdString(m_sides[0]->session.info.title)
                             : tr("%1  ·  vs.  ·  %2")
                                   .arg(QString::fromStdString(m_sides[0]->session.info.title),
                                        QString::fromStdString(m_sides[1]->session.info.title)));
}

void PairView::showAxis()
{
    if (!m_sides[0] || !m_sides[1])
        return;
    const double before = m_clock.length() > 0 ? m_clock.position() / m_clock.length() : 0;
    m_timeline = PairTimeline(m_sides[0], m_sides[1], m_axis);
    std::vector<ChoicePill::Choice> choices{{QString(), tr("time")}};
    if (m_timeline.countsRows())
        choices.push_back({QStringLiteral("rows"), tr("rows")});
    const bool rows = m_timeline.axis() == PairAxis::Rows;
    m_along->setChoices(std::move(choices));
    m_along->setCurrent(rows ? QStringLiteral("rows") : QString());
    for (PlotCard* card : {m_throughput, m_latency}) {
        card->setXKind(rows ? XKind::Number : XKind::Clock);
        card->setXLabel(rows ? tr("rows changed") : QString());
        if (rows)
            card->setXRange(0, std::max(m_sides[0]->rows(), m_sides[1]->rows()));
        else
            card->setXRange(-m_timeline.warmup(), std::max(1e-3, m_timeline.length() - m_timeline.warmup()));
        card->resetZoom(false);
    }
    showMarks();
    m_shown = {};
    m_clock.setAxis(m_timeline.length(), m_timeline.markers());
    m_clock.seek(before * m_timeline.length());
}

void PairView::showMarks()
{
    const bool rows = m_timeline.axis() == PairAxis::Rows;
    for (PlotCard* card : {m_throughput, m_latency}) {
        card->clearMarks();
        if (!rows && m_timeline.warmup() > 0)
            card->addBand(-m_timeline.warmup(), 0, BandKind::Warmup, tr("warm-up"));
        for (const int side : {0, 1}) {
            for (const ReplayMarker& marker : m_sides[std::size_t(side)]->markers) {
                if (rows || marker.kind == MarkerKind::Phase || marker.kind == MarkerKind::WarmupEnd)
                    continue;
                const QString text =
                    QStringLiteral("%1  %2: %3").arg(format::clock(marker.at), kLetters[side], marker.text);
                card->addTick(marker.at, text, side);
            }
        }
        card->markDirty();
    }
}

const std::vector<double>& PairView::latencies(const PairSide& side) const
{
    const QString shown = m_percentile->current();
    return shown == QStringLiteral("50") ? side.p50Ms : shown == QStringLiteral("99") ? side.p99Ms : side.trace.p95Ms;
}

void PairView::refillLatency()
{
    if (m_timeline.empty())
        return;
    const bool rows = m_timeline.axis() == PairAxis::Rows;
    for (const int index : {0, 1}) {
        const PairSide& side = m_timeline.side(index);
        const std::vector<double>& keys = rows ? side.trace.rows : side.trace.seconds;
        m_latency->graph(index).data()->clear();
        for (std::size_t i = 0; i < m_shown[std::size_t(index)]; ++i) {
            if (!rows || side.trace.seconds[i] > 1e-9) // of the warm-up no rows are counted
                m_latency->graph(index).addData(keys[i], latencies(side)[i]);
        }
    }
    m_latency->markDirty();
}

void PairView::showUpTo(double position)
{
    if (m_timeline.empty())
        return;
    const bool rows = m_timeline.axis() == PairAxis::Rows;
    for (const int index : {0, 1}) {
        const PairSide& side = m_timeline.side(index);
        const std::size_t count = m_timeline.shown(index, position);
        std::size_t& have = m_shown[std::size_t(index)];
        const std::vector<double>& keys = rows ? side.trace.rows : side.trace.seconds;
        if (count < have || have == 0) {
            have = 0;
            for (PlotCard* card : {m_throughput, m_latency})
                card->graph(index).data()->clear();
        }
        for (; have < count; ++have) {
            if (rows && side.trace.seconds[have] <= 1e-9)
                continue; // the warm-up has no place among the rows
            m_throughput->graph(index).addData(keys[have], side.trace.tps[have]);
            m_latency->graph(index).addData(keys[have], latencies(side)[have]);
        }
        showFigures(index, count);
    }
    const auto mean = [this](int index) {
        const std::size_t count = m_shown[std::size_t(index)];
        const PairSide& side = m_timeline.side(index);
        return count > 0 && side.measured[count - 1] > 0 ? side.transactions[count - 1] / side.measured[count - 1]
                                                         : 0.0;
    };
    const double first = mean(0), second = mean(1);
    m_ratio->setText(first > 0 && second > 0 ? tr("B has %1 A's mean throughput so far (one run each: too few to tell)")
                                                   .arg(format::ratio(second / first))
                                             : tr("Nothing measured yet"));
    for (PlotCard* card : {m_throughput, m_latency})
        card->markDirty();
}

void PairView::showFigures(int index, std::size_t count)
{
    const PairSide& side = m_timeline.side(index);
    auto& figures = m_rows[std::size_t(index)].figures;
    if (count == 0) {
        for (FigureLabel* figure : figures)
            figure->setText(QStringLiteral("–"));
        return;
    }
    const std::size_t last = count - 1;
    figures[Throughput]->setText(format::rate(side.trace.tps[last]));
    figures[Mean]->setText(side.measured[last] > 0 ? format::rate(side.transactions[last] / side.measured[last])
                                                   : QStringLiteral("–"));
    figures[Median]->setText(format::time(side.p50Ms[last]));
    figures[P95]->setText(format::time(side.trace.p95Ms[last]));
    figures[P99]->setText(format::time(side.p99Ms[last]));
    figures[Errors]->setText(format::count(qint64(side.failed[last])));
    figures[Rows]->setText(side.rows() > 0 ? format::count(qint64(side.trace.rows[last])) : QStringLiteral("–"));
}

bool PairView::handleKey(const QKeyEvent& event)
{
    return m_bar->handleKey(event);
}

} // namespace dyno
