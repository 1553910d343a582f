// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/choice_pill.h"

#include "parts/labels.h"
#include "theme.h"

#include <QActionGroup>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScreen>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QTimer>
#include <QWidgetAction>

#include <algorithm>

namespace dyno {

namespace {
// Pixels.
constexpr int kLongestValue = 220;
constexpr int kSide = 12; //!< left and right of the text
constexpr int kGap = 6;   //!< between name, value and arrow
constexpr int kArrow = 14;
constexpr std::size_t kMostUnsearched = 12; //!< choices; above more of them stands a line to search in
} // namespace

ChoicePill::ChoicePill(const QString& name, const QString& objectName, const QString& toolTip, QWidget* parent)
    : QPushButton(parent)
    , m_name(name)
    , m_menu(new QMenu(this))
{
    setObjectName(objectName);
    setRole(this, "choice");
    setToolTip(toolTip);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_menu->setObjectName(objectName % QStringLiteral("Menu"));
    connect(m_menu, &QMenu::aboutToShow, this, &ChoicePill::fillMenu);
    // popup() returns at once; setMenu() would draw its own arrow.
    connect(this, &QPushButton::clicked, this, [this] { m_menu->popup(mapToGlobal(QPoint(0, height() + 2))); });
    updateText();
}

void ChoicePill::setChoices(std::vector<Choice> choices)
{
    const QString before = current();
    m_choices = std::move(choices);
    m_current = m_choices.empty() ? -1 : 0;
    setCurrent(before);
    setEnabled(m_choices.size() > 1);
    if (m_host && m_menu->isEmpty())
        fillMenu(); // an entry without choices would not open
    updateText();
}

void ChoicePill::moveInto(QMenu* host)
{
    QPushButton::setVisible(false);
    m_host = host;
    if (m_menu->isEmpty())
        fillMenu();
    host->addMenu(m_menu);
    updateText();
}

bool ChoicePill::isOffered() const
{
    return m_host ? m_menu->menuAction()->isVisible() : isVisible();
}

void ChoicePill::setVisible(bool visible)
{
    if (m_host)
        m_menu->menuAction()->setVisible(visible);
    else
        QPushButton::setVisible(visible);
}

void ChoicePill::setCurrent(const QString& id)
{
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (m_choices[i].id == id)
            m_current = int(i);
    }
    updateText();
}

QString ChoicePill::current() const
{
    return m_current < 0 ? QString() : m_choices[std::size_t(m_current)].id;
}

QString ChoicePill::usual() const
{
    if (m_usual && std::ranges::find(m_choices, *m_usual, &Choice::id) != m_choices.end())
        return *m_usual;
    return m_choices.empty() ? QString() : m_choices.front().id;
}

void ChoicePill::choose(int index)
{
    if (index < 0 || index >= int(m_choices.size()) || index == m_current)
        return;
    m_current = index;
    updateText();
    emit chosen(current());
}

void ChoicePill::fillMenu()
{
    m_menu->clear();
    if (m_choices.size() > kMostUnsearched)
        addSearch();
    auto* group = new QActionGroup(m_menu);
    QAction* chosen = nullptr;
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (const QString& heading = m_choices[i].group;
            !heading.isEmpty() && (i == 0 || m_choices[i - 1].group != heading)) {
            QLabel* label = makeLabel(heading, TextRole::Label);
            label->setContentsMargins(kSide, kGap, kSide, 2);
            auto* above = new QWidgetAction(m_menu);
            above->setDefaultWidget(label);
            above->setEnabled(false); // the keyboard passes over it
            m_menu->addAction(above);
        }
        QString label = m_choices[i].label;
        QAction* action = m_menu->addAction(label.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(int(i) == m_current);
        action->setData(m_choices[i].id);
        group->addAction(action);
        // By its id: the choices may be others by the time of the click.
        connect(action, &QAction::triggered, this, [this, id = m_choices[i].id] {
            const auto found = std::ranges::find(m_choices, id, &Choice::id);
            choose(found == m_choices.end() ? -1 : int(found - m_choices.begin()));
        });
        if (int(i) == m_current)
            chosen = action;
    }
    if (chosen)
        m_menu->setActiveAction(chosen);
}

