// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/workload_list.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/script_model.h>
#include <dyno/scripts.h>
#include <dyno/visible_text.h>

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeadingHeight = 28, kWorkloadHeight = 44, kListHeight = 308;
constexpr int kTickWidth = 22;

QString summaryOf(const WorkloadInfo& info)
{
    return qtText(info.summary);
}

QString headingOf(WorkloadPurpose purpose)
{
    QString text = QString::fromLatin1(toText(purpose));
    text[0] = text[0].toUpper();
    return text;
}

//! Every word is in its names, its line or its description.
bool matches(const WorkloadInfo& info, const QStringList& words)
{
    const QString text = QStringList{qtText(info.id),         qtText(info.name),        summaryOf(info),
                                     headingOf(info.purpose), qtText(info.description), qtText(info.source)}
                             .join(u'\n');
    return std::ranges::all_of(words,
                               [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

//! A heading; or name, id at the right, one line below, and a tick at the chosen one.
class WorkloadDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        return {200, index.data(WorkloadList::IdRole).isValid() ? kWorkloadHeight : kHeadingHeight};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = Theme::instance().colors();
        painter->save();
        if (!index.data(WorkloadList::IdRole).isValid()) {
            painter->setFont(Theme::font(TextRole::Label));
            painter->setPen(colors.secondText);
            painter->drawText(option.rect.adjusted(8, 0, -8, -4), Qt::AlignLeft | Qt::AlignBottom,
                              index.data().toString());
            painter->restore();
            return;
        }
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        ground.text.clear();
        ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
        const bool enabled = (index.flags() & Qt::ItemIsEnabled) && !index.data(WorkloadList::OffRole).toBool();
        const QRect inner = option.rect.adjusted(8, 5, -8, -6);
        const QRect texts = inner.adjusted(kTickWidth, 0, 0, 0);
        if (index.data(WorkloadList::ChosenRole).toBool())
            Theme::instance().icon(u"check"_s, &ThemeColors::accent).paint(painter, inner.x(), inner.y() + 1, 16, 16);
        painter->setFont(Theme::font(TextRole::Label));
        painter->setPen(colors.secondText);
        const QString id = index.data(WorkloadList::IdRole).toString();
        painter->drawText(texts, Qt::AlignRight | Qt::AlignTop, id);
        const int idWidth = painter->fontMetrics().horizontalAdvance(id);
        const QFontMetrics small = painter->fontMetrics();
        painter->drawText(
            texts, Qt::AlignLeft | Qt::AlignBottom,
            small.elidedText(index.data(WorkloadList::SummaryRole).toString(), Qt::ElideRight, texts.width()));
        QFont name = Theme::font(TextRole::Secondary);
        name.setWeight(QFont::DemiBold);
        painter->setFont(name);
        painter->setPen(enabled ? colors.text : colors.secondText);
        painter->drawText(texts, Qt::AlignLeft | Qt::AlignTop,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight,
                                                            texts.width() - idWidth - space::cardGap));
        painter->restore();
    }
};

} // namespace

WorkloadList::WorkloadList(QWidget* parent)
    : QWidget(parent)
    , m_search(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_empty(new WrapLabel({}, TextRole::Secondary, this))
    , m_model(new QStandardItemModel(this))
{
    describe(m_search, u"workloadSearch"_s, tr("Search the workloads"),
             tr("Words of a name or description; arrow keys move, Enter chooses"));
    m_search->setPlaceholderText(tr("Search workloads"));
    m_search->setClearButtonEnabled(true);
    for (QToolButton* clear : m_search->findChildren<QToolButton*>()) // Qt makes it, without a name
        describe(clear, u"workloadSearchClear"_s, tr("Clear the search"), tr("Show all workloads"));
    m_search->installEventFilter(this);
    describe(m_list, u"workloadList"_s, tr("Workloads"), u" "_s);
    m_list->setToolTip({});
    m_list->setAccessibleDescription(tr("What each transaction does; Enter chooses"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new WorkloadDelegate(m_list));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFixedHeight(kListHeight);
    m_list->installEventFilter(this);
    m_empty->setObjectName(u"workloadNone"_s);
    m_empty->setFixedHeight(kListHeight);
    m_empty->setAlignment(Qt::AlignCenter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::grid);
    layout->addWidget(m_search);
    layout->addWidget(m_list);
    layout->addWidget(m_empty);
    connect(m_search, &QLineEdit::textChanged, this, &WorkloadList::fill);
    connect(m_list, &QListView::clicked, this, &WorkloadList::pick);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QWidget::customContextMenuRequested, this, &WorkloadList::showMenu);
    fill();
}

void WorkloadList::setChosen(const QString& driver, const QString& chosen)
{
    const bool sameRows = driver == m_driver;
    if (sameRows && chosen == m_chosen)
        return;
    m_driver = driver;
    m_chosen = chosen;
    if (!sameRows)
        return fill();
    markChosen();
}

void WorkloadList::setOwn(const std::vector<OwnWorkload>& own, const QString& chosen)
{
    const bool sameRows = std::ranges::equal(own, m_own, [](const OwnWorkload& one, const OwnWorkload& other) {
        return one.name == other.name && one.summary == other.summary && one.fault == other.fault;
    });
    if (sameRows && chosen == m_chosenOwn)
        return;
    m_own = own;
    m_chosenOwn = chosen;
    if (!sameRows)
        return fill();
    markChosen();
}

//! The rows stay where they are: a second click of the mouse must not meet another one.
void WorkloadList::markChosen()
{
    for (int row = 0; row < m_model->rowCount(); ++row) {
        QStandardItem* item = m_model->item(row);
        const bool now = isChosen(*item);
        item->setData(now, ChosenRole);
        if (now) {
            m_list->setCurrentIndex(item->index());
            m_list->scrollTo(item->index(), QAbstractItemView::EnsureVisible);
        }
    }
}

bool WorkloadList::isChosen(const QStandardItem& item) const
{
    if (!m_chosenOwn.isEmpty())
        return item.data(OwnRole).toString() == m_chosenOwn;
    return item.data(IdRole).isValid() && !item.data(OwnRole).isValid() && item.data(IdRole).toString() == m_chosen;
}

void WorkloadList::focusSearch()
{
    m_search->setFocus(Qt::OtherFocusReason);
}

QStandardItem* WorkloadList::addWorkload(const QString& name, const QString& id, const QString& summary)
{
    auto* item = new QStandardItem(name);
    item->setData(id, IdRole);
    item->setData(summary, SummaryRole);
    item->setData(tr("%1: %2").arg(name, summary), Qt::AccessibleTextRole);
    m_model->appendRow(item);
    return item;
}

void WorkloadList::addHeading(const QString& text)
{
    auto* heading = new QStandardItem(text);
    heading->setFlags(Qt::NoItemFlags);
    m_model->appendRow(heading);
}

void WorkloadList::fillOwn(const QStringList& words, const DriverInfo* driver)
{
    const WorkloadInfo* script = findWorkload(kScriptWorkload);
    const bool some = !driver || (script && commonModel(*script, *driver));
    bool headed = false;
    for (const OwnWorkload& own : m_own) {
        const QString name = qtText(own.name), summary = qtText(visibleText(own.summary));
        const QString text = name + u'\n' + summary;
        if (!std::ranges::all_of(words,
                                 [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); }))
            continue;
        if (!std::exchange(headed, true))
            addHeading(tr("Your own"));
        const bool broken = !own.fault.empty();
        const bool fits =
            some && (!driver || std::ranges::find(driver->models, scriptModel(own.text)) != driver->models.end());
        QStandardItem* item = addWorkload(name, {}, broken ? tr("It cannot run") : summary);
        item->setData(name, OwnRole);
        item->setData(broken || !fits, OffRole); // the keyboard gets to it all the same, to delete it
        item->setToolTip(broken ? qtText(visibleText(own.fault))
                         : fits ? tr("A script of your own; Delete removes it from this list")
                                : tr("Not for this kind of target"));
        if (broken)
            item->setData(tr("%1: %2").arg(name, qtText(visibleText(own.fault))), Qt::AccessibleTextRole);
    }
}

