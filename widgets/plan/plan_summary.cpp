// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_summary.h"

#include "format.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/check_list.h"
#include "plan/run_order.h"
#include "plan/time_bar.h"
#include "theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QTableView>

#include <algorithm>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kShownRows = 8;

void clearLayout(QVBoxLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

FigureLabel* addFigure(QHBoxLayout* row, const QString& name, QLabel** unit)
{
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    auto* figure = new FigureLabel(u"–"_s, TextRole::KeyFigure);
    figure->setObjectName(name);
    *unit = makeLabel({}, TextRole::Secondary);
    (*unit)->setObjectName(name + u"Unit"_s);
    column->addWidget(figure);
    column->addWidget(*unit);
    row->addLayout(column, 1);
    return figure;
}

//! "26" and "minutes": the number and its unit apart.
std::pair<QString, QString> timeParts(double seconds)
{
    if (seconds < 90) {
        const auto whole = qint64(seconds + 0.5);
        return {format::count(whole), whole == 1 ? PlanSummary::tr("second") : PlanSummary::tr("seconds")};
    }
    if (seconds < 90 * 60) // two or more
        return {format::count(qint64(seconds / 60 + 0.5)), PlanSummary::tr("minutes")};
    return {format::number(seconds / 3600, 1), PlanSummary::tr("hours")};
}

//! The longest of the first texts of a column.
QString longestText(const PointsModel& model, int column)
{
    QString longest;
    for (int row = 0; row < std::min(model.rowCount(), int(PlanCheck::kShownPoints)); ++row) {
        const QString text = model.index(row, column).data().toString();
        if (text.size() > longest.size())
            longest = text;
    }
    return longest;
}

//! Figures with tabular digits; the tick as the theme draws ticks.
class PointDelegate : public FigureDelegate
{
public:
    using FigureDelegate::FigureDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.column() == index.model()->columnCount() - 2)
            return FigureDelegate::paint(painter, option, index);
        if (index.column() != 0)
            return QStyledItemDelegate::paint(painter, option, index); // which shortens what does not fit
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        ground.features &= ~QStyleOptionViewItem::HasCheckIndicator;
        ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
        const ThemeColors& colors = Theme::instance().colors();
        const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        const QRectF box(option.rect.left() + 7.5, option.rect.center().y() - 6.5, 14, 14);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(on ? colors.accent : colors.secondText, 1));
        painter->setBrush(on ? colors.accent : colors.surface);
        painter->drawRoundedRect(box, 4, 4);
        if (on) {
            painter->setPen(QPen(colors.onAccent, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            const QPointF tick[] = {box.topLeft() + QPointF(3.5, 7.3), box.topLeft() + QPointF(6, 9.8),
                                    box.topLeft() + QPointF(10.6, 4.6)};
            painter->drawPolyline(tick, 3);
        }
        painter->restore();
    }
};

} // namespace

// --- FaultRow ---

FaultRow::FaultRow(const Fault& fault, QWidget* parent)
    : QAbstractButton(parent)
    , m_where(qtText(fault.where))
{
    setObjectName(u"fault"_s);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    QLabel* mark = makeStrongLabel(u"!"_s, this);
    setTone(mark, Tone::Bad);
    mark->setFixedWidth(14);
    auto* what = new WrapLabel(sentenceText(fault.what), TextRole::Secondary, this);
    what->setStyleSheet(u"color: palette(text)"_s);
    auto* remedy = new WrapLabel(sentenceText(fault.remedy), TextRole::Secondary, this);
    remedy->setVisible(!fault.remedy.empty());
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(what);
    texts->addWidget(remedy);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 3, 4, 3);
    layout->setSpacing(space::grid);
    layout->addWidget(mark, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
    for (QLabel* label : {mark, static_cast<QLabel*>(what), static_cast<QLabel*>(remedy)})
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(qtText(fault.what));
    setAccessibleDescription(qtText(fault.remedy));
    setToolTip(m_where.isEmpty() ? QString() : tr("%1: click to go there").arg(m_where));
}

void FaultRow::paintEvent(QPaintEvent*)
{
    if (!underMouse() && !hasFocus())
        return;
    const ThemeColors& colors = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(hasFocus() ? QPen(colors.accent) : QPen(Qt::NoPen));
    painter.setBrush(underMouse() ? colors.window : QColor(Qt::transparent));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), space::controlRadius, space::controlRadius);
}

// --- PlanSummary ---

