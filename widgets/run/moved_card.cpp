// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/moved_card.h"

#include "format.h"
#include "parts/field.h"
#include "parts/foreign_text.h"
#include "plots/plot_style.h"
#include "plots/stall_words.h"
#include "qt_text.h"
#include "run/live_run_model.h"
#include "run/measure_plot.h"

#include <QButtonGroup>
#include <QDrag>
#include <QHelpEvent>
#include <QMimeData>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dyno {

namespace {

constexpr std::size_t kMostMoves = 5;       //!< lines
constexpr std::size_t kMostHiddenMoves = 3; //!< behind them, of counters that are kept and not shown
constexpr std::size_t kMostCorrelated = 8;
constexpr std::size_t kMostRanked = 2000; //!< intervals
constexpr int kMoveRow = 29;              //!< pixels
constexpr int kMoveBar = 3;

TimeStretch stretchOf(const Stall& stall)
{
    return {double(stall.tNs) / 1e9, double(stall.tNs + stall.lengthNs) / 1e9};
}

QString movedValue(double value, const RunMeasure& measure)
{
    return format::rate(value * measure.scale);
}

} // namespace

MoveBars::MoveBars(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("moveBars"));
    setAccessibleName(tr("Series by how far they moved"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MoveBars::setRows(std::vector<Row> rows, double full)
{
    m_rows = std::move(rows);
    m_full = full;
    m_current = std::clamp(m_current, 0, std::max(0, int(m_rows.size()) - 1));
    QStringList spoken, tips;
    for (const Row& row : m_rows) {
        spoken << tr("%1: %2", "a measure, its values").arg(row.name, row.values);
        tips << row.tip;
    }
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    setToolTip(tips.join(QLatin1Char('\n')));
    setFixedHeight(sizeHint().height());
    setVisible(!m_rows.empty());
    QWidget::update();
}

QSize MoveBars::sizeHint() const
{
    return {200, int(m_rows.size()) * kMoveRow};
}

QRect MoveBars::rowRect(std::size_t row) const
{
    return {0, int(row) * kMoveRow, width(), kMoveRow};
}

int MoveBars::rowAt(const QPoint& at) const
{
    const int row = at.y() / kMoveRow;
    return at.y() >= 0 && row < int(m_rows.size()) ? row : -1;
}

//! The tooltip of one row; all of them are for readers that do not point.
bool MoveBars::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos());
    if (row < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), harmlessToolTip(m_rows[std::size_t(row)].tip), this);
    return true;
}

void MoveBars::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton ? std::optional(event->position().toPoint()) : std::nullopt;
    if (m_pressed && rowAt(*m_pressed) >= 0)
        m_current = rowAt(*m_pressed);
    QWidget::update();
}

void MoveBars::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_pressed || (event->position().toPoint() - *m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    const int row = rowAt(*std::exchange(m_pressed, {}));
    if (row < 0)
        return;
    auto* dragged = new QMimeData;
    dragged->setData(QLatin1String(kSeriesMime), seriesToDrag({m_rows[std::size_t(row)].id}));
    auto* drag = new QDrag(window());
    drag->setMimeData(dragged);
    drag->setPixmap(grab(rowRect(std::size_t(row))));
    drag->exec(Qt::CopyAction);
}

void MoveBars::mouseReleaseEvent(QMouseEvent*)
{
    m_pressed.reset();
}

void MoveBars::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int row = rowAt(event->position().toPoint()); row >= 0)
        emit rowActivated(m_rows[std::size_t(row)].id);
}

void MoveBars::keyPressEvent(QKeyEvent* event)
{
    const int last = int(m_rows.size()) - 1;
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_current <= last) {
        const QString id = m_rows[std::size_t(m_current)].id; // the rows may be others afterwards
        emit rowActivated(id);
    } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        m_current = std::clamp(m_current + (event->key() == Qt::Key_Down ? 1 : -1), 0, std::max(0, last));
        QWidget::update();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void MoveBars::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    QWidget::update();
}

void MoveBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = Theme::instance().colors();
    const QFont font = Theme::font(TextRole::Secondary);
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    double most = m_full > 0 ? m_full : 1;
    for (const Row& row : m_rows)
        most = std::max(most, std::fabs(row.score));
    if (hasFocus() && !m_rows.empty()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(blend(colors.accent, colors.surface, 0.12));
        painter.drawRoundedRect(rowRect(std::size_t(m_current)), space::grid, space::grid);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QRectF row(0, double(i) * kMoveRow, width(), kMoveRow);
        const QRectF text = row.adjusted(0, 2, 0, -9);
        const int valuesWidth = figures::width(bold, m_rows[i].values);
        painter.setFont(font);
        painter.setPen(colors.secondText);
        painter.drawText(text, int(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine),
                         QFontMetrics(font).elidedText(m_rows[i].name, Qt::ElideMiddle, width() - valuesWidth - 10));
        painter.setFont(bold);
        painter.setPen(colors.text);
        figures::draw(painter, text, Qt::AlignRight | Qt::AlignVCenter, m_rows[i].values);
        QRectF bar(0, row.bottom() - 7, width(), kMoveBar);
        bar.setWidth(std::max(double(kMoveBar), bar.width() * std::fabs(m_rows[i].score) / most));
        painter.setPen(Qt::NoPen);
        // One of them stands out; to move with throughput is nothing bad.
        painter.setBrush(i > 0 ? colors.secondText : m_full > 0 ? colors.accent : colors.bad);
        painter.drawRoundedRect(bar, kMoveBar / 2.0, kMoveBar / 2.0);
    }
}

MovedCard::MovedCard(const LiveRunModel& model, QWidget* parent)
    : Card(tr("What moved"), {}, parent)
    , m_model(model)
    , m_chip(new Chip({}, Tone::Bad))
    , m_sentence(makeLabel({}, TextRole::Secondary))
    , m_nothing(makeLabel({}, TextRole::Secondary))
    , m_bars(new MoveBars)
    , m_byChange(makeButton(tr("Change"), "segment"))
    , m_byCorrelation(makeButton(tr("Correlation"), "segment"))
    , m_ranking(this)
{
    setObjectName(QStringLiteral("movedCard"));
    setAccessibleName(tr("What moved"));
    m_chip->setObjectName(QStringLiteral("movedChip"));
    m_sentence->setObjectName(QStringLiteral("movedSentence"));
    m_sentence->setWordWrap(true);
    m_nothing->setObjectName(QStringLiteral("movedNothing"));
    m_nothing->setWordWrap(true);
    header()->addWidget(m_chip);
    body()->setSpacing(6);
    auto* ways = new QHBoxLayout;
    ways->setSpacing(2);
    auto* group = new QButtonGroup(this);
    for (QPushButton* button : {m_byChange, m_byCorrelation}) {
        button->setCheckable(true);
        group->addButton(button);
        ways->addWidget(button);
    }
    ways->addStretch(1);
    describe(m_byChange, QStringLiteral("movedByChange"), tr("Rank by change"),
             tr("How far each series moved from the calm before it, in multiples of its usual spread"));
    describe(m_byCorrelation, QStringLiteral("movedByCorrelation"), tr("Rank by correlation"),
             tr("Which series go up and down with throughput, or against it"));
    m_byChange->setChecked(true);
    connect(m_byChange, &QPushButton::clicked, this, [this] { setCorrelates(false); });
    // A stall is too short to rank by.
    connect(m_byCorrelation, &QPushButton::clicked, this,
            [this] { askRanking(m_stall || m_all ? std::nullopt : m_shown); });
    connect(m_bars, &MoveBars::rowActivated, this, [this](const QString& id) { emit addWanted({id}); });
    body()->addLayout(ways);
    body()->addWidget(m_sentence);
    body()->addWidget(m_nothing);
    body()->addWidget(m_bars);
    buildActions();
    m_again.setSingleShot(true);
    m_again.setInterval(0);
    connect(&m_again, &QTimer::timeout, this, &MovedCard::showAgain);
    connect(&m_model, &LiveRunModel::runReset, this, &MovedCard::onRun);
    connect(&m_model, &LiveRunModel::pointsChanged, this, [this] { // a run has ended, among other things
        if (m_correlates && m_rankedLive && m_model.run() && !goesOn())
            rank();
    });
    forget();
}

MovedCard::~MovedCard()
{
    m_stopRanking.request_stop();
}

