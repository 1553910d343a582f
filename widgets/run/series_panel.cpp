// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/series_panel.h"

#include "format.h"
#include "parts/field.h"
#include "run/live_run_model.h"
#include "run/series_model.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeView>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dyno {

namespace {

constexpr int kPanelWidth = 340; //!< somewhat more than the column in whose place it stands: names are long
constexpr int kValueWidth = 122;
constexpr int kSparkMargin = 8; //!< between line and value
constexpr int kSeriesSparkWidth = 34;
constexpr int kSparkPoints = 34;
constexpr int kSeriesRow = 26;
constexpr int kValuesEveryMs = 500;

//! The last `most` known values of a series, evenly spread over all of it.
QPolygonF sparkOf(const QVector<double>& values, const QRectF& place, int most)
{
    double lowest = kNone, highest = kNone;
    std::vector<double> taken;
    const qsizetype step = std::max<qsizetype>(1, values.size() / most);
    for (qsizetype i = 0; i < values.size(); i += step) {
        if (!std::isfinite(values[i]))
            continue;
        taken.push_back(values[i]);
        lowest = std::fmin(lowest, values[i]);
        highest = std::fmax(highest, values[i]);
    }
    QPolygonF line;
    if (taken.size() < 2)
        return line;
    const double range = highest - lowest;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const double along = double(i) / double(taken.size() - 1);
        const double up = range > 0 ? (taken[i] - lowest) / range : 0.5;
        line << QPointF(place.left() + along * place.width(), place.bottom() - up * place.height());
    }
    return line;
}

} // namespace

void SparkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const auto* model = qobject_cast<const SeriesModel*>(index.model());
    if (!model || !model->measureAt(index))
        return;
    const QRectF place(option.rect.left() + 2, option.rect.top() + 7, kSeriesSparkWidth, option.rect.height() - 14);
    const QPolygonF line = sparkOf(model->valuesAt(index), place, kSparkPoints);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(Theme::instance().colors().accent, 1.25));
    painter->drawPolyline(line);
    painter->restore();
}

//! A value has its unit where there is room beside the line; the tool tip has it always.
void SparkDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const int room = option->rect.width() - kSeriesSparkWidth - 2 * kSparkMargin;
    while (option->fontMetrics.horizontalAdvance(option->text) > room && option->text.contains(u' '))
        option->text.truncate(option->text.lastIndexOf(u' '));
}

QSize SparkDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {QStyledItemDelegate::sizeHint(option, index).width(), kSeriesRow};
}