PlanSummary::PlanSummary(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_timeBar(new TimeBar)
    , m_sentence(new WrapLabel({}, TextRole::Secondary))
    , m_chip(new Chip)
    , m_faults(new QVBoxLayout)
    , m_checks(new CheckList(editor))
    , m_table(new QTableView)
    , m_order(new RunOrderCard)
    , m_pointsCard(new Card(tr("Points")))
{
    setObjectName(u"planSummary"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::cardGap);

    auto* plan = new Card(tr("This plan"));
    auto* figures = new QHBoxLayout;
    m_runs = addFigure(figures, u"planRuns"_s, &m_runsUnit);
    m_time = addFigure(figures, u"planTime"_s, &m_timeUnit);
    m_disk = addFigure(figures, u"planDisk"_s, &m_diskUnit);
    plan->body()->addLayout(figures);
    plan->body()->addWidget(m_timeBar);
    m_sentence->setObjectName(u"planSentence"_s);
    plan->body()->addWidget(m_sentence);
    layout->addWidget(plan);

    auto* faults = new Card(tr("Before you start"));
    m_chip->setObjectName(u"faultChip"_s);
    faults->header()->addWidget(m_chip);
    m_faults->setSpacing(2);
    faults->body()->addLayout(m_faults);
    faults->body()->addWidget(m_checks);
    layout->addWidget(faults);

    layout->addWidget(m_order);

    setRole(m_table, "plain");
    describe(m_table, u"pointsTable"_s, tr("Points of the plan"),
             tr("One row per combination of cases. Untick to skip it; Space toggles the selected ones, Ctrl+Z undoes"));
    m_table->setModel(&m_points);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setWordWrap(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(24);
    m_table->horizontalHeader()->setTextElideMode(Qt::ElideRight);
    m_table->setItemDelegate(new PointDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->installEventFilter(this);
    m_pointsCard->body()->addWidget(m_table);
    layout->addWidget(m_pointsCard);
    layout->addStretch(1);

    connect(&editor, &PlanEditor::checked, this, &PlanSummary::refresh);
    connect(&editor, &PlanEditor::changed, this, &PlanSummary::updateSentence);
    connect(m_checks, &CheckList::looked, this, &PlanSummary::showFaults);
    connect(m_checks, &CheckList::fieldWanted, this, &PlanSummary::faultClicked);
    connect(&m_points, &PointsModel::skipRequested, this, &PlanSummary::skip);
    refresh();
}

int PlanSummary::faultCount() const
{
    std::set<std::pair<std::string, std::string>> distinct;
    for (const Fault& fault : m_editor.check().faults)
        distinct.emplace(fault.what, fault.remedy);
    return int(distinct.size()) + (m_formProblem.isEmpty() ? 0 : 1);
}

void PlanSummary::setFormProblem(const QString& text)
{
    if (text == m_formProblem)
        return;
    m_formProblem = text;
    showFaults();
}

void PlanSummary::showFaults()
{
    clearLayout(m_faults);
    const PlanCheck& check = m_editor.check();
    Faults all;
    if (!m_formProblem.isEmpty())
        all.push_back({"load", 0, 0, m_formProblem.toStdString(), {}});
    all.insert(all.end(), check.faults.begin(), check.faults.end());
    // The same fault in several cases is one thing to fix; its row leads to the first of them.
    std::vector<std::pair<Fault, int>> rows;
    for (const Fault& fault : all) {
        const auto same = std::ranges::find_if(rows, [&fault](const auto& row) {
            return row.first.what == fault.what && row.first.remedy == fault.remedy;
        });
        if (same == rows.end())
            rows.emplace_back(fault, 1);
        else
            ++same->second;
    }
    for (auto& [fault, places] : rows) {
        if (places > 1)
            fault.what += tr(" (in %1 places)").arg(places).toStdString();
        auto* row = new FaultRow(fault);
        m_faults->addWidget(row);
        connect(row, &QAbstractButton::clicked, this, [this, row] { emit faultClicked(row->where()); });
    }
    const bool unknown = all.empty() && (m_editor.checking() || m_checks->looking());
    if (unknown && m_checks->findings().empty())
        m_faults->addWidget(makeLabel(tr("Checking the plan…"), TextRole::Secondary));
    const int toFix = int(rows.size()) + m_checks->count(PreflightLevel::Blocker);
    const int toLookAt = m_checks->count(PreflightLevel::Warning);
    QStringList parts;
    if (toFix > 0)
        parts << tr("%1 to fix").arg(toFix);
    if (toLookAt > 0)
        parts << tr("%1 to look at").arg(toLookAt);
    m_chip->setText(unknown ? tr("checking") : parts.isEmpty() ? tr("ready") : parts.join(u", "_s));
    setTone(m_chip, unknown ? Tone::Neutral : toFix > 0 ? Tone::Bad : toLookAt > 0 ? Tone::Warn : Tone::Good);
}

void PlanSummary::refresh()
{
    const PlanCheck& check = m_editor.check();
    const bool known = check.faults.empty();
    m_runs->setText(known && check.runs > 0 ? format::count(check.runs) : u"–"_s);
    m_runsUnit->setText(known && check.runs == 1 ? tr("run") : tr("runs"));
    const auto [time, timeUnit] = timeParts(check.seconds);
    m_time->setText(known && check.seconds > 0 ? time : u"–"_s);
    m_timeUnit->setText(known && check.seconds > 0 ? timeUnit : tr("minutes"));
    m_timeBar->setTime(known ? check.spent : RunTime());
    m_timeUnit->setToolTip(tr("Restarts, warm-up and measured time, without loading the data"));
    const QString bytes = check.bytes > 0 ? format::bytes(double(check.bytes)) : QString();
    const qsizetype cut = std::max(bytes.lastIndexOf(u' '), bytes.lastIndexOf(QChar(0xa0)));
    m_disk->setText(cut > 0 ? bytes.left(cut) : u"–"_s);
    m_diskUnit->setText(cut > 0 ? tr("%1 disk").arg(bytes.mid(cut + 1)) : tr("disk"));
    updateSentence();
    showFaults();

    m_order->setCheck(check);

    m_points.setCheck(check);
    const int skipped = m_points.skipped();
    m_pointsCard->setVisible(m_points.rowCount() > 0);
    m_pointsCard->setSecondary(
        m_points.hiddenPoints() > 0 ? tr("first %1 of %2").arg(m_points.rowCount()).arg(format::count(check.allPoints))
        : skipped > 0               ? tr("%1 of %2").arg(format::count(check.points), format::count(check.allPoints))
                                    : format::count(check.points));
    const int rows = std::min(m_points.rowCount(), kShownRows);
    m_table->setFixedHeight(rows * 26 + m_table->horizontalHeader()->sizeHint().height() + 4);
    QHeaderView* header = m_table->horizontalHeader();
    const int columns = m_points.columnCount();
    const auto marked = [](const PlanCheck::Combination& one) { return one.restarts > 0 || one.loads > 0; };
    const bool marks = std::any_of(check.combinations.begin(), check.combinations.end(), marked);
    // The longest labels get what the others leave; a heading may be shortened before a label is.
    constexpr int kPadding = 18, kHeading = 64;
    const auto widthOf = [this](int column) {
        const QFontMetrics metrics = m_table->fontMetrics();
        const QString heading = m_points.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        return std::max(metrics.horizontalAdvance(longestText(m_points, column)),
                        std::min(metrics.horizontalAdvance(heading), kHeading - kPadding)) +
               kPadding;
    };
    int widest = 1;
    for (int column = 2; column < columns - 2; ++column) {
        if (widthOf(column) > widthOf(widest))
            widest = column;
    }
    const auto wanted = [&](int column) {
        return column == 0 ? 28 : column == columns - 1 ? (marks ? 32 : 0) : widthOf(column);
    };
    int others = 0;
    for (int column = 0; column < columns; ++column)
        others += column == widest ? 0 : wanted(column);
    // Where the longest labels would get too little, axes share the width: each is shortened, none vanishes.
    const bool share = others + 2 * kHeading > m_table->viewport()->width();
    for (int column = 0; column < columns; ++column) {
        const bool axis = column > 0 && column < columns - 2;
        const bool stretches = axis && (share || column == widest);
        header->setSectionResizeMode(column, stretches ? QHeaderView::Stretch : QHeaderView::Fixed);
        if (!stretches)
            header->resizeSection(column, wanted(column));
    }
    for (int column = 0; column < columns; ++column)
        m_table->setColumnHidden(column, column == columns - 1 && !marks);
}

void PlanSummary::updateSentence()
{
    QStringList parts{productSentence(m_editor.plan())};
    const PlanCheck& check = m_editor.check();
    if (const qint64 left = check.allPoints - check.points; check.faults.empty() && left > 0)
        parts << tr("%1 skipped").arg(format::count(left));
    if (check.restarts > 0)
        parts << (check.restarts == 1 ? tr("1 restart") : tr("%1 restarts").arg(format::count(check.restarts)));
    if (check.loads > 0)
        parts << (check.loads == 1 ? tr("1 reload of the data")
                                   : tr("%1 reloads of the data").arg(format::count(check.loads)));
    m_sentence->setText(parts.join(u", "_s));
}

void PlanSummary::skip(int row, bool skipped)
{
    const PlanCheck::Combination one = m_points.combination(row);
    m_editor.edit(skipped ? tr("Skip a combination") : tr("Include a combination"),
                  [&](Plan& plan) { setSkipped(plan, m_editor.check().combinations, one.cases, skipped); });
}

void PlanSummary::skipSelected(bool skipped)
{
    std::vector<std::vector<CaseRef>> chosen;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows())
        chosen.push_back(m_points.combination(row.row()).cases);
    m_editor.edit(skipped ? tr("Skip combinations") : tr("Include combinations"), [&](Plan& plan) {
        for (const std::vector<CaseRef>& cases : chosen)
            setSkipped(plan, m_editor.check().combinations, cases, skipped);
    });
}

bool PlanSummary::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space && m_table->currentIndex().isValid()) {
        skipSelected(!m_points.combination(m_table->currentIndex().row()).skipped);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

QString PlanSummary::oneLine() const
{
    if (const int faults = faultCount(); faults > 0)
        return tr("%1 to fix").arg(faultsText(faults));
    const PlanCheck& check = m_editor.check();
    QStringList parts{runsText(check.runs), format::duration(check.seconds)};
    if (check.bytes > 0)
        parts << format::bytes(double(check.bytes));
    return parts.join(u" · "_s);
}

} // namespace dyno