void MovedCard::buildActions()
{
    m_zoom = makeButton(tr("Zoom to it"), "link");
    m_zoom->setObjectName(QStringLiteral("movedZoom"));
    m_zoom->setAccessibleName(tr("Zoom to what is explained"));
    m_zoom->setToolTip(tr("Show this time in the plots, with a little before and after"));
    m_next = makeButton(tr("Next stall"), "link");
    m_next->setObjectName(QStringLiteral("movedNext"));
    m_next->setAccessibleName(tr("Explain the next stall"));
    m_next->setToolTip(tr("Explain the next stall of this run; after the last one the first"));
    m_allStalls = makeButton(tr("All of them"), "link");
    m_allStalls->setObjectName(QStringLiteral("movedAll"));
    m_allStalls->setAccessibleName(tr("Explain all stalls together"));
    m_allStalls->setToolTip(
        tr("What is different in all stalls and dips of this run together, against the rest of it"));
    auto* row = new QHBoxLayout;
    row->setSpacing(14);
    row->addWidget(m_zoom);
    row->addWidget(m_next);
    row->addWidget(m_allStalls);
    row->addStretch(1);
    body()->addLayout(row);
    connect(m_zoom, &QPushButton::clicked, this, [this] {
        const std::optional<TimeStretch> stretch = m_correlates ? m_rankedIn : m_shown;
        if (!stretch)
            return;
        emit zoomWanted(stretch->from, stretch->to);
        emit momentWanted(stretch->from);
    });
    connect(m_next, &QPushButton::clicked, this, &MovedCard::nextStall);
    connect(m_allStalls, &QPushButton::clicked, this, &MovedCard::allStalls);
}

void MovedCard::forget()
{
    m_again.stop();
    m_run = -1;
    m_explainedToNs = 0;
    m_shown.reset();
    m_stall.reset();
    m_all = false;
    setCorrelates(false);
}

//! Moving through a replay resets the run that stands there too: what a person chose in it stays.
void MovedCard::onRun()
{
    const std::string session = m_model.session() ? m_model.session()->id : std::string();
    const RunHeader* run = m_model.run();
    if (session != m_session || (run && run->index != m_run))
        forget();
    m_session = session;
    if (run)
        m_run = run->index;
    m_isRanked = false;
    m_again.start(); // when its samples are there
}

void MovedCard::showAgain()
{
    if (m_model.run())
        showStalls();
    else
        forget();
}

void MovedCard::showStalls()
{
    const std::vector<Stall>& stalls = m_model.stalls();
    if (stalls.empty()) {
        m_all = false;
        if (std::exchange(m_stall, std::nullopt))
            m_shown.reset();
        return showMoves();
    }
    if (m_all)
        return showMoves();
    if (stalls.back().tNs >= m_explainedToNs || !m_shown) // a new one
        return explain(stalls.size() - 1);
    if (!m_stall)
        return showMoves();
    explain(stallAt(m_shown->from).value_or(stalls.size() - 1)); // it may have grown
}

void MovedCard::showStall(double seconds)
{
    if (const auto stall = stallAt(seconds)) {
        showChange();
        explain(*stall);
    }
}

std::optional<std::size_t> MovedCard::stallAt(double seconds) const
{
    const std::vector<Stall>& stalls = m_model.stalls();
    for (std::size_t i = stalls.size(); i-- > 0;) { // where one ends as another begins, the later one
        const TimeStretch stretch = stretchOf(stalls[i]);
        if (seconds >= stretch.from && seconds <= stretch.to)
            return i;
    }
    return {};
}

void MovedCard::explain(std::size_t stall)
{
    const std::vector<Stall>& stalls = m_model.stalls();
    m_all = false;
    m_stall = stall;
    m_shown = stretchOf(stalls[stall]);
    m_explainedToNs = std::max(m_explainedToNs, stalls.back().tNs + stalls.back().lengthNs);
    showMoves();
}

void MovedCard::showRange(const TimeStretch& stretch)
{
    m_all = false;
    m_stall.reset();
    m_shown = stretch;
    showChange();
    showMoves();
}

void MovedCard::nextStall()
{
    const std::vector<Stall>& stalls = m_model.stalls();
    if (stalls.empty())
        return;
    explain(m_stall ? (*m_stall + 1) % stalls.size() : 0);
    emit momentWanted(m_shown->from);
}

void MovedCard::allStalls()
{
    if (m_model.stalls().empty())
        return;
    m_all = true;
    showMoves();
}

QString MovedCard::sentence() const
{
    return m_sentence->isVisibleTo(this) ? m_sentence->text() : QString();
}

QString MovedCard::sentenceOf(const std::vector<RunMeasure>& measures, const std::vector<SeriesMove>& moves) const
{
    for (const auto& [from, to] : m_model.starved()) {
        if (!m_all && from < m_shown->to && to > m_shown->from)
            return tr("Other programs kept the load generator from the cores");
    }
    for (const MoveReading& reading : m_model.readings()) {
        for (const SeriesMove& move : moves) {
            const RunMeasure& measure = measures[move.series];
            if (measure.counter < 0 || (move.score > 0) != reading.up)
                continue;
            const CounterInfo& counter = m_model.run()->counters[std::size_t(measure.counter)];
            if (counter.source == reading.source && counter.name == reading.name)
                return qtText(reading.sentence);
        }
    }
    return {};
}

