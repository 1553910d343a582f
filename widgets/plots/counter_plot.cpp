// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/counter_plot.h"

#include "format.h"
#include "parts/labels.h"
#include "qt_text.h"

#include <QActionGroup>
#include <QLabel>
#include <QMenu>

namespace dyno {

namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr int kLongestTitle = 24; // characters: the card stands beside three others

//! What the server does not tell itself says whose it is.
QString nameOf(const CounterInfo& counter)
{
    if (counter.source == kProcessSource)
        return CounterPlot::tr("server process: %1").arg(qtText(counter.name));
    if (counter.source.ends_with(kOfProcess)) // of a proxy
        return CounterPlot::tr("%1: %2", "process, its counter")
            .arg(qtText(counter.source.substr(0, counter.source.size() - kOfProcess.size())), qtText(counter.name));
    return qtText(counter.name);
}

QString middleCut(const QString& text)
{
    if (text.size() <= kLongestTitle)
        return text;
    const int left = kLongestTitle / 2;
    return text.left(left) % QStringLiteral("…") % text.right(kLongestTitle - left - 1);
}

} // namespace

CounterPlot::CounterPlot(QWidget* parent)
    : PlotCard(tr("Server"), {}, parent)
    , m_button(makeButton(QStringLiteral("▾"), "link"))
    , m_none(makeLabel({}, TextRole::Secondary, this))
{
    m_none->setObjectName(QStringLiteral("counterNone"));
    m_none->setWordWrap(true);
    m_none->setAlignment(Qt::AlignCenter);
    body()->addWidget(m_none, 1);
    addSeries(tr("counter"), {.color = 5, .width = 1.5});
    m_button->setObjectName(QStringLiteral("counterButton"));
    m_button->setAccessibleName(tr("Choose the server's counter"));
    m_button->setToolTip(tr("Choose a server counter"));
    m_button->setMaximumHeight(20); // no taller than a title: the four small cards stay in one line
    header()->addWidget(m_button);
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("counterMenu"));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(menu); });
    connect(m_button, &QPushButton::clicked, this,
            [this, menu] { menu->popup(m_button->mapToGlobal(QPoint(0, m_button->height() + 2))); });
    connect(this, &PlotCard::aboutToShowMenu, this, [this](QMenu* context) {
        if (m_counters.empty())
            return;
        context->addSeparator();
        fillMenu(context->addMenu(tr("Counter")));
    });
    update();
}

void CounterPlot::fillMenu(QMenu* menu)
{
    menu->clear();
    auto* group = new QActionGroup(menu);
    for (std::size_t i = 0; i < m_counters.size(); ++i) {
        QAction* action = menu->addAction(nameOf(m_counters[i]).replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(int(i) == m_chosen);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, i] { choose(int(i)); });
    }
}

void CounterPlot::setCounters(const std::vector<CounterInfo>& counters)
{
    m_counters = counters;
    m_chosen = m_counters.empty() ? -1 : 0;
    for (std::size_t i = 0; i < m_counters.size(); ++i) {
        if (m_counters[i].name == m_wanted)
            m_chosen = int(i);
    }
    update();
}

void CounterPlot::choose(int counter)
{
    if (counter < 0 || counter >= int(m_counters.size()) || counter == m_chosen)
        return;
    m_chosen = counter;
    m_wanted = m_counters[std::size_t(counter)].name;
    update();
    emit counterChosen();
}

QString CounterPlot::counterName() const
{
    return m_chosen < 0 ? QString() : nameOf(m_counters[std::size_t(m_chosen)]);
}

QString CounterPlot::unitText() const
{
    if (m_chosen < 0)
        return {};
    const CounterInfo& counter = m_counters[std::size_t(m_chosen)];
    const QString unit = counter.unit == "bytes" ? QStringLiteral("MiB") : qtText(counter.unit);
    return counter.rate ? tr("%1/s", "unit of a rate").arg(unit) : unit;
}

double CounterPlot::scaled(double value) const
{
    const bool bytes = m_chosen >= 0 && m_counters[std::size_t(m_chosen)].unit == "bytes";
    return bytes ? value / kMiB : value;
}

QString CounterPlot::valueText(double value) const
{
    return format::rate(value) % QLatin1Char(' ') % unitText();
}

void CounterPlot::update()
{
    const bool any = m_chosen >= 0;
    setTitle(any ? middleCut(counterName()) : tr("Server counters"));
    setSecondary(any ? unitText() : QString());
    setToolTip(any ? tr("%1: %2", "counter, unit").arg(counterName(), unitText()) : QString());
    m_none->setText(tr("No server counters for this target"));
    m_none->setVisible(!any);
    plot().setVisible(any);
    m_button->setVisible(m_counters.size() > 1);
    plot().setAccessibleName(any ? tr("Server counter %1").arg(counterName()) : tr("Server counters: none"));
}

} // namespace dyno
