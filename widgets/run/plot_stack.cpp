// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plot_stack.h"

#include "parts/commands.h"
#include "parts/field.h"
#include "parts/scroll_area.h"
#include "plots/formula_dialog.h"
#include "qt_text.h"
#include "run/live_run_model.h"

#include <QDragEnterEvent>
#include <QGridLayout>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QSettings>
#include <QWidgetAction>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace dyno {

namespace {

constexpr std::array kSmallColors{2, 4, 3, 1}; //!< of the lines, in turn
constexpr int kFourAbreast = 800;              //!< pixels: narrower ones stand two by two,
constexpr int kTwoAbreast = 380;               //!< or one below the other
constexpr int kTallestPlot = 170;
constexpr int kLeastPlot = 124;
constexpr int kPlotRowHeight = 140; //!< of several rows
constexpr int kDrawEveryMs = 250;
constexpr std::size_t kMostForNow = 4;
constexpr double kEdgeShare = 0.2; //!< of a plot: what is dropped there goes beside it

//! In QSettings.
QString keyOfPlots(const std::string& driver)
{
    return QStringLiteral("runPlots/%1/series").arg(qtText(driver));
}

QString keyOfAxis(const std::string& driver)
{
    return QStringLiteral("runPlots/%1/oneAxis").arg(qtText(driver));
}

QStringList usualPlots()
{
    QStringList ids;
    for (std::size_t i = 0; i < PlotStack::kUsual; ++i)
        ids << QStringLiteral("");
    return ids;
}

} // namespace

DropMark::DropMark(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("dropMark"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropMark::showAt(const QRect& place, bool isLine)
{
    m_isLine = isLine;
    setGeometry(place);
    raise();
    show();
    update();
}

void DropMark::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor accent = Theme::instance().colors().accent;
    if (m_isLine) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(accent);
        painter.drawRoundedRect(rect(), 1.5, 1.5);
        return;
    }
    constexpr int kTint = 26;
    painter.setPen(QPen(accent, 2));
    painter.setBrush(QColor(accent.red(), accent.green(), accent.blue(), kTint));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), space::cardRadius, space::cardRadius);
}

PlotStack::PlotStack(const LiveRunModel& model, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_measures(std::make_shared<const std::vector<RunMeasure>>())
    , m_facts(new ElidedLabel({}, TextRole::Secondary))
    , m_menu(new QMenu(this))
    , m_head(new QWidget)
    , m_content(new QWidget)
    , m_grid(new QGridLayout(m_content))
    , m_scroll(scrollArea(m_content, QStringLiteral("plotScroll")))
    , m_dropMark(new DropMark(m_content))
{
    setObjectName(QStringLiteral("plotStack"));
    setAccessibleName(tr("Small plots"));
    setAcceptDrops(true);
    m_scroll->setAccessibleName(tr("Small plots"));
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::cardGap);
    buildHead();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::grid);
    column->addWidget(m_head);
    column->addWidget(m_scroll, 1);
    m_pace.setSingleShot(true);
    m_pace.setInterval(kDrawEveryMs);
    connect(&m_pace, &QTimer::timeout, this, [this] {
        if (std::exchange(m_isStale, false))
            drawSoon();
    });
    makePlots(usualPlots());
    showMeasures();
    updateHead();
}

void PlotStack::buildHead()
{
    auto* row = new QHBoxLayout(m_head);
    row->setContentsMargins(2, 0, 2, 0);
    row->setSpacing(16);
    m_facts->setObjectName(QStringLiteral("plotFacts"));
    row->addWidget(m_facts, 1);
    m_menu->setObjectName(QStringLiteral("plotsMenu"));
    connect(m_menu, &QMenu::aboutToShow, this, &PlotStack::fillMenu);
    QAction* choose = addCommand(this, {QStringLiteral("runPlotsCommand"),
                                        tr("Show…", "plots"),
                                        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)},
                                        tr("Show plots of one subject, or the usual ones"),
                                        {},
                                        Qt::WindowShortcut});
    makeCommand(choose, tr("Show plots by subject…"));
    QPushButton* button = buttonFor(choose, QStringLiteral("plotsChoose"), "link");
    button->setAccessibleName(tr("Show plots by subject"));
    connect(choose, &QAction::triggered, this,
            [this, button] { m_menu->popup(button->mapToGlobal(QPoint(0, button->height() + 2))); });
    row->addWidget(button);
    QAction* series = addCommand(this, {QStringLiteral("runSeriesCommand"),
                                        tr("Series"),
                                        {QKeySequence(Qt::CTRL | Qt::Key_L)},
                                        tr("All series of the run, to be added as plots"),
                                        {},
                                        Qt::WindowShortcut});
    makeCommand(series, tr("Show all series of the run"));
    connect(series, &QAction::triggered, this, &PlotStack::seriesWanted);
    row->addWidget(buttonFor(series, QStringLiteral("plotsSeries"), "link"));
    addCommand(this, {QStringLiteral("runUsualPlotsCommand"), tr("Show the usual plots"), {}}, [this] { showUsual(); });
}

