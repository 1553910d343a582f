// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/measure_plot.h"

#include "format.h"
#include "parts/labels.h"

#include <QActionGroup>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTimer>
#include <QWidgetAction>

#include <algorithm>

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

} // namespace

MeasurePlot::MeasurePlot(int number, int color, QWidget* parent)
    : PlotCard(tr("Server"), {}, parent)
    , m_button(makeButton(QStringLiteral("▾"), "link"))
    , m_none(makeLabel(tr("No server counters for this target"), TextRole::Secondary, this))
{
    setObjectName(QStringLiteral("smallPlot%1").arg(number));
    m_none->setObjectName(QStringLiteral("smallNone%1").arg(number));
    m_none->setWordWrap(true);
    m_none->setAlignment(Qt::AlignCenter);
    body()->addWidget(m_none, 1);
    addSeries(tr("measure"), {.color = color, .width = 1.5});
    m_button->setObjectName(QStringLiteral("smallButton%1").arg(number));
    m_button->setAccessibleName(tr("Choose what small plot %1 shows").arg(number));
    m_button->setToolTip(tr("Choose what this plot shows"));
    m_button->setProperty("small", true); // no taller than a title: the small cards stay in one line
    header()->addWidget(m_button);
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("smallMenu%1").arg(number));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(menu); });
    connect(m_button, &QPushButton::clicked, this,
            [this, menu] { menu->popup(m_button->mapToGlobal(QPoint(0, m_button->height() + 2))); });
    connect(this, &PlotCard::aboutToShowMenu, this, [this](QMenu* context) {
        if (m_measures.empty())
            return;
        context->addSeparator();
        fillMenu(context->addMenu(tr("Show")));
    });
    connect(this, &PlotCard::crosshairMoved, this, &MeasurePlot::showValue);
    update();
}

void MeasurePlot::fillMenu(QMenu* menu)
{
    menu->clear();
    delete menu->findChild<QActionGroup*>(QString(), Qt::FindDirectChildrenOnly);
    auto* group = new QActionGroup(menu);
    addSearch(menu, group);
    for (std::size_t i = 0; i < m_measures.size(); ++i) {
        if (!m_measures[i].hidden || int(i) == m_chosen)
            addEntry(menu, group, int(i));
    }
}

QAction* MeasurePlot::addEntry(QMenu* menu, QActionGroup* group, int measure)
{
    const RunMeasure& one = m_measures[std::size_t(measure)];
    QString text = one.title;
    if (one.name != one.title)
        text = tr("%1 (%2)", "measure, the server's name for it").arg(one.title, one.name);
    QAction* action = menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
    action->setCheckable(true);
    action->setChecked(measure == m_chosen);
    action->setData(one.id);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, id = one.id] { // the measures may be others by then
        const auto found = std::ranges::find(m_measures, id, &RunMeasure::id);
        choose(found == m_measures.end() ? -1 : int(found - m_measures.begin()));
    });
    return action;
}

//! A line above the entries, where there is more than what they offer.
void MeasurePlot::addSearch(QMenu* menu, QActionGroup* group)
{
    const auto hidden = std::ranges::count(m_measures, true, &RunMeasure::hidden);
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
        const auto measure = std::ranges::find(m_measures, action->data().toString(), &RunMeasure::id);
        const bool isFound = measure != m_measures.end() && measure->hidden && !action->isChecked();
        if (isFound)
            delete action; // of the search before
        else
            action->setVisible(fits(action->text()));
    }
    int found = 0;
    for (std::size_t i = 0; i < m_measures.size() && !words.isEmpty() && found < kMostFound; ++i) {
        if (m_measures[i].hidden && int(i) != m_chosen && fits(m_measures[i].name)) {
            addEntry(menu, group, int(i));
            ++found;
        }
    }
    const QList<QAction*> entries = group->actions();
    const auto first = std::ranges::find_if(entries, [](const QAction* action) { return action->isVisible(); });
    if (first != entries.end() && !words.isEmpty())
        menu->setActiveAction(*first); // Enter takes it
}

void MeasurePlot::setMeasures(const std::vector<RunMeasure>& measures, int usual)
{
    m_measures = measures;
    const auto wanted = std::ranges::find(m_measures, m_wanted, &RunMeasure::id);
    m_chosen = wanted != m_measures.end() ? int(wanted - m_measures.begin()) : usual;
    update();
}

const RunMeasure* MeasurePlot::measure() const
{
    return m_chosen < 0 ? nullptr : &m_measures[std::size_t(m_chosen)];
}

void MeasurePlot::choose(int measure)
{
    if (measure < 0 || measure >= int(m_measures.size()))
        return;
    m_wanted = m_measures[std::size_t(measure)].id; // also of the one that is shown: from now on it stays
    if (measure == m_chosen)
        return;
    m_chosen = measure;
    update();
    emit measureChosen();
}

QString MeasurePlot::valueText(double value) const
{
    return m_chosen < 0 ? QString() : format::rate(value) % QLatin1Char(' ') % measure()->unit;
}

void MeasurePlot::showValue()
{
    const std::optional<double> value = m_chosen < 0 ? std::nullopt : crosshairValue(0);
    showInstead(value ? valueText(*value) : QString());
}

void MeasurePlot::update()
{
    const RunMeasure* shown = measure();
    setTitle(shown ? middleCut(shown->title) : tr("Server counters"));
    setSecondary(shown ? shown->unit : QString());
    setToolTip(shown ? tr("%1: %2", "measure, unit").arg(shown->name, shown->unit) : QString());
    if (shown)
        setSeriesName(0, shown->title);
    setYCeiling(shown ? shown->ceiling : 0);
    m_none->setVisible(!shown);
    plot().setVisible(shown != nullptr);
    m_button->setVisible(m_measures.size() > 1);
    showValue();
    plot().setAccessibleName(shown ? tr("%1 over time", "a measure").arg(shown->name) : tr("Server counters: none"));
}

} // namespace dyno
