// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/field.h"

#include "parts/labels.h"
#include "theme.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

void describe(QWidget* widget, const QString& objectName, const QString& accessibleName, const QString& toolTip)
{
    widget->setObjectName(objectName);
    widget->setAccessibleName(accessibleName);
    widget->setToolTip(toolTip.isEmpty() ? accessibleName : toolTip);
}

namespace {

//! True for the keys that a line would take for its own undo, which the page has for the whole plan.
bool isUndoKey(QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride)
        return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    return key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
}

//! As wide as told; a word that the control shows itself may want more.
void giveRoom(QWidget& field, QWidget* control, int width)
{
    constexpr int kWidest = 320;
    auto* combo = qobject_cast<QComboBox*>(control);
    if (combo)
        combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    if (!combo && !qobject_cast<QAbstractButton*>(control)) {
        field.setFixedWidth(width);
        return;
    }
    field.setMinimumWidth(width);
    field.setMaximumWidth(std::max(width, kWidest));
    field.setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
}

} // namespace

QLabel* makeStrongLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    QFont font = Theme::font(TextRole::Body);
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
}

// --- WrapLabel ---

WrapLabel::WrapLabel(const QString& text, TextRole role, QWidget* parent)
    : QLabel(text, parent)
{
    setTextFormat(Qt::PlainText);
    setFont(Theme::font(role));
    if (role == TextRole::Secondary || role == TextRole::Label)
        setRole(this, role == TextRole::Label ? "label" : "secondary");
    setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QSize WrapLabel::minimumSizeHint() const
{
    return {1, text().isEmpty() ? 0 : fontMetrics().lineSpacing()};
}

// --- Field ---

Field::Field(const QString& label, QWidget* control, int width, QWidget* parent)
    : QWidget(parent)
    , m_label(makeLabel(label, TextRole::Label, this))
    , m_reset(new QToolButton(this))
    , m_control(control)
    , m_help(control->toolTip())
{
    control->setParent(this);
    control->installEventFilter(this);
    m_label->setBuddy(control);
    m_label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_label->setToolTip(m_help);
    m_reset->setIcon(Theme::instance().icon(u"restart"_s));
    m_reset->setIconSize({12, 12});
    m_reset->setAutoRaise(true);
    m_reset->setStyleSheet(u"QToolButton { padding: 0; min-height: 14px; border-radius: 4px; }"_s);
    m_reset->setFixedSize(18, 16);
    connect(&Theme::instance(), &Theme::changed, this,
            [this] { m_reset->setIcon(Theme::instance().icon(u"restart"_s)); });
    m_reset->setCursor(Qt::PointingHandCursor);
    describe(m_reset, control->objectName() + u".reset", tr("Reset %1 to its default").arg(label));
    m_reset->setVisible(false);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(0, 0, 0, 0);
    top->setSpacing(space::grid);
    top->addWidget(m_label, 1);
    top->addWidget(m_reset);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::grid);
    layout->addLayout(top);
    layout->addWidget(control);
    m_label->setFixedHeight(16);
    if (width > 0)
        giveRoom(*this, control, width);
    connect(m_reset, &QToolButton::clicked, this, &Field::resetClicked);
}