std::vector<PlotPreset> PlotStack::presets() const
{
    return m_model.run() ? presetsOf(*m_measures, m_model.run()->counters, m_model.driver(), kMost)
                         : std::vector<PlotPreset>();
}

void PlotStack::fillMenu()
{
    m_menu->clear();
    const std::vector<PlotPreset> all = presets();
    for (const bool ofDriver : {true, false}) {
        if (std::ranges::find(all, ofDriver, &PlotPreset::ofDriver) == all.end())
            continue;
        auto* heading = new QWidgetAction(m_menu);
        QLabel* label = makeLabel(ofDriver ? tr("Server") : tr("Any run"), TextRole::Label);
        label->setContentsMargins(12, 6, 12, 2);
        heading->setDefaultWidget(label);
        heading->setEnabled(false);
        m_menu->addAction(heading);
        for (const PlotPreset& preset : all) {
            if (preset.ofDriver != ofDriver)
                continue;
            QString text = preset.title;
            QAction* action = m_menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")), this,
                                                [this, preset] { showPreset(preset); });
            action->setObjectName(QStringLiteral("preset"));
            action->setCheckable(true);
            action->setChecked(!m_title.isEmpty() && m_title == preset.title);
        }
    }
    m_menu->addSeparator();
    QAction* formula = m_menu->addAction(tr("Add a formula…"), this, [this] { askForFormula(); });
    formula->setObjectName(QStringLiteral("plotsFormula"));
    formula->setEnabled(m_model.run() && m_plots.size() < kMost);
    m_menu->addAction(tr("Usual plots"), this, &PlotStack::showUsual)->setObjectName(QStringLiteral("plotsUsual"));
    QAction* before = m_menu->addAction(tr("Previous plots"), this, &PlotStack::showBefore);
    before->setObjectName(QStringLiteral("plotsBefore"));
    before->setEnabled(m_before.has_value());
}

QStringList PlotStack::wanted() const
{
    QStringList ids;
    for (const MeasurePlot* plot : m_plots)
        ids << plot->wanted();
    return ids;
}

QStringList PlotStack::chosen() const
{
    QStringList ids = wanted();
    ids.removeIf([this](const QString& id) { return m_forNow.contains(id); });
    return ids;
}

PlotStack::Choice PlotStack::choice() const
{
    return {chosen(), m_oneAxis, m_title};
}

MeasurePlot* PlotStack::makePlot()
{
    auto* plot =
        new MeasurePlot(int(m_plots.size()) + 1, kSmallColors[std::size_t(m_made++) % kSmallColors.size()], m_content);
    plot->setCompact(true);
    plot->setMinimumWidth(150); // the title makes do with what there is
    plot->setMaximumHeight(kTallestPlot);
    plot->setInCores(m_oneAxis);
    connect(plot, &MeasurePlot::measureChosen, this, [this, plot] {
        m_forNow.removeIf([this, plot](const QString& id) { return id == plot->wanted() || !wanted().contains(id); });
        refill(*plot);
        changedByPerson();
    });
    // Not while one of its own events is under way.
    connect(
        plot, &MeasurePlot::removeWanted, this, [this, plot] { remove(placeOf(*plot)); }, Qt::QueuedConnection);
    connect(plot, &MeasurePlot::formulaWanted, this, [this, plot] { askForFormula(placeOf(*plot)); });
    connect(plot, &MeasurePlot::moveWanted, this, [this, plot](int by) {
        const auto from = std::ptrdiff_t(placeOf(*plot)), to = from + by;
        if (to >= 0 && to < std::ptrdiff_t(m_plots.size()))
            move(std::size_t(from), std::size_t(to));
    });
    return plot;
}

