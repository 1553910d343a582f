// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/command_palette.h"

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "desktop/fuzzy.h"
#include "format.h"
#include "parts/commands.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/page.h"
#include "preferences.h"
#include "qt_text.h"

#include <dyno/manual.h>

#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPaletteWidth = 640, kPaletteHeight = 440, kPaletteTop = 64, kPaletteRow = 34, kPaletteIcon = 16;

class PaletteDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {0, kPaletteRow};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        ground.text.clear();
        ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
        constexpr int kRowInset = 14, kGap = 10, kSide = 200;
        const ThemeColors& colors = Theme::instance().colors();
        QRect room = option.rect.adjusted(kRowInset, 0, -kRowInset, 0);
        const QRect picture(room.left(), room.center().y() - kPaletteIcon / 2, kPaletteIcon, kPaletteIcon);
        Theme::instance().icon(index.data(PaletteModel::IconRole).toString()).paint(painter, picture);
        room.setLeft(picture.right() + kGap);
        const QString side =
            dotted({index.data(PaletteModel::GroupRole).toString(), index.data(PaletteModel::FactsRole).toString()});
        painter->save();
        const auto draw = [painter](const QString& text, const QRect& place, Qt::AlignmentFlag align, const QFont& font,
                                    const QColor& color) {
            painter->setFont(font);
            painter->setPen(color);
            painter->drawText(place, int(align) | Qt::AlignVCenter | Qt::TextSingleLine,
                              QFontMetrics(font).elidedText(text, Qt::ElideRight, place.width()));
        };
        const QFont second = Theme::font(TextRole::Secondary);
        const int width = std::min(kSide, QFontMetrics(second).horizontalAdvance(side) + 2);
        draw(side, QRect(room.right() - width, room.top(), width, room.height()), Qt::AlignRight, second,
             colors.secondText);
        draw(index.data().toString(), room.adjusted(0, 0, -width - kGap, 0), Qt::AlignLeft, Theme::font(TextRole::Body),
             colors.text);
        painter->restore();
    }
};

} // namespace

void PaletteModel::add(std::vector<PaletteEntry> entries)
{
    std::ranges::move(entries, std::back_inserter(m_entries));
    search();
}

void PaletteModel::setPattern(const QString& pattern)
{
    m_pattern = pattern;
    search();
}

void PaletteModel::search()
{
    std::vector<std::pair<int, std::size_t>> found;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const PaletteEntry& one = m_entries[i];
        // A word may also be the group: "recipe durability".
        const int own = fuzzyScore(m_pattern, one.text);
        const int score = own > 0 ? 2 * own : fuzzyScore(m_pattern, one.text + u' ' + one.group);
        if (score > 0)
            found.emplace_back(m_pattern.isEmpty() ? 0 : -score, i);
    }
    std::ranges::sort(found);
    beginResetModel();
    m_shown.clear();
    for (std::size_t i = 0; i < std::min(found.size(), std::size_t(kMostRows)); ++i)
        m_shown.push_back(found[i].second);
    endResetModel();
}

int PaletteModel::rowOf(std::size_t number) const
{
    const auto found = std::ranges::find(m_shown, number);
    return found == m_shown.end() ? -1 : int(found - m_shown.begin());
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    const PaletteEntry& one = entry(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return one.text;
    case Qt::AccessibleTextRole:
        return QStringList({one.text, one.group, one.facts}).join(u", "_s);
    case GroupRole:
        return one.group;
    case FactsRole:
        return one.facts;
    case IconRole:
        return one.icon;
    default:
        return {};
    }
}

CommandPalette::CommandPalette(AppContext& context, QWidget& window)
    : QFrame(&window, Qt::Popup)
    , m_context(context)
    , m_window(window)
    , m_search(new QLineEdit)
    , m_list(new QListView)
    , m_nothing(makeLabel(tr("No match"), TextRole::Secondary))
    , m_recipes(this)
    , m_sessions(this)
{
    setObjectName(u"commandPalette"_s);
    setAccessibleName(tr("Command palette"));
    setAttribute(Qt::WA_DeleteOnClose);
    setRole(this, "card");
    describe(m_search, u"paletteSearch"_s, tr("Find a command, a page, a recipe, a session or a page of the manual"));
    m_search->setPlaceholderText(m_search->accessibleName());
    m_search->addAction(Theme::instance().icon(u"search"_s), QLineEdit::LeadingPosition);
    m_search->installEventFilter(this);
    describe(m_list, u"paletteList"_s, tr("Results"));
    m_list->setModel(&m_model);
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus); // the keyboard stays in the search line
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setRole(m_list, "contents");
    m_nothing->setObjectName(u"paletteNothing"_s);
    m_nothing->setAlignment(Qt::AlignCenter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_nothing, 1);
    connect(m_search, &QLineEdit::textChanged, &m_model, &PaletteModel::setPattern);
    connect(m_list, &QListView::clicked, this, &CommandPalette::choose);
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        const bool any = m_model.rowCount() > 0;
        m_list->setVisible(any);
        m_nothing->setVisible(!any);
        m_list->setCurrentIndex(m_model.index(0, 0));
        fit();
    });
    addCommands();
    addManual();
    loadRecipes();
    loadSessions();
}

