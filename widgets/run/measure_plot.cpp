// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/measure_plot.h"

#include "format.h"
#include "parts/labels.h"
#include "run/live_run_model.h"

#include <QActionGroup>
#include <QDrag>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QTimer>
#include <QWidgetAction>

#include <algorithm>
#include <utility>

namespace dyno {

namespace {

constexpr int kLongestTitle = 22;        // characters: the card stands beside three others
constexpr int kMeasureSearchWidth = 230; // pixels
constexpr int kMostFound = 25;           // entries that a search adds to the menu

QString middleCut(const QString& text)
{
    if (text.size() <= kLongestTitle)
        return text;
    const int left = kLongestTitle / 2;
    return text.left(left) % QStringLiteral("…") % text.right(kLongestTitle - left - 1);
}

constexpr auto kMoveKeys = Qt::ControlModifier | Qt::ShiftModifier;

} // namespace

QByteArray plotToDrag(const MeasurePlot& plot)
{
    return QByteArray::number(QCoreApplication::applicationPid()) + ':' +
           QByteArray::number(quintptr(static_cast<const void*>(&plot)));
}

QByteArray seriesToDrag(const QStringList& ids)
{
    return ids.join(QChar(u'\0')).toUtf8();
}

QStringList draggedSeries(const QMimeData& data)
{
    return QString::fromUtf8(data.data(QLatin1String(kSeriesMime))).split(QChar(u'\0'), Qt::SkipEmptyParts);
}

MeasurePlot::MeasurePlot(int number, int color, QWidget* parent)
    : PlotCard(tr("Server"), {}, parent)
    , m_measures(std::make_shared<const std::vector<RunMeasure>>())
    , m_button(makeButton(QStringLiteral("▾"), "link"))
    , m_menu(new QMenu(this))
    , m_none(makeLabel({}, TextRole::Secondary, this))
{
    m_none->setWordWrap(true);
    m_none->setAlignment(Qt::AlignCenter);
    body()->addWidget(m_none, 1);
    addSeries(tr("measure"), {.color = color, .width = 1.5});
    m_button->setToolTip(tr("Choose what this plot shows"));
    m_button->setProperty("small", true); // no taller than a title: the small cards stay in one line
    header()->addWidget(m_button);
    connect(m_menu, &QMenu::aboutToShow, this, [this] { fillMenu(m_menu); });
    connect(m_button, &QPushButton::clicked, this,
            [this] { m_menu->popup(m_button->mapToGlobal(QPoint(0, m_button->height() + 2))); });
    connect(this, &PlotCard::aboutToShowMenu, this, [this](QMenu* context) {
        context->addSeparator();
        if (!m_measures->empty())
            fillMenu(context->addMenu(tr("Show")));
        addPlaces(context);
    });
    connect(this, &PlotCard::crosshairMoved, this, &MeasurePlot::showValue);
    setNumber(number);
    update();
}

void MeasurePlot::setNumber(int number)
{
    m_number = number;
    setObjectName(QStringLiteral("smallPlot%1").arg(number));
    m_none->setObjectName(QStringLiteral("smallNone%1").arg(number));
    m_button->setObjectName(QStringLiteral("smallButton%1").arg(number));
    m_button->setAccessibleName(tr("Choose what small plot %1 shows").arg(number));
    m_menu->setObjectName(QStringLiteral("smallMenu%1").arg(number));
}

void MeasurePlot::fillMenu(QMenu* menu)
{
    menu->clear();
    delete menu->findChild<QActionGroup*>(QString(), Qt::FindDirectChildrenOnly);
    auto* group = new QActionGroup(menu);
    addSearch(menu, group);
    for (std::size_t i = 0; i < m_measures->size(); ++i) {
        if (!(*m_measures)[i].hidden || int(i) == m_chosen)
            addEntry(menu, group, int(i), nullptr);
    }
    if (menu != m_menu)
        return; // the menu that holds it has them
    menu->addSeparator()->setObjectName(QStringLiteral("placesBelow"));
    addPlaces(menu);
}

void MeasurePlot::addPlaces(QMenu* menu)
{
    const auto add = [&](const char* name, const QString& text, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(text, this, act);
        action->setObjectName(QLatin1String(name));
        action->setShortcut(keys); // to be read; the plot takes the keys itself
        action->setShortcutContext(Qt::WidgetShortcut);
        return action;
    };
    if (!formulaOf(m_wanted).isEmpty())
        add("plotFormula", tr("Change formula…"), {}, [this] { emit formulaWanted(); });
    add("plotEarlier", tr("Move left"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Left),
        [this] { emit moveWanted(-1); });
    add("plotLater", tr("Move right"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Right),
        [this] { emit moveWanted(1); });
    add("plotRemove", tr("Remove plot"), QKeySequence(Qt::Key_Delete), [this] {
        emit removeWanted();
    })->setEnabled(m_removable);
}

QAction* MeasurePlot::addEntry(QMenu* menu, QActionGroup* group, int measure, QAction* before)
{
    const RunMeasure& one = (*m_measures)[std::size_t(measure)];
    QString text = one.title;
    if (one.name != one.title)
        text = tr("%1 (%2)", "measure, the server's name for it").arg(one.title, one.name);
    auto* action = new QAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")), menu);
    menu->insertAction(before, action);
    action->setCheckable(true);
    action->setChecked(measure == m_chosen);
    action->setData(one.id);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, id = one.id] { // the measures may be others by then
        const auto found = std::ranges::find(*m_measures, id, &RunMeasure::id);
        choose(found == m_measures->end() ? -1 : int(found - m_measures->begin()));
    });
    return action;
}