//! As many plots as ids; what they show follows from showMeasures().
void PlotStack::makePlots(const QStringList& ids)
{
    while (m_plots.size() > std::size_t(ids.size())) {
        delete m_plots.back();
        m_plots.pop_back();
    }
    std::vector<MeasurePlot*> added;
    while (m_plots.size() < std::size_t(ids.size())) {
        m_plots.push_back(makePlot());
        added.push_back(m_plots.back());
    }
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        m_plots[i]->want(ids[qsizetype(i)]);
        m_plots[i]->setInCores(m_oneAxis);
    }
    renumber();
    for (MeasurePlot* plot : added)
        emit plotAdded(plot);
}

void PlotStack::renumber()
{
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        m_plots[i]->setNumber(int(i) + 1);
        m_plots[i]->setRemovable(m_plots.size() > 1);
    }
    QWidget* last = nullptr;
    for (MeasurePlot* plot : m_plots) {
        for (QWidget* part : {static_cast<QWidget*>(&plot->chooser()), static_cast<QWidget*>(&plot->plot())}) {
            if (last)
                QWidget::setTabOrder(last, part);
            last = part;
        }
    }
    arrange();
}

int PlotStack::columns() const
{
    const int room = width();
    return room >= kFourAbreast ? 4 : room >= kTwoAbreast ? 2 : 1;
}

void PlotStack::arrange()
{
    const int before = std::exchange(m_rows, 0);
    while (QLayoutItem* item = m_grid->takeAt(0))
        delete item;
    m_arrangedColumns = columns();
    // A few plots share the width, so that none stands in a quarter of it alone.
    const int count = int(m_plots.size());
    const int across = std::min(m_arrangedColumns, count);
    for (int i = 0; i < 4; ++i)
        m_grid->setColumnStretch(i, i < across ? 1 : 0);
    m_rows = (count + across - 1) / std::max(1, across);
    const bool several = m_rows > 1;
    for (int i = 0; i < count; ++i) {
        m_plots[std::size_t(i)]->setMinimumHeight(several ? kPlotRowHeight : kLeastPlot);
        m_grid->addWidget(m_plots[std::size_t(i)], i / across, i % across);
        m_plots[std::size_t(i)]->show();
    }
    m_scroll->setMinimumHeight(several ? kPlotRowHeight : kLeastPlot);
    const int room = m_head->sizeHint().height() + space::grid;
    setMaximumHeight(several ? m_rows * (kTallestPlot + space::cardGap) + room : kTallestPlot + room);
    if (before != m_rows)
        emit rowsChanged();
}

std::size_t PlotStack::placeOf(const MeasurePlot& plot) const
{
    return std::size_t(std::ranges::find(m_plots, &plot) - m_plots.begin());
}

void PlotStack::show(const Choice& choice)
{
    m_oneAxis = choice.oneAxis;
    m_title = choice.title;
    m_forNow.clear();
    makePlots(choice.ids);
    showMeasures();
    updateHead();
}

void PlotStack::addFormulas()
{
    QStringList missing = wanted();
    missing.removeIf([this](const QString& id) {
        return formulaOf(id).isEmpty() || std::ranges::find(*m_measures, id, &RunMeasure::id) != m_measures->end();
    });
    if (missing.isEmpty() || !m_model.run())
        return;
    auto all = std::make_shared<std::vector<RunMeasure>>(*m_measures);
    for (const QString& id : missing)
        all->push_back(measureOfFormula(id, m_model.run()->counters, m_model.run()->operations));
    m_measures = std::move(all);
}

void PlotStack::askForFormula(std::optional<std::size_t> place)
{
    if (!m_model.run())
        return;
    FormulaFigures figures;
    for (const CounterInfo& counter : m_model.run()->counters)
        figures.counters.push_back(counterPart(counter));
    for (const std::string& id : figuresOverTime())
        figures.measures.push_back(*findMeasure(id));
    figures.problem = [operations = m_model.run()->operations](const std::string& measure) {
        return figureProblem(measure, operations);
    };
    const MeasurePlot* plot = place && *place < m_plots.size() ? m_plots[*place] : nullptr;
    auto* dialog = new FormulaDialog(figures, plot ? formulaOf(plot->wanted()) : QString(), this);
    connect(dialog, &FormulaDialog::formulaChosen, this,
            [this, id = plot ? plot->wanted() : QString()](const QString& text) {
                // The plots may be others by now.
                const auto shown = std::ranges::find(m_plots, id, &MeasurePlot::wanted);
                const bool isElsewhere = wanted().contains(idOfFormula(text));
                if (!isElsewhere && !id.isEmpty() && shown != m_plots.end())
                    replace(std::size_t(shown - m_plots.begin()), {idOfFormula(text)});
                else
                    add({idOfFormula(text)}); // the plot that shows it, where there is one
            });
    dialog->open();
}