void CommandPalette::add(std::vector<PaletteEntry> entries)
{
    const QModelIndex current = m_list->currentIndex();
    const bool any = current.isValid();
    const std::size_t chosen = any ? m_model.number(current.row()) : 0;
    m_model.add(std::move(entries));
    if (const int row = any ? m_model.rowOf(chosen) : -1; row >= 0)
        m_list->setCurrentIndex(m_model.index(row, 0));
}

void CommandPalette::addCommands()
{
    std::vector<PaletteEntry> entries;
    std::vector<Command> commands = commandsOf(m_window);
    // What can be done here comes before what leads elsewhere.
    std::ranges::stable_sort(commands, {}, [](const Command& one) {
        return !one.page ? 1 : one.page->isHidden() ? 2 : 0;
    });
    for (const Command& one : commands) {
        if (!one.action->isEnabled() || !one.action->isVisible() || one.action->objectName() == u"commandPalette"_s)
            continue;
        entries.push_back({one.text, one.page ? one.page->title() : tr("Window"),
                           one.action->shortcut().toString(QKeySequence::NativeText),
                           one.page ? one.page->iconName() : u"chevron-right"_s,
                           [&context = m_context, action = QPointer(one.action), page = QPointer(one.page)] {
                               if (page)
                                   context.showPage(page->objectName());
                               if (action)
                                   action->trigger();
                           }});
    }
    add(std::move(entries));
}

void CommandPalette::addManual()
{
    std::vector<PaletteEntry> entries;
    for (const ManualPage& page : manualPages())
        entries.push_back({qtText(page.title), tr("Manual"), qtText(page.group), u"help"_s,
                           [this, id = qtText(page.id)] { emit manualWanted(id); }});
    add(std::move(entries));
}

void CommandPalette::loadRecipes()
{
    ++m_loading;
    m_recipes.start([] { return recipes(); },
                    [this](const std::vector<RecipeInfo>& all) {
                        std::vector<PaletteEntry> entries;
                        for (const RecipeInfo& recipe : all)
                            entries.push_back({qtText(recipe.title), tr("Recipe"), qtText(recipe.needs), u"start"_s,
                                               [&context = m_context, id = recipe.id] {
                                                   auto plan = recipePlan(id);
                                                   if (!plan)
                                                       return context.showMessage(qtText(plan.error().text()));
                                                   // As it is written, where it has no such size.
                                                   (void)applySize(
                                                       *plan,
                                                       Preferences::instance().get(Preferences::size).toStdString());
                                                   context.editPlan(*plan);
                                               }});
                        --m_loading;
                        add(std::move(entries));
                    });
}

void CommandPalette::loadSessions()
{
    ++m_loading;
    m_sessions.start(
        [file = m_context.library()] {
            using List = std::vector<SessionInfo>;
            auto read = LibraryWorker::opened<List>(
                file, Library::Mode::ReadOnly, [](Library& library) { return library.sessions(); }, List());
            return read.value_or(List()); // the Sessions page says what is wrong with the library
        },
        [this](const std::vector<SessionInfo>& all) {
            std::vector<PaletteEntry> entries;
            for (const SessionInfo& session : all)
                entries.push_back({qtText(session.title), tr("Session"), format::when(session.startedMs), u"sessions"_s,
                                   [&context = m_context, id = qtText(session.id)] { context.compareSessions({id}); }});
            --m_loading;
            add(std::move(entries));
        });
}

void CommandPalette::open()
{
    fit();
    move(m_window.mapToGlobal(QPoint((m_window.width() - width()) / 2, kPaletteTop)));
    show();
    m_search->setFocus(Qt::PopupFocusReason);
}

//! As high as what is found, or a line of words where nothing is.
void CommandPalette::fit()
{
    const int most = std::min(kPaletteHeight, m_window.height() - 2 * kPaletteTop);
    const QMargins around = layout()->contentsMargins();
    const int rest = around.top() + m_search->sizeHint().height() + layout()->spacing() + around.bottom();
    const int rows = std::max(1, m_model.rowCount()) * kPaletteRow + 2 * m_list->frameWidth();
    resize(std::min(kPaletteWidth, m_window.width() - 2 * space::pageMargin), std::min(most, rest + rows));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    const int rows = m_model.rowCount(), row = m_list->currentIndex().row();
    const auto go = [this, rows](int to) {
        m_list->setCurrentIndex(m_model.index(std::clamp(to, 0, std::max(0, rows - 1)), 0));
        return true;
    };
    const int page = std::max(1, m_list->viewport()->height() / kPaletteRow - 1);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
        return go(row + 1);
    case Qt::Key_Up:
        return go(row - 1);
    case Qt::Key_PageDown:
        return go(row + page);
    case Qt::Key_PageUp:
        return go(row - page);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(m_list->currentIndex());
        return true;
    case Qt::Key_Escape:
        close();
        return true;
    default:
        return QFrame::eventFilter(watched, event);
    }
}

//! Gone before it acts: a command may open a dialog, and the focus must be the page's again.
void CommandPalette::choose(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    const auto run = m_model.entry(index.row()).run;
    close();
    run();
}

} // namespace dyno