//! A line above the entries, where there is more than what they offer.
void MeasurePlot::addSearch(QMenu* menu, QActionGroup* group)
{
    const auto hidden =
        std::ranges::count_if(*m_measures, [](const RunMeasure& one) { return one.hidden && one.counter >= 0; });
    if (hidden == 0)
        return;
    auto* search = new QLineEdit;
    search->setObjectName(QStringLiteral("measureSearch"));
    search->setPlaceholderText(tr("Search %n more counter(s)", nullptr, int(hidden)));
    search->setAccessibleName(search->placeholderText());
    search->setMinimumWidth(kMeasureSearchWidth);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(search);
    menu->addAction(action);
    connect(search, &QLineEdit::textChanged, this,
            [this, menu, group](const QString& text) { find(menu, group, text); });
    // An event later the menu is on the screen; the arrow keys go on to it.
    QTimer::singleShot(0, search, [search] { search->setFocus(Qt::PopupFocusReason); });
}

void MeasurePlot::find(QMenu* menu, QActionGroup* group, const QString& text)
{
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto fits = [&words](const QString& name) {
        return std::ranges::all_of(words,
                                   [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
    };
    for (QAction* action : group->actions()) {
        const auto measure = std::ranges::find(*m_measures, action->data().toString(), &RunMeasure::id);
        const bool isFound = measure != m_measures->end() && measure->hidden && !action->isChecked();
        if (isFound)
            delete action; // of the search before
        else
            action->setVisible(fits(action->text()));
    }
    int found = 0;
    auto* below = menu->findChild<QAction*>(QStringLiteral("placesBelow"), Qt::FindDirectChildrenOnly);
    for (std::size_t i = 0; i < m_measures->size() && !words.isEmpty() && found < kMostFound; ++i) {
        const RunMeasure& one = (*m_measures)[i];
        if (one.hidden && int(i) != m_chosen && fits(one.name)) {
            addEntry(menu, group, int(i), below);
            ++found;
        }
    }
    const QList<QAction*> entries = group->actions();
    const auto first = std::ranges::find_if(entries, [](const QAction* action) { return action->isVisible(); });
    if (first != entries.end() && !words.isEmpty())
        menu->setActiveAction(*first); // Enter takes it
}

void MeasurePlot::setMeasures(RunMeasures measures, int usual)
{
    m_measures = std::move(measures);
    const auto wanted = std::ranges::find(*m_measures, m_wanted, &RunMeasure::id);
    m_chosen = !m_wanted.isEmpty() && wanted != m_measures->end() ? int(wanted - m_measures->begin()) : usual;
    update();
}

QWidget& MeasurePlot::chooser() const
{
    return *m_button;
}

const RunMeasure* MeasurePlot::measure() const
{
    return m_chosen < 0 ? nullptr : &(*m_measures)[std::size_t(m_chosen)];
}

void MeasurePlot::choose(int measure)
{
    if (measure < 0 || measure >= int(m_measures->size()))
        return;
    m_wanted = (*m_measures)[std::size_t(measure)].id; // also of the one that is shown: from now on it stays
    m_chosen = measure;
    update();
    emit measureChosen();
}

void MeasurePlot::setInCores(bool on)
{
    if (m_inCores == on)
        return;
    m_inCores = on;
    clearValues();
    update();
}

bool MeasurePlot::isInCores() const
{
    return m_inCores && measure() && measure()->cores > 0;
}

QString MeasurePlot::shownUnit() const
{
    return !measure() ? QString() : isInCores() ? tr("cores") : measure()->unit;
}

double MeasurePlot::shownScale() const
{
    return !measure() ? 1 : isInCores() ? measure()->cores : measure()->scale;
}

double MeasurePlot::ceiling() const
{
    return !measure() || isInCores() ? 0 : measure()->ceiling;
}

void MeasurePlot::clearValues()
{
    graph(0).data()->clear();
    m_drawn = 0;
    m_drawnId.clear();
    m_highest = ceiling();
}

void MeasurePlot::addValues(const RunSeries& series)
{
    const RunMeasure* shown = measure();
    const QString id = shown ? shown->id : QString();
    if (m_drawnId != id)
        clearValues();
    m_drawnId = id;
    if (!shown)
        return;
    const QVector<double>& values = shown->values(series);
    const double scale = shownScale();
    const qsizetype known = shown->formula ? series.size() : std::min(series.size(), values.size());
    for (; m_drawn < known; ++m_drawn) {
        const double value = shown->value(series, m_drawn) * scale;
        graph(0).addData(series.time[m_drawn], value);
        if (value > m_highest)
            m_highest = value;
    }
}

QString MeasurePlot::valueText(double value) const
{
    return m_chosen < 0 ? QString() : format::rate(value) % QLatin1Char(' ') % shownUnit();
}

void MeasurePlot::showValue()
{
    const std::optional<double> value = m_chosen < 0 ? std::nullopt : crosshairValue(0);
    showInstead(value ? valueText(*value) : QString());
}

void MeasurePlot::update()
{
    const RunMeasure* shown = measure();
    const QString problem = shown ? shown->problem : QString();
    const QString missing = m_wanted.section(QStringLiteral(": "), 1);
    // Without any counters of the server a sentence says that instead.
    const bool isServers = m_wanted.startsWith(QStringLiteral("server: "));
    const bool told =
        !isServers || std::ranges::any_of(*m_measures, [](const RunMeasure& one) { return one.counter >= 0; });
    const bool isMissing = !shown && told && !m_measures->empty() && !m_wanted.isEmpty();
    setTitle(shown       ? middleCut(shown->title)
             : isMissing ? middleCut(missing.isEmpty() ? m_wanted : missing)
                         : tr("Counters"));
    setSecondary(shownUnit());
    setToolTip(shown ? tr("%1: %2", "measure, unit").arg(shown->name, shownUnit()) : QString());
    if (shown)
        setSeriesName(0, shown->title);
    setYCeiling(ceiling());
    m_none->setText(!problem.isEmpty() ? problem
                    : isMissing        ? tr("Not measured in this run")
                                       : tr("No server counters for this target"));
    const bool draws = shown && problem.isEmpty();
    m_none->setVisible(!draws);
    plot().setVisible(draws);
    m_button->setVisible(m_measures->size() > 1);
    showValue();
    plot().setAccessibleName(shown ? tr("%1 over time", "a measure").arg(shown->name) : tr("Server counters: none"));
}

void MeasurePlot::mousePressEvent(QMouseEvent* event)
{
    m_pressed.reset();
    const int headEnd = plot().isVisibleTo(this) ? plot().y() : m_none->y();
    if (event->button() == Qt::LeftButton && event->position().y() < headEnd)
        m_pressed = event->position().toPoint();
    event->accept();
}

void MeasurePlot::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressed && (event->position().toPoint() - *m_pressed).manhattanLength() >= QApplication::startDragDistance())
        startDrag();
}

void MeasurePlot::mouseReleaseEvent(QMouseEvent*)
{
    m_pressed.reset();
}

void MeasurePlot::startDrag()
{
    const QPoint hot = *std::exchange(m_pressed, {});
    auto* dragged = new QMimeData;
    dragged->setData(QLatin1String(kPlotMime), plotToDrag(*this));
    auto* drag = new QDrag(window()); // the plot may go meanwhile
    drag->setMimeData(dragged);
    drag->setPixmap(grab());
    drag->setHotSpot(hot);
    drag->exec(Qt::MoveAction);
}

void MeasurePlot::keyPressEvent(QKeyEvent* event)
{
    const bool move = event->modifiers() == kMoveKeys;
    if (move && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right))
        emit moveWanted(event->key() == Qt::Key_Right ? 1 : -1);
    else if (event->key() == Qt::Key_Delete && event->modifiers() == Qt::NoModifier && m_removable)
        emit removeWanted();
    else
        PlotCard::keyPressEvent(event);
}

} // namespace dyno
