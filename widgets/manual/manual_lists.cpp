// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/manual_lists.h"

#include "parts/labels.h"
#include "theme.h"

#include <dyno/manual.h>

#include <QPainter>
#include <QSignalBlocker>

namespace dyno {

namespace {

constexpr int kPageId = Qt::UserRole;        //!< id of the page
constexpr int kAnchor = Qt::UserRole + 1;    //!< of the heading
constexpr int kPageTitle = Qt::UserRole + 2; //!< of the page
constexpr int kExcerpt = Qt::UserRole + 3;   //!< text around what was found

QString qtOf(const std::string& text)
{
    return QString::fromStdString(text);
}

void prepare(QListWidget* list)
{
    setRole(list, "contents");
    list->setFrameShape(QFrame::NoFrame);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
}

class HitDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {0, kHeight};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        ground.text.clear();
        const QStyle* style = option.widget->style();
        style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
        const QRect room = option.rect.adjusted(kInset, kTop, -kInset, -kTop);
        const ThemeColors& colors = Theme::instance().colors();
        painter->save();
        int y = room.top();
        const auto line = [&](const QString& text, const QFont& font, const QColor& color, int lines) {
            const QFontMetrics metrics(font);
            const QRect place(room.left(), y, room.width(), metrics.lineSpacing() * lines);
            painter->setFont(font);
            painter->setPen(color);
            const QString shown =
                metrics.elidedText(text, Qt::ElideRight, lines > 1 ? room.width() * 19 / 10 : room.width());
            painter->drawText(place, Qt::AlignLeft | Qt::AlignTop | (lines > 1 ? int(Qt::TextWordWrap) : 0), shown);
            y += place.height() + 1;
        };
        QFont heading = Theme::font(TextRole::Body);
        heading.setWeight(QFont::DemiBold);
        const QString title = index.data(kPageTitle).toString(), place = index.data(Qt::DisplayRole).toString();
        line(place, heading, colors.text, 1);
        line(title == place ? QString() : title, Theme::font(TextRole::Label), colors.accent, title == place ? 0 : 1);
        line(index.data(kExcerpt).toString(), Theme::font(TextRole::Secondary), colors.secondText, 2);
        painter->restore();
    }

private:
    static constexpr int kHeight = 80, kInset = 12, kTop = 6;
};

} // namespace

ManualContents::ManualContents(QWidget* parent)
    : QListWidget(parent)
{
    setObjectName(QStringLiteral("manualContents"));
    setAccessibleName(tr("Pages of the manual"));
    prepare(this);
    const auto add = [this](const ManualPage& page) {
        auto* item = new QListWidgetItem(qtOf(page.title), this);
        item->setData(kPageId, qtOf(page.id));
        item->setToolTip(item->text());
    };
    add(manualContents());
    std::string group;
    for (const ManualPage& page : manualPages()) {
        if (page.group != group) {
            auto* heading = new QListWidgetItem(qtOf(page.group), this);
            heading->setFlags(Qt::NoItemFlags);
        }
        group = page.group;
        add(page);
    }
    const auto choose = [this](const QListWidgetItem* item) {
        if (item && !item->data(kPageId).isNull())
            emit pageChosen(item->data(kPageId).toString());
    };
    connect(this, &QListWidget::currentItemChanged, this, choose);
    connect(this, &QListWidget::itemClicked, this, choose); // back to the beginning of the page that is shown
    connect(&Theme::instance(), &Theme::changed, this, &ManualContents::dress);
    dress();
}

void ManualContents::showCurrent(const QString& page)
{
    const QSignalBlocker quiet(this);
    for (int i = 0; i < count(); ++i) {
        if (item(i)->data(kPageId).toString() == page)
            setCurrentRow(i);
    }
}

//! Headings are told from pages by their type alone.
void ManualContents::dress()
{
    constexpr int kRow = 30, kHeadingRow = 40;
    for (int i = 0; i < count(); ++i) {
        QListWidgetItem* one = item(i);
        const bool heading = one->data(kPageId).isNull();
        QFont font = Theme::font(heading ? TextRole::Label : TextRole::Body);
        if (heading)
            font.setWeight(QFont::DemiBold);
        one->setFont(font);
        one->setTextAlignment(heading ? Qt::AlignLeft | Qt::AlignBottom : Qt::AlignLeft | Qt::AlignVCenter);
        one->setForeground(heading ? Theme::instance().colors().secondText : Theme::instance().colors().text);
        one->setSizeHint({0, heading ? kHeadingRow : kRow});
    }
}

ManualHits::ManualHits(QWidget* parent)
    : QListWidget(parent)
{
    setObjectName(QStringLiteral("manualHits"));
    setAccessibleName(tr("Places that were found"));
    prepare(this);
    setItemDelegate(new HitDelegate(this));
    const auto tell = [this](const QListWidgetItem* item) {
        if (item && !item->data(kPageId).isNull())
            emit placeChosen(item->data(kPageId).toString(), item->data(kAnchor).toString());
    };
    connect(this, &QListWidget::currentItemChanged, this, tell);
    connect(this, &QListWidget::itemClicked, this, tell);
}

void ManualHits::choose(int row)
{
    if (row != currentRow())
        setCurrentRow(row);
    else
        emit itemClicked(item(row));
}

void ManualHits::search(const QString& words)
{
    const QSignalBlocker quiet(this);
    clear();
    for (const ManualPlace& place : searchManual(words.toStdString())) {
        auto* item = new QListWidgetItem(qtOf(place.heading), this);
        item->setData(kPageId, qtOf(place.page->id));
        item->setData(kAnchor, qtOf(place.anchor));
        item->setData(kPageTitle, qtOf(place.page->title));
        item->setData(kExcerpt, qtOf(place.excerpt));
        item->setData(Qt::AccessibleTextRole,
                      QStringLiteral("%1, %2: %3").arg(item->text(), qtOf(place.page->title), qtOf(place.excerpt)));
    }
}

} // namespace dyno