void WorkloadList::fill()
{
    const QStringList words = m_search->text().split(u' ', Qt::SkipEmptyParts);
    const DriverInfo* driver = findDriver(m_driver.toStdString());
    std::map<WorkloadPurpose, std::vector<WorkloadInfo>> groups;
    for (const WorkloadInfo& info : workloads()) {
        if (matches(info, words))
            groups[info.purpose].push_back(info);
    }
    m_model->clear();
    fillOwn(words, driver);
    for (const auto& [purpose, infos] : groups) {
        addHeading(headingOf(purpose));
        for (const WorkloadInfo& info : infos) {
            QStandardItem* item = addWorkload(qtText(info.name), qtText(info.id), summaryOf(info));
            const bool fits = !driver || commonModel(info, *driver);
            item->setEnabled(fits);
            item->setToolTip(fits ? qtText(info.description) : tr("Not for this kind of target"));
        }
    }
    QModelIndex first, chosen;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        QStandardItem* item = m_model->item(row);
        const bool now = isChosen(*item);
        item->setData(now, ChosenRole);
        if (now)
            chosen = item->index();
        if (!first.isValid() && item->isEnabled() && item->data(IdRole).isValid() && !item->data(OffRole).toBool())
            first = item->index();
    }
    const QModelIndex current = chosen.isValid() ? chosen : first;
    m_list->setCurrentIndex(current);
    m_list->scrollTo(current, QAbstractItemView::PositionAtCenter);
    m_list->setVisible(m_model->rowCount() > 0);
    m_empty->setVisible(m_model->rowCount() == 0);
    m_empty->setText(tr("No workload matches “%1”").arg(m_search->text().trimmed()));
}

void WorkloadList::pick(const QModelIndex& index)
{
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEnabled) || !index.data(IdRole).isValid() ||
        index.data(OffRole).toBool())
        return;
    if (index.data(OwnRole).isValid())
        emit ownPicked(index.data(OwnRole).toString());
    else
        emit picked(index.data(IdRole).toString());
}

//! Also of one that cannot run.
void WorkloadList::showMenu(const QPoint& at)
{
    const QString own = m_list->indexAt(at).data(OwnRole).toString();
    if (own.isEmpty())
        return;
    auto* menu = new QMenu(this);
    menu->setObjectName(u"workloadMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu->addAction(tr("Delete")), &QAction::triggered, this, [this, own] { emit ownRemoveWanted(own); });
    menu->popup(m_list->viewport()->mapToGlobal(at));
}

bool WorkloadList::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
        if (watched != m_search)
            break;
        QCoreApplication::sendEvent(m_list, event);
        return true;
    case Qt::Key_Delete: {
        const QString own = m_list->currentIndex().data(OwnRole).toString();
        if (watched != m_list || own.isEmpty())
            break;
        emit ownRemoveWanted(own);
        return true;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (static_cast<QKeyEvent*>(event)->modifiers() & Qt::ControlModifier)
            break; // starts the plan
        pick(m_list->currentIndex());
        return true;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace dyno