//! What a person chose for a plot stays where it is; the others show the first measures that are left.
void PlotStack::showMeasures()
{
    addFormulas();
    const std::vector<RunMeasure>& measures = *m_measures;
    const QStringList ids = wanted();
    const auto offered = std::size_t(std::ranges::find(measures, true, &RunMeasure::hidden) - measures.begin());
    std::size_t next = 0;
    for (MeasurePlot* plot : m_plots) {
        int usual = -1;
        if (plot->wanted().isEmpty()) {
            while (next < offered && ids.contains(measures[next].id))
                ++next;
            usual = next < offered ? int(next++) : -1;
        }
        plot->setMeasures(m_measures, usual);
        plot->addValues(m_model.series());
        plot->markDirty();
    }
    fitAxes();
}

void PlotStack::refill(MeasurePlot& plot)
{
    plot.addValues(m_model.series());
    plot.markDirty();
    fitAxes();
}

//! Plots that are compared have one axis, as far as they have one unit.
void PlotStack::fitAxes()
{
    if (!m_oneAxis)
        return;
    std::map<QString, double> highest;
    for (const MeasurePlot* plot : m_plots)
        highest[plot->secondary()] = std::max(highest[plot->secondary()], plot->highest());
    for (MeasurePlot* plot : m_plots)
        plot->setYCeiling(highest[plot->secondary()]);
}

void PlotStack::beginRun()
{
    m_measures = std::make_shared<const std::vector<RunMeasure>>(m_model.measures());
    for (MeasurePlot* plot : m_plots)
        plot->clearValues();
    if (m_model.run() && m_model.driver() != m_driver) {
        m_driver = m_model.driver();
        m_before.reset();
        load();
    }
    showMeasures();
}

void PlotStack::append()
{
    for (MeasurePlot* plot : m_plots)
        plot->addValues(m_model.series());
    fitAxes();
    drawSoon();
}

void PlotStack::markDirty()
{
    for (MeasurePlot* plot : m_plots)
        plot->markDirty();
}

void PlotStack::drawSoon()
{
    if (m_pace.isActive()) {
        m_isStale = true;
        return;
    }
    markDirty();
    m_pace.start();
}

void PlotStack::add(const QStringList& ids, std::size_t place)
{
    const qsizetype before = m_forNow.size();
    m_forNow.removeIf([&ids](const QString& id) { return ids.contains(id); }); // chosen now
    const QStringList fresh = addFresh(ids, place);
    const auto left = std::ranges::count_if(fresh, [all = wanted()](const QString& id) { return !all.contains(id); });
    if (left < fresh.size() || m_forNow.size() != before)
        changedByPerson();
    if (left > 0)
        updateHead(tr("At most %1 plots: %n series not added", nullptr, int(left)).arg(kMost));
}

void PlotStack::addForNow(const QStringList& ids)
{
    const QStringList before = wanted();
    addFresh(ids.mid(0, qsizetype(kMostForNow)), kMost);
    for (const QString& id : wanted()) {
        if (!before.contains(id))
            m_forNow << id;
    }
    const auto left = std::ranges::count_if(ids, [this](const QString& id) { // a plot without a choice may show one
        return std::ranges::none_of(m_plots, [&id](const MeasurePlot* plot) {
            return (plot->measure() ? plot->measure()->id : plot->wanted()) == id;
        });
    });
    updateHead(left > 0 ? tr("%n more added series: choose them under Series", nullptr, int(left)) : QString());
}

void PlotStack::keepForNow(const QStringList& ids)
{
    QStringList gone = m_forNow;
    gone.removeIf([&ids](const QString& id) { return ids.contains(id); });
    if (gone.isEmpty())
        return;
    m_forNow.removeIf([&gone](const QString& id) { return gone.contains(id); });
    for (std::size_t i = m_plots.size(); i-- > 0;) {
        if (gone.contains(m_plots[i]->wanted()) && m_plots.size() > 1) {
            delete m_plots[i];
            m_plots.erase(m_plots.begin() + std::ptrdiff_t(i));
        }
    }
    renumber();
    showMeasures();
    updateHead();
}