void MovedCard::setCorrelates(bool on)
{
    m_correlates = on;
    (on ? m_byCorrelation : m_byChange)->setChecked(true);
    showMoves();
}

//! Asked for, whatever was ranked before.
void MovedCard::showChange()
{
    m_correlates = false;
    m_byChange->setChecked(true);
}

void MovedCard::showCorrelation(std::optional<TimeStretch> stretch)
{
    if (stretch) { // else what was explained stays behind it
        m_all = false;
        m_stall.reset();
        m_shown = stretch;
    }
    askRanking(stretch);
}

void MovedCard::askRanking(std::optional<TimeStretch> stretch)
{
    m_rankedIn = stretch;
    m_isRanked = false;
    setCorrelates(true);
}

void MovedCard::showMoves()
{
    setVisible(m_shown.has_value() || m_correlates);
    m_byChange->setEnabled(m_shown.has_value());
    if (m_correlates) {
        // Stalls that come while samples do are no reason to rank all series again beside the load.
        if (!m_isRanked || !goesOn())
            rank();
        return;
    }
    m_ranking.cancel();
    m_stopRanking.request_stop();
    if (m_shown)
        showChanges();
}

bool MovedCard::goesOn() const
{
    const RunHeader* run = m_model.run();
    return run && m_model.state() == LiveRunModel::State::Running &&
           std::ranges::none_of(m_model.ended(), [run](const RunSummary& ended) {
               return ended.point == run->point && ended.repeat == run->repeat;
           });
}

//! In the background: thousands of series take their time, which is taken from the load of a run that goes on.
void MovedCard::rank()
{
    m_stopRanking.request_stop();
    m_stopRanking = std::stop_source();
    const RunSeries& series = m_model.series();
    m_isRanked = true;
    m_rankedLive = goesOn();
    const bool whole = !m_rankedIn;
    TimeStretch stretch = m_rankedIn.value_or(TimeStretch{0, std::numeric_limits<double>::infinity()});
    if (whole && m_rankedLive)
        stretch.to = series.time.isEmpty() ? 0 : series.time.last();
    m_chip->setText(std::isinf(stretch.to)
                        ? tr("whole run")
                        : tr("%1 – %2", "from, to").arg(format::clock(stretch.from), format::clock(stretch.to)));
    setTone(m_chip, Tone::Neutral);
    for (QPushButton* button : {m_zoom, m_next, m_allStalls})
        button->setVisible(button == m_zoom && !whole);
    m_nothing->setText(tr("Ranking…")); // nothing of what was shown before stands below the new range
    m_nothing->show();
    m_sentence->hide();
    m_bars->setRows({}, 1);
    std::vector<RunMeasure> measures = m_model.measures();
    // Calls of an operation are throughput by another name.
    std::erase_if(measures, [](const RunMeasure& one) { return one.operation >= 0; });
    std::vector<qsizetype> counted;
    for (qsizetype i = 0; i < series.size(); ++i) {
        if (series.time[i] >= stretch.from && series.time[i] <= stretch.to)
            counted.push_back(i);
    }
    // Copied here, as the next sample would copy all of what is shared; so only as much as a ranking needs.
    const std::size_t step = 1 + (counted.size() - (counted.empty() ? 0 : 1)) / kMostRanked;
    const auto taken = [&](const QVector<double>& of) {
        std::vector<double> some;
        some.reserve(counted.size() / step + 1);
        for (std::size_t i = 0; i < counted.size() && counted[i] < of.size(); i += step)
            some.push_back(of[counted[i]]);
        return some;
    };
    std::vector<std::vector<double>> values;
    for (const RunMeasure& measure : measures)
        values.push_back(taken(measure.values(series)));
    m_ranking.start(
        [values = std::move(values), time = taken(series.time), tps = taken(series.tps), stretch,
         warmup = m_model.warmupSeconds(), stop = m_stopRanking.get_token()] {
            return correlationsWith(time, tps, {values.begin(), values.end()}, stretch, {{0, warmup}}, {}, stop);
        },
        [this, measures = std::move(measures)](const std::vector<SeriesCorrelation>& found) {
            showRanked(found, measures);
        });
}