void ChoicePill::addSearch()
{
    auto* search = new QLineEdit;
    search->setObjectName(objectName() % QStringLiteral("Search"));
    search->setPlaceholderText(tr("Search"));
    search->setAccessibleName(tr("Search: %1", "name of what is chosen").arg(m_name));
    auto* action = new QWidgetAction(m_menu);
    action->setDefaultWidget(search);
    m_menu->addAction(action);
    connect(search, &QLineEdit::textChanged, this, &ChoicePill::find);
    // An event later the menu is on the screen; the arrow keys go on to it.
    QTimer::singleShot(0, search, [search] { search->setFocus(Qt::PopupFocusReason); });
}

//! Leaves the entries of the open menu that have all these words, without regard to case, and their headings.
void ChoicePill::find(const QString& text)
{
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto show = [](QAction* action, bool on) {
        action->setVisible(on);
        if (auto* heading = qobject_cast<QWidgetAction*>(action))
            heading->defaultWidget()->setVisible(on); // the menu leaves it where it was
    };
    QAction *heading = nullptr, *first = nullptr;
    for (QAction* action : m_menu->actions()) {
        if (action->isCheckable()) {
            const bool fits = std::ranges::all_of(
                words, [action](const QString& word) { return action->text().contains(word, Qt::CaseInsensitive); });
            show(action, fits);
            if (fits && heading)
                show(heading, true);
            if (fits && !first)
                first = action;
        } else if (!action->isEnabled()) {
            heading = action;
            show(heading, false);
        }
    }
    if (first)
        m_menu->setActiveAction(first); // Enter takes it
    if (!m_host)
        m_menu->move(menuPlace()); // it is shorter now
}

//! Below the button, or as far above as the screen wants it.
QPoint ChoicePill::menuPlace() const
{
    QPoint place = mapToGlobal(QPoint(0, height() + 2));
    const QRect room = screen()->availableGeometry();
    place.ry() = std::max(room.top(), std::min(place.y(), room.bottom() + 1 - m_menu->sizeHint().height()));
    return place;
}

QFont ChoicePill::valueFont() const
{
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    return bold;
}

void ChoicePill::updateText()
{
    const QString value = m_current < 0 ? tr("none") : m_choices[std::size_t(m_current)].label;
    m_shown = QFontMetrics(valueFont()).elidedText(value, Qt::ElideRight, kLongestValue);
    const QString shown = m_shown;
    setText(QStringLiteral("%1: %2").arg(m_name, shown).replace(QLatin1Char('&'), QStringLiteral("&&")));
    setAccessibleName(QStringLiteral("%1: %2").arg(m_name, value));
    m_menu->setTitle(QStringLiteral("%1: %2").arg(m_name, shown).replace(QLatin1Char('&'), QStringLiteral("&&")));
    m_menu->menuAction()->setToolTip(toolTip());
    updateGeometry();
}

QSize ChoicePill::sizeHint() const
{
    const int name = fontMetrics().horizontalAdvance(m_name);
    const int value = QFontMetrics(valueFont()).horizontalAdvance(m_shown);
    return {2 * kSide + name + kGap + value + kGap + kArrow, QPushButton::sizeHint().height()};
}

//! The name in the second text colour, the value in bold, and an arrow: text() is for those who read it aloud.
void ChoicePill::paintEvent(QPaintEvent*)
{
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    QStylePainter painter(this);
    painter.drawControl(QStyle::CE_PushButton, option);
    const ThemeColors& colors = Theme::instance().colors();
    QRect left = rect().adjusted(kSide, 0, -kSide, 0);
    painter.setPen(isEnabled() ? colors.secondText : palette().color(QPalette::Disabled, QPalette::ButtonText));
    painter.drawText(left, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, m_name);
    left.adjust(fontMetrics().horizontalAdvance(m_name) + kGap, 0, 0, 0);
    if (isEnabled())
        painter.setPen(colors.text);
    painter.setFont(valueFont());
    painter.drawText(left, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, m_shown);
    const QRect arrow(width() - kSide - kArrow, (height() - kArrow) / 2, kArrow, kArrow);
    Theme::instance().icon(QStringLiteral("chevron-down")).paint(&painter, arrow);
}

void ChoicePill::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Down && event->modifiers().testFlag(Qt::AltModifier)) {
        click();
    } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Right) {
        choose(m_current + 1);
    } else if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Left) {
        choose(m_current - 1);
    } else if (event->key() == Qt::Key_Home) {
        choose(0);
    } else if (event->key() == Qt::Key_End) {
        choose(int(m_choices.size()) - 1);
    } else {
        QPushButton::keyPressEvent(event);
    }
}

} // namespace dyno