QStringList PlotStack::addFresh(const QStringList& ids, std::size_t place)
{
    QStringList fresh;
    MeasurePlot* known = nullptr; //!< a plot of one of them
    for (const QString& id : ids) {
        const auto shown = std::ranges::find(m_plots, id, [](const MeasurePlot* plot) {
            return plot->measure() ? plot->measure()->id : plot->wanted();
        });
        if (shown != m_plots.end())
            known = *shown;
        else if (!fresh.contains(id))
            fresh << id;
    }
    if (fresh.isEmpty() && known)
        m_scroll->ensureWidgetVisible(known, 0, 0);
    const QStringList taken = fresh.mid(0, qsizetype(kMost - m_plots.size()));
    const auto before = std::ptrdiff_t(m_plots.size()), at = std::min(std::ptrdiff_t(place), before);
    // New ones are made at the end and put in their place, so that the others keep their colours and stay as they are.
    if (!taken.isEmpty()) {
        makePlots(wanted() + taken);
        std::rotate(m_plots.begin() + at, m_plots.begin() + before, m_plots.end());
        renumber();
        showMeasures();
        MeasurePlot* first = m_plots[std::size_t(at)];
        QTimer::singleShot(0, first, [this, first] { m_scroll->ensureWidgetVisible(first, 0, 0); });
    }
    return fresh;
}

void PlotStack::replace(std::size_t place, const QStringList& ids)
{
    if (ids.isEmpty() || place >= m_plots.size())
        return;
    keepShown(0, m_plots.size());
    m_forNow.removeIf([&](const QString& id) { return id == m_plots[place]->wanted() || ids.contains(id); });
    m_plots[place]->want(ids.first());
    showMeasures();
    changedByPerson();
    if (ids.size() > 1)
        add(ids.mid(1), place + 1);
}

//! What a usual plot shows follows from its place and its neighbours: these show from now on what they show now.
void PlotStack::keepShown(std::size_t from, std::size_t to)
{
    for (std::size_t i = from; i < to; ++i) {
        if (m_plots[i]->measure())
            m_plots[i]->want(m_plots[i]->measure()->id);
    }
}

void PlotStack::remove(std::size_t place)
{
    if (place >= m_plots.size() || m_plots.size() == 1)
        return;
    keepShown(0, m_plots.size());
    const bool hadFocus = m_plots[place]->isAncestorOf(QApplication::focusWidget());
    m_forNow.removeAll(m_plots[place]->wanted());
    delete m_plots[place];
    m_plots.erase(m_plots.begin() + std::ptrdiff_t(place));
    renumber();
    showMeasures();
    changedByPerson();
    if (hadFocus) // goes on with the keyboard
        m_plots[std::min(place, m_plots.size() - 1)]->plot().setFocus(Qt::OtherFocusReason);
}

void PlotStack::move(std::size_t from, std::size_t to)
{
    if (from == to || from >= m_plots.size() || to >= m_plots.size())
        return;
    keepShown(std::min(from, to), std::max(from, to) + 1);
    MeasurePlot* plot = m_plots[from];
    m_plots.erase(m_plots.begin() + std::ptrdiff_t(from));
    m_plots.insert(m_plots.begin() + std::ptrdiff_t(to), plot);
    renumber();
    showMeasures();
    changedByPerson();
    m_scroll->ensureWidgetVisible(plot, 0, 0);
}

void PlotStack::showPreset(const PlotPreset& preset)
{
    if (m_title.isEmpty()) // from one preset to the next: back is still what it was
        m_before = choice();
    show({preset.ids.mid(0, qsizetype(kMost)), preset.oneAxis, preset.title}); // kept is what a person made
}

void PlotStack::showUsual()
{
    if (m_title.isEmpty() && chosen() != usualPlots())
        m_before = choice();
    show({usualPlots(), false, {}});
    save();
}

void PlotStack::showBefore()
{
    if (!m_before)
        return;
    const Choice before = *std::exchange(m_before, {});
    show(before);
    save();
}

void PlotStack::changedByPerson()
{
    m_title.clear();
    updateHead();
    save();
}

