// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/event_list.h"

#include "format.h"
#include "parts/choice_pill.h"
#include "plots/plot_style.h"
#include "run/live_run_model.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QLocale>
#include <QStyledItemDelegate>

#include <algorithm>

namespace dyno {

namespace {

constexpr QLatin1String kOfTheRun("run");
constexpr int kTimeWidth = 54; // "1:02:03"
constexpr int kIconSize = 14, kIconGap = 6;

QString iconOf(EventKind kind)
{
    switch (kind) {
    case EventKind::Phase:
        return QStringLiteral("clock");
    case EventKind::Knob:
        return QStringLiteral("settings");
    case EventKind::Stall:
        return QStringLiteral("pause");
    case EventKind::Error:
        return QStringLiteral("error");
    case EventKind::Reconnect:
        return QStringLiteral("plug");
    case EventKind::Server:
        return QStringLiteral("servers");
    case EventKind::Note:
        break;
    }
    return QStringLiteral("note");
}

QIcon iconOf(const QModelIndex& index)
{
    const QString name = index.data(EventListModel::IconRole).toString();
    switch (Tone(index.data(EventListModel::ToneRole).toInt())) {
    case Tone::Warn:
        return Theme::instance().icon(name, &ThemeColors::warn);
    case Tone::Bad:
        return Theme::instance().icon(name, &ThemeColors::bad);
    default:
        return Theme::instance().icon(name, &ThemeColors::secondText);
    }
}

//! Time at the left in the second colour, the icon of its kind and the text beside it.
class EventDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {120, 22}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = Theme::instance().colors();
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(blend(colors.accent, colors.surface, 0.12));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(-2, 0, 0, 0), 4, 4);
        }
        painter->setFont(Theme::font(TextRole::Label));
        painter->setPen(colors.secondText);
        const QRectF rect = option.rect;
        const QString time = index.data(EventListModel::TimeRole).toString();
        figures::draw(*painter, rect, Qt::AlignLeft | Qt::AlignVCenter, time);
        const int timeWidth = std::max(kTimeWidth, figures::width(painter->font(), time) + 8); // of a session of days
        painter->setFont(Theme::font(TextRole::Secondary));
        painter->setPen(colorOf(Tone(index.data(EventListModel::ToneRole).toInt()), colors.text));
        const int top = option.rect.top() + (option.rect.height() - kIconSize) / 2;
        iconOf(index).paint(painter, option.rect.left() + timeWidth, top, kIconSize, kIconSize);
        const QRectF text = rect.adjusted(timeWidth + kIconSize + kIconGap, 0, 0, 0);
        const QString shown =
            painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, int(text.width()));
        painter->drawText(text, int(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine), shown);
        painter->restore();
    }
};

bool isSame(const LoggedEvent& a, const LoggedEvent& b)
{
    return a.run == b.run && a.event.kind == b.event.kind && a.event.seconds == b.event.seconds &&
           a.sinceStart == b.sinceStart && a.event.text == b.event.text && a.place == b.place;
}

QString placeText(const LoggedEvent& event)
{
    QString text = event.place + QStringLiteral("  ·  ") +
                   EventListModel::tr("%1 of the run").arg(format::clock(event.event.seconds));
    if (event.clockMs > 0)
        text += QStringLiteral("  ·  ") +
                QLocale().toString(QDateTime::fromMSecsSinceEpoch(event.clockMs), QLocale::LongFormat);
    return text;
}

} // namespace

EventListModel::EventListModel(const LiveRunModel& model, QObject* parent)
    : QAbstractListModel(parent)
    , m_model(model)
{
    m_refresh.setSingleShot(true);
    m_refresh.setInterval(0);
    connect(&m_refresh, &QTimer::timeout, this, &EventListModel::refresh);
    for (const auto signal : {&LiveRunModel::sessionReset, &LiveRunModel::runReset, &LiveRunModel::eventAdded})
        connect(&m_model, signal, &m_refresh, qOverload<>(&QTimer::start));
}

int EventListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

const LoggedEvent* EventListModel::eventAt(int row) const
{
    return row >= 0 && std::size_t(row) < m_rows.size() ? &m_rows[std::size_t(row)] : nullptr;
}

QVariant EventListModel::data(const QModelIndex& index, int role) const
{
    const LoggedEvent* row = index.isValid() ? eventAt(index.row()) : nullptr;
    if (!row)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return row->event.text;
    case Qt::ToolTipRole:
        return QString(row->event.text + QLatin1Char('\n') + placeText(*row));
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1 %2, %3").arg(format::clock(row->sinceStart), row->event.text, row->place);
    case TimeRole:
        return format::clock(row->sinceStart);
    case ToneRole:
        return int(row->event.tone);
    case IconRole:
        return iconOf(row->event.kind);
    default:
        return {};
    }
}