SeriesPanel::SeriesPanel(const LiveRunModel& model, QWidget* parent)
    : Card(tr("Series"), {}, parent)
    , m_model(model)
    , m_series(new SeriesModel(model, this))
    , m_filter(new QLineEdit)
    , m_tree(new QTreeView)
    , m_hint(makeLabel(tr("Drag onto the plots, or press Enter"), TextRole::Secondary))
    , m_nothing(makeLabel(tr("No series has all of these words"), TextRole::Secondary))
{
    setObjectName(QStringLiteral("seriesPanel"));
    setAccessibleName(tr("Series"));
    setFixedWidth(kPanelWidth);
    QPushButton* close = makeButton({}, "flat", QStringLiteral("close"));
    close->setProperty("small", true);
    describe(close, QStringLiteral("seriesClose"), tr("Close the list of series"), tr("Close (Esc)"));
    header()->addWidget(close);
    connect(close, &QPushButton::clicked, this, &SeriesPanel::closeWanted);
    describe(m_filter, QStringLiteral("seriesFilter"), tr("Find series"),
             tr("Lists the series that have all of these words in name, source or unit"));
    m_filter->setPlaceholderText(tr("Find series"));
    m_filter->setClearButtonEnabled(true);
    m_tree->setModel(m_series);
    m_tree->setItemDelegateForColumn(SeriesModel::ValueColumn, new SparkDelegate(m_tree));
    describe(m_tree, QStringLiteral("seriesTree"), tr("All series of the run"),
             tr("Drag series onto the plots; Enter or a double click adds them"));
    m_tree->setToolTip({}); // each row has its own
    setRole(m_tree, "plain");
    m_tree->setUniformRowHeights(true);
    m_tree->setHeaderHidden(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setIndentation(14);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setDragEnabled(true);
    m_tree->setDragDropMode(QAbstractItemView::DragOnly);
    m_tree->setExpandsOnDoubleClick(true);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(SeriesModel::NameColumn, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(SeriesModel::ValueColumn, QHeaderView::Fixed);
    m_tree->header()->resizeSection(SeriesModel::ValueColumn, kValueWidth);
    m_hint->setWordWrap(true);
    m_nothing->setObjectName(QStringLiteral("seriesNothing"));
    m_nothing->setWordWrap(true);
    m_nothing->hide();
    body()->addWidget(m_filter);
    body()->addWidget(m_nothing);
    body()->addWidget(m_tree, 1);
    body()->addWidget(m_hint);
    connect(m_filter, &QLineEdit::textChanged, this, &SeriesPanel::filter);
    connect(m_filter, &QLineEdit::returnPressed, this, [this] {
        if (const QModelIndex first = m_series->firstSeries(); first.isValid() && !m_filter->text().trimmed().isEmpty())
            emit addWanted(m_series->idsAt(first));
    });
    connect(m_tree, &QTreeView::activated, this, &SeriesPanel::addSelected);
    m_values.setSingleShot(true);
    m_values.setInterval(kValuesEveryMs);
    connect(&m_values, &QTimer::timeout, this, [this] { m_tree->viewport()->update(); });
    connect(&m_model, &LiveRunModel::sampleAppended, this, [this] {
        if (isVisible() && !m_values.isActive())
            m_values.start();
    });
    connect(&m_model, &LiveRunModel::runReset, this, [this] {
        m_isStale = true;
        if (isVisible())
            m_reload.start();
    });
    m_reload.setSingleShot(true);
    m_reload.setInterval(0); // a replay begins its session and its run again
    connect(&m_reload, &QTimer::timeout, this, &SeriesPanel::reload);
}

void SeriesPanel::showEvent(QShowEvent* event)
{
    Card::showEvent(event);
    if (m_isStale)
        reload();
}

void SeriesPanel::offer(QPushButton* button)
{
    body()->addWidget(button, 0, Qt::AlignLeft);
}

void SeriesPanel::begin()
{
    m_filter->setFocus(Qt::OtherFocusReason);
    m_filter->selectAll();
}

void SeriesPanel::reload()
{
    m_isStale = false;
    if (m_series->reload())
        showFound();
    else
        m_tree->viewport()->update();
}

void SeriesPanel::filter(const QString& text)
{
    m_series->setFilter(text);
    showFound();
}

//! Names of groups have the whole width: they have no value.
void SeriesPanel::spanGroups(const QModelIndex& parent)
{
    for (int row = 0; row < m_series->rowCount(parent); ++row) {
        const QModelIndex group = m_series->index(row, SeriesModel::NameColumn, parent);
        if (m_series->measureAt(group))
            continue;
        m_tree->setFirstColumnSpanned(row, parent, true);
        spanGroups(group);
    }
}

void SeriesPanel::showFound()
{
    spanGroups({});
    if (m_filter->text().trimmed().isEmpty())
        m_tree->expandToDepth(0);
    else
        m_tree->expandAll();
    m_nothing->setVisible(m_series->found() == 0 && !m_filter->text().trimmed().isEmpty());
    m_tree->setVisible(!m_nothing->isVisibleTo(this));
    setSecondary(format::count(m_series->found()));
}

//! Groups open and close by themselves.
void SeriesPanel::addSelected()
{
    QStringList ids;
    for (const QModelIndex& one : m_tree->selectionModel()->selectedRows()) {
        if (m_series->measureAt(one))
            ids << m_series->idsAt(one);
    }
    if (!ids.isEmpty())
        emit addWanted(ids);
}

void SeriesPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        emit closeWanted();
    else if (event->key() == Qt::Key_Down && m_filter->hasFocus())
        m_tree->setFocus(Qt::OtherFocusReason);
    else
        Card::keyPressEvent(event);
}

} // namespace dyno