void PlotStack::load()
{
    const QSettings settings;
    QStringList ids = settings.value(keyOfPlots(m_driver)).toStringList();
    ids = ids.mid(0, qsizetype(kMost)); // it may be written by hand
    if (ids.isEmpty())
        return show({usualPlots(), false, {}});
    show({ids, settings.value(keyOfAxis(m_driver)).toBool(), {}});
}

void PlotStack::save() const
{
    if (m_driver.empty())
        return;
    QSettings settings;
    const QStringList ids = chosen();
    const bool usual = ids == usualPlots() && !m_oneAxis;
    if (usual) {
        settings.remove(keyOfPlots(m_driver));
        settings.remove(keyOfAxis(m_driver));
        return;
    }
    settings.setValue(keyOfPlots(m_driver), ids);
    settings.setValue(keyOfAxis(m_driver), m_oneAxis);
}

void PlotStack::updateHead(const QString& note)
{
    const bool usual = wanted() == usualPlots();
    QString text = !m_title.isEmpty() ? m_title
                   : usual            ? tr("Usual plots")
                                      : tr("%n plot(s)", nullptr, int(m_plots.size()));
    if (m_oneAxis)
        text = dotted({text, tr("one y axis")});
    m_facts->setText(note.isEmpty() ? text : note);
}

void PlotStack::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (columns() != m_arrangedColumns)
        arrange();
}

PlotStack::DropPlace PlotStack::dropPlace(const QPoint& at, bool isPlot) const
{
    const QPoint in = m_content->mapFrom(this, at);
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        const QRect place = m_plots[i]->geometry();
        if (!place.adjusted(-space::cardGap / 2, -space::cardGap / 2, space::cardGap / 2, space::cardGap / 2)
                 .contains(in))
            continue;
        const double along = double(in.x() - place.left()) / std::max(1, place.width());
        if (isPlot)
            return {along < 0.5 ? i : i + 1, false};
        if (along < kEdgeShare)
            return {i, false};
        return along > 1 - kEdgeShare ? DropPlace{i + 1, false} : DropPlace{i, true};
    }
    return {m_plots.size(), false};
}

void PlotStack::showDropMark(const DropPlace& place)
{
    if (place.replaces)
        return m_dropMark->showAt(m_plots[place.place]->geometry(), false);
    constexpr int kLine = 3;
    const bool atEnd = place.place >= m_plots.size();
    const QRect beside = m_plots[atEnd ? m_plots.size() - 1 : place.place]->geometry();
    const int x = atEnd ? beside.right() + 1 + space::cardGap / 2 - kLine : beside.left() - space::cardGap / 2 - 1;
    m_dropMark->showAt({std::clamp(x, 0, m_content->width() - kLine), beside.top(), kLine, beside.height()}, true);
}

void PlotStack::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasFormat(QLatin1String(kSeriesMime)) ||
        event->mimeData()->hasFormat(QLatin1String(kPlotMime)))
        event->acceptProposedAction();
}

void PlotStack::dragMoveEvent(QDragMoveEvent* event)
{
    showDropMark(dropPlace(event->position().toPoint(), event->mimeData()->hasFormat(QLatin1String(kPlotMime))));
    event->acceptProposedAction();
}

void PlotStack::dragLeaveEvent(QDragLeaveEvent*)
{
    m_dropMark->hide();
}

void PlotStack::dropEvent(QDropEvent* event)
{
    m_dropMark->hide();
    const bool isPlot = event->mimeData()->hasFormat(QLatin1String(kPlotMime));
    const DropPlace place = dropPlace(event->position().toPoint(), isPlot);
    event->acceptProposedAction();
    if (isPlot) {
        // One that is still here: it may have gone since the drag began, or be of another window.
        const QByteArray dragged = event->mimeData()->data(QLatin1String(kPlotMime));
        const auto found =
            std::ranges::find_if(m_plots, [&](const MeasurePlot* plot) { return plotToDrag(*plot) == dragged; });
        const auto from = std::size_t(found - m_plots.begin());
        if (from < m_plots.size())
            move(from, std::min(place.place > from ? place.place - 1 : place.place, m_plots.size() - 1));
        return;
    }
    const QStringList ids = draggedSeries(*event->mimeData());
    place.replaces ? replace(place.place, ids) : add(ids, place.place);
}

} // namespace dyno
