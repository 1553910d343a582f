// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/table_columns.h"

#include "parts/labels.h"
#include "theme.h"

#include <QHeaderView>
#include <QMenu>
#include <QSettings>
#include <QTableView>

#include <utility>

namespace dyno {

namespace {
constexpr int kLeastColumn = 24, kMostColumn = 2000; // pixels; a setting may hold anything
constexpr int kSaveAfterMs = 500;                    // after the last move of the mouse
} // namespace

TableColumns::TableColumns(QTableView* view, QStringList keys, std::set<int> always)
    : QObject(view)
    , m_view(view)
    , m_name(view->objectName())
    , m_keys(std::move(keys))
    , m_menu(new QMenu(tr("Columns"), view))
    , m_always(std::move(always))
{
    m_menu->setObjectName(view->objectName() + QStringLiteral("Columns"));
    QHeaderView* header = view->horizontalHeader();
    const QSettings settings;
    for (int column = 0; column < int(m_keys.size()); ++column) {
        m_usual[column] = view->columnWidth(column);
        if (!m_always.contains(column) && settings.value(setting(column, "hidden")).toBool())
            m_hidden.insert(column);
        if (const int width = settings.value(setting(column, "width")).toInt();
            width >= kLeastColumn && width <= kMostColumn) {
            m_widths[column] = width;
            view->setColumnWidth(column, width);
        }
        apply(column);
    }
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(kSaveAfterMs);
    connect(&m_saveTimer, &QTimer::timeout, this, &TableColumns::saveWidths);
    connect(m_menu, &QMenu::aboutToShow, this, &TableColumns::fillMenu);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this,
            [this, header](const QPoint& at) { m_menu->popup(header->viewport()->mapToGlobal(at)); });
    connect(header, &QHeaderView::sectionResized, this, [this, header](int column, int, int width) {
        const bool byHand = header->sectionResizeMode(column) == QHeaderView::Interactive &&
                            !(header->stretchLastSection() && column == header->count() - 1);
        if (m_fitting || !byHand || width == 0 || column >= int(m_keys.size()) ||
            m_widths.value(column, m_usual.value(column)) == width)
            return; // 0: it was hidden, and comes back as wide as it was
        m_widths[column] = width;
        m_unsaved.insert(column);
        m_saveTimer.start();
    });
}

TableColumns::~TableColumns()
{
    saveWidths();
}

void TableColumns::saveWidths()
{
    if (m_unsaved.empty())
        return;
    QSettings settings;
    for (const int column : m_unsaved)
        settings.setValue(setting(column, "width"), m_widths.value(column));
    m_unsaved.clear();
}

QString TableColumns::setting(int column, const char* what) const
{
    return QStringLiteral("columns/%1/%2/%3").arg(m_name, m_keys[column], QLatin1String(what));
}

void TableColumns::apply(int column)
{
    fit([this, column] {
        m_view->setColumnHidden(column, m_unavailable.contains(column) || m_hidden.contains(column));
    });
}

void TableColumns::setAvailable(int column, bool on)
{
    if (on)
        m_unavailable.erase(column);
    else
        m_unavailable.insert(column);
    apply(column);
}

std::optional<int> TableColumns::width(int column) const
{
    const auto found = m_widths.constFind(column);
    return found == m_widths.constEnd() ? std::nullopt : std::optional(*found);
}

void TableColumns::fit(const std::function<void()>& resize)
{
    const bool before = std::exchange(m_fitting, true);
    resize();
    m_fitting = before;
}

void TableColumns::fillMenu()
{
    m_menu->clear();
    for (int column = 0; column < int(m_keys.size()); ++column) {
        if (m_always.contains(column) || m_unavailable.contains(column))
            continue;
        const QString head = m_view->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        QString name = head.section(QLatin1Char('\n'), 0, 0); // a second line says how the figures came about
        QAction* action = m_menu->addAction(name.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setObjectName(m_menu->objectName() + QLatin1Char('.') + m_keys[column]);
        action->setCheckable(true);
        action->setChecked(!m_hidden.contains(column));
        connect(action, &QAction::toggled, this, [this, column](bool shown) {
            if (shown)
                m_hidden.erase(column);
            else
                m_hidden.insert(column);
            QSettings settings;
            if (shown)
                settings.remove(setting(column, "hidden"));
            else
                settings.setValue(setting(column, "hidden"), true);
            apply(column);
            emit changed();
        });
    }
    m_menu->addSeparator();
    QAction* usual = m_menu->addAction(tr("Reset columns"), this, &TableColumns::reset);
    usual->setObjectName(m_menu->objectName() + QStringLiteral(".reset"));
    usual->setEnabled(!m_hidden.empty() || !m_widths.isEmpty());
}

void TableColumns::reset()
{
    QSettings().remove(QStringLiteral("columns/") + m_name);
    m_saveTimer.stop();
    m_unsaved.clear();
    m_hidden.clear();
    for (auto width = m_widths.cbegin(); width != m_widths.cend(); ++width)
        fit([this, &width] { m_view->setColumnWidth(width.key(), m_usual.value(width.key())); });
    m_widths.clear();
    for (int column = 0; column < int(m_keys.size()); ++column)
        apply(column);
    emit changed();
}

void dressRowTable(QTableView* view)
{
    setRole(view, "plain");
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->setFrameShape(QFrame::NoFrame);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(space::tableRow);
    view->horizontalHeader()->setHighlightSections(false);
    view->setSortingEnabled(true);
    QObject::connect(&Theme::instance(), &Theme::changed, view->viewport(), qOverload<>(&QWidget::update));
}

} // namespace dyno