void MovedCard::showRanked(const std::vector<SeriesCorrelation>& found, const std::vector<RunMeasure>& measures)
{
    std::vector<MoveBars::Row> rows;
    std::size_t most = 0;
    for (const SeriesCorrelation& one : found) {
        if (rows.size() == kMostCorrelated)
            break;
        most = std::max(most, one.pairs);
        const RunMeasure& measure = measures[one.series];
        const QString rho = format::number(one.rho, 2);
        rows.push_back({measure.title, tr("ρ %1", "rank correlation").arg(rho), one.rho, measure.id,
                        (one.rho > 0 ? tr("%1 moves with throughput: ρ %2 over %3 intervals")
                                     : tr("%1 moves against throughput: ρ %2 over %3 intervals"))
                            .arg(measure.title, rho, format::count(qint64(one.pairs)))});
    }
    m_nothing->setText(tr("No series moves with throughput by more than chance, or the time is too short to tell"));
    m_nothing->setVisible(rows.empty());
    m_sentence->setText(tr("Spearman's rank correlation with throughput over %n interval(s). "
                           "What moves with it need not be its cause",
                           nullptr, int(most)));
    m_sentence->setVisible(!rows.empty());
    m_bars->setAccessibleName(tr("Series by their correlation with throughput"));
    m_bars->setRows(std::move(rows), 1);
}

void MovedCard::showChanges()
{
    const std::vector<Stall>& stalls = m_model.stalls();
    const RunSeries& series = m_model.series();
    const std::vector<RunMeasure> measures = m_model.measures();
    std::vector<std::span<const double>> values;
    for (const RunMeasure& measure : measures) {
        if (measure.operation >= 0)
            break; // the last ones: their calls are throughput by another name
        const QVector<double>& of = measure.values(series);
        values.emplace_back(of.constData(), std::size_t(of.size()));
    }
    const std::span<const double> time{series.time.constData(), std::size_t(series.time.size())};
    std::vector<TimeStretch> unusual{{0, m_model.warmupSeconds()}}, stretches;
    for (const Stall& stall : stalls)
        stretches.push_back(stretchOf(stall));
    if (!m_all)
        unusual.insert(unusual.end(), stretches.begin(), stretches.end());
    const std::vector<SeriesMove> moves =
        m_all ? movesInAll(time, values, stretches, unusual) : movesIn(time, values, *m_shown, unusual);
    std::vector<MoveBars::Row> rows;
    const auto isHidden = [&measures](std::size_t one) { return measures[one].hidden; };
    for (const SeriesMove& move : movesToShow(moves, isHidden, kMostMoves, kMostHiddenMoves)) {
        const RunMeasure& measure = measures[move.series];
        rows.push_back(
            {measure.title,
             tr("%1 → %2 %3", "before, during, unit")
                 .arg(movedValue(move.before, measure), movedValue(move.during, measure), measure.unit),
             move.score, measure.id,
             tr("%1: moved by %2 times its usual spread").arg(measure.title, format::rate(std::fabs(move.score)))});
    }
    const QString at = format::clock(m_shown->from);
    const Stall* const one = m_stall && *m_stall < stalls.size() ? &stalls[*m_stall] : nullptr;
    const bool anySlow = std::ranges::any_of(stalls, &Stall::isSlow);
    m_chip->setText(m_all && anySlow ? tr("all %1 stalls, dips and latency stalls").arg(stalls.size())
                    : m_all          ? tr("all %1 stalls and dips").arg(stalls.size())
                    : one            ? tr("%1 at %2", "stall, moment").arg(stallWord(*one), at)
                                     : tr("%1 – %2", "from, to").arg(at, format::clock(m_shown->to)));
    setTone(m_chip, m_all ? Tone::Bad : !one ? Tone::Neutral : one->stalled ? Tone::Bad : Tone::Warn);
    m_zoom->setVisible(!m_all);
    const QString sentence = sentenceOf(measures, moves);
    m_sentence->setText(sentence);
    m_sentence->setVisible(!sentence.isEmpty());
    m_nothing->setText(tr("No series moved beyond its usual spread"));
    m_nothing->setVisible(rows.empty());
    m_bars->setAccessibleName(tr("Series by how far they moved"));
    m_bars->setRows(std::move(rows));
    m_next->setVisible(stalls.size() > (m_stall && !m_all ? 1U : 0U));
    m_allStalls->setVisible(!m_all && stalls.size() > 1);
}

} // namespace dyno