bool Field::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_control && isUndoKey(event)) {
        event->ignore();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void Field::setLabel(const QString& text)
{
    m_label->setText(text);
}

void Field::setResettable(bool on)
{
    m_reset->setVisible(on);
}

void Field::setProblem(const QString& text)
{
    m_problem = text;
    m_control->setToolTip(text.isEmpty() ? m_help : text);
    m_control->setAccessibleDescription(text);
    setTone(m_control, text.isEmpty() ? Tone::Neutral : Tone::Bad);
}

void Field::setHelp(const QString& toolTip)
{
    m_help = toolTip;
    m_label->setToolTip(toolTip);
    if (m_problem.isEmpty())
        m_control->setToolTip(toolTip);
}

// --- ChoiceTile ---

ChoiceTile::ChoiceTile(const QString& title, const QString& second, QWidget* parent)
    : QPushButton(parent)
    , m_second(makeLabel(second, TextRole::Secondary, this))
{
    setCheckable(true);
    setAutoExclusive(true);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    QLabel* name = makeStrongLabel(title, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(2);
    layout->addWidget(name);
    layout->addWidget(m_second);
    for (QLabel* label : {name, m_second})
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(title);
    setAccessibleDescription(second);
    setToolTip(second);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ChoiceTile::setSecond(const QString& text)
{
    m_second->setText(text);
    setAccessibleDescription(text);
    setToolTip(text);
}

QSize ChoiceTile::sizeHint() const
{
    const QSize wanted = layout()->sizeHint();
    return {std::max(wanted.width(), 178), std::max(wanted.height(), 54)};
}

void ChoiceTile::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool strong = isChecked();
    const double width = strong ? 2 : 1;
    QColor line = strong || hasFocus() ? colors.accent : colors.border;
    if (underMouse() && !strong && !hasFocus())
        line = colors.secondText;
    painter.setPen(QPen(line, width));
    painter.setBrush(isDown() ? colors.window : colors.surface);
    const double inset = width / 2 + 0.5;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), space::cardRadius,
                            space::cardRadius);
    if (strong && hasFocus()) {
        painter.setPen(QPen(colors.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(4.5, 4.5, -4.5, -4.5), 5, 5);
    }
}

// --- TitleEdit ---

TitleEdit::TitleEdit(bool page, QWidget* parent)
    : QLineEdit(parent)
{
    // Colours come from the palette, which is the theme's.
    setStyleSheet(
        u"QLineEdit { border: 1px solid transparent; border-radius: 6px; background: transparent; "
        "padding: 0 5px; font-size: %1px; font-weight: 600; min-height: %2px; }"
        "QLineEdit:hover { border-color: palette(mid); }"
        "QLineEdit:focus { border-color: palette(highlight); background: palette(base); }"_s.arg(page ? 20 : 13)
            .arg(page ? 30 : 24));
    connect(this, &QLineEdit::returnPressed, this, [this] { clearFocus(); });
    // Where it does not fit, its beginning is what is read.
    connect(this, &QLineEdit::editingFinished, this, [this] { home(false); });
}

bool TitleEdit::event(QEvent* event)
{
    if (isUndoKey(event)) {
        event->ignore();
        return true;
    }
    return QLineEdit::event(event);
}

// --- Disclosure ---

Disclosure::Disclosure(const QString& text, QWidget* content, QWidget* parent)
    : QToolButton(parent)
{
    setText(text);
    setCheckable(true);
    setAutoRaise(true);
    setStyleSheet(
        u"QToolButton, QToolButton:checked { background: transparent; color: palette(text); padding: 0 4px 0 0; "
        "border: 1px solid transparent; border-radius: 4px; min-height: 22px; }"
        "QToolButton:focus { border-color: palette(highlight); }"_s);
    setArrowType(Qt::RightArrow);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setCursor(Qt::PointingHandCursor);
    content->setVisible(false);
    connect(this, &QToolButton::toggled, content, [this, content](bool on) {
        setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        content->setVisible(on);
    });
}

// --- FitTable ---

FitTable::FitTable(QWidget* parent)
    : QTableView(parent)
{
    setRole(this, "plain");
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSelectionBehavior(QAbstractItemView::SelectItems);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                    QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(space::tableRow);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setFixedHeight(space::tableRow);
}

void FitTable::setModel(QAbstractItemModel* model)
{
    QTableView::setModel(model);
    if (!model)
        return;
    connect(model, &QAbstractItemModel::modelReset, this, &QWidget::updateGeometry);
    connect(model, &QAbstractItemModel::rowsInserted, this, &QWidget::updateGeometry);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &QWidget::updateGeometry);
    connect(model, &QAbstractItemModel::columnsInserted, this, &QWidget::updateGeometry);
    connect(model, &QAbstractItemModel::columnsRemoved, this, &QWidget::updateGeometry);
    updateGeometry();
}

QSize FitTable::sizeHint() const
{
    int height = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->height();
    const int rows = model() ? model()->rowCount() : 0;
    for (int row = 0; row < rows; ++row)
        height += rowHeight(row);
    if (horizontalHeader()->length() > viewport()->width() && horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff)
        height += horizontalScrollBar()->sizeHint().height();
    return {240, height + 2};
}

QSize FitTable::minimumSizeHint() const
{
    return {160, sizeHint().height()};
}

QList<int> FitTable::selectedRows() const
{
    std::set<int> rows;
    const QModelIndexList selected = selectionModel() ? selectionModel()->selectedIndexes() : QModelIndexList();
    for (const QModelIndex& index : selected)
        rows.insert(index.row());
    if (rows.empty() && currentIndex().isValid())
        rows.insert(currentIndex().row());
    return {rows.begin(), rows.end()};
}

void FitTable::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace) {
        emit removeRequested();
        return;
    }
    if (event->modifiers() == Qt::AltModifier && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        emit moveRequested(event->key() == Qt::Key_Up ? -1 : 1);
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid() &&
        state() != EditingState && event->modifiers() == Qt::NoModifier) {
        edit(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace dyno