bool EventListModel::isShown(const LoggedEvent& event, int run) const
{
    if (m_filter == kOfTheRun)
        return event.run == run;
    return m_filter.isEmpty() || m_filter == QLatin1String(toText(event.event.kind));
}

void EventListModel::setFilter(const QString& filter)
{
    m_filter = filter;
    refresh();
}

void EventListModel::refresh()
{
    m_refresh.stop();
    const bool ofTheRun = m_filter == kOfTheRun;
    const Source source{m_model.storedLog(), m_filter, ofTheRun && m_model.run() ? m_model.run()->index : kNoRun};
    if (source.log && source == m_source)
        return; // a replay was moved
    m_source = source;
    std::vector<LoggedEvent> rows = m_model.log().newestFirst();
    std::erase_if(rows, [this](const LoggedEvent& event) { return !isShown(event, m_source.run); });
    show(std::move(rows));
}

//! Mostly there is something new at the top, and a full run drops its oldest: the rest stays where a person has
//! scrolled to.
void EventListModel::show(std::vector<LoggedEvent> rows)
{
    const auto first = m_rows.empty() ? rows.end() : std::ranges::find_if(rows, [this](const LoggedEvent& event) {
        return isSame(event, m_rows.front());
    });
    const auto more = first - rows.begin();
    const auto kept = std::mismatch(m_rows.begin(), m_rows.end(), first, rows.end(), isSame).first - m_rows.begin();
    const auto dropped = std::ptrdiff_t(m_rows.size()) - (rows.end() - first);
    const bool stays = kept > 0 && dropped >= 0 &&
                       std::equal(m_rows.begin() + kept + dropped, m_rows.end(), first + kept, rows.end(), isSame);
    if (!stays) {
        beginResetModel();
        m_rows = std::move(rows);
        return endResetModel();
    }
    if (dropped > 0) {
        beginRemoveRows({}, int(kept), int(kept + dropped) - 1);
        m_rows.erase(m_rows.begin() + kept, m_rows.begin() + kept + dropped);
        endRemoveRows();
    }
    if (more > 0) {
        beginInsertRows({}, 0, int(more) - 1);
        m_rows = std::move(rows);
        endInsertRows();
    }
}

EventList::EventList(EventListModel* model, QWidget* parent)
    : QListView(parent)
    , m_events(model)
{
    setObjectName(QStringLiteral("eventList"));
    setAccessibleName(tr("Events of this session"));
    setRole(this, "plain");
    setModel(model);
    setItemDelegate(new EventDelegate(this));
    setUniformItemSizes(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    connect(this, &QListView::clicked, this, &EventList::choose);
}

void EventList::choose(const QModelIndex& index)
{
    if (const LoggedEvent* event = index.isValid() ? eventAt(index.row()) : nullptr) {
        const LoggedEvent copy = *event; // what is shown may change with it
        emit eventChosen(copy);
    }
}

//! Not QListView::activated, which a double click sends too.
void EventList::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
        return QListView::keyPressEvent(event);
    event->accept();
    const LoggedEvent* entered = currentIndex().isValid() ? eventAt(currentIndex().row()) : nullptr;
    if (!entered)
        return;
    const LoggedEvent copy = *entered;
    choose(currentIndex());
    emit eventEntered(copy);
}

EventsCard::EventsCard(const LiveRunModel& model, QWidget* parent)
    : Card(tr("Events"), {}, parent)
    , m_filter(new ChoicePill(tr("Show"), QStringLiteral("eventFilter"), tr("Which events are listed")))
{
    auto* rows = new EventListModel(model, this);
    m_list = new EventList(rows);
    const auto kind = [](EventKind one) { return QString::fromLatin1(toText(one)); };
    m_filter->setChoices({{{}, tr("all", "events")},
                          {kOfTheRun, tr("this run")},
                          {kind(EventKind::Stall), tr("stalls"), tr("Whole session")},
                          {kind(EventKind::Error), tr("errors"), tr("Whole session")},
                          {kind(EventKind::Reconnect), tr("reconnects"), tr("Whole session")},
                          {kind(EventKind::Server), tr("server and data"), tr("Whole session")},
                          {kind(EventKind::Knob), tr("settings"), tr("Whole session")},
                          {kind(EventKind::Phase), tr("phases"), tr("Whole session")},
                          {kind(EventKind::Note), tr("notes"), tr("Whole session")}});
    header()->addWidget(m_filter);
    body()->addWidget(m_list);
    connect(m_filter, &ChoicePill::chosen, rows, &EventListModel::setFilter);
}

} // namespace dyno
