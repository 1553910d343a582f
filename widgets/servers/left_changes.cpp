// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/left_changes.h"

#include "format.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "servers/variables_model.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/uri_form.h>

#include <QHeaderView>
#include <QLineEdit>
#include <QProgressBar>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

bool sameKnob(const LeftChange& change, const RestoredKnob& knob)
{
    return change.target == knob.target && change.name == knob.name;
}

//! The catalogue says that the variable is a number of bytes.
bool isSize(const LeftChange& change)
{
    const std::vector<KnobInfo> catalogue = knobs(driverNamedBy(change.target));
    return std::any_of(catalogue.begin(), catalogue.end(), [&change](const KnobInfo& knob) {
        const auto named = [&change](const KnobEdition& edition) { return edition.name == change.name; };
        return knob.scope == "server" && knob.option.type == OptionType::Bytes &&
               (knob.option.name == change.name || std::any_of(knob.editions.begin(), knob.editions.end(), named));
    });
}

bool done(RestoreOutcome outcome)
{
    return outcome == RestoreOutcome::Restored || outcome == RestoreOutcome::WasBack;
}

} // namespace

// --- LeftChangesModel ---

void LeftChangesModel::setLeft(const std::vector<LeftChange>& left)
{
    beginResetModel();
    std::vector<Row> rows;
    for (const LeftChange& change : left) {
        Row row{change, true, false, {}, isSize(change)};
        for (const Row& before : m_rows) {
            if (before.tried && sameKnob(change, before.result) && !done(before.result.outcome)) {
                row.tried = true;
                row.result = before.result;
            }
        }
        rows.push_back(std::move(row));
    }
    for (Row& before : m_rows) {
        const bool listed = std::any_of(left.begin(), left.end(), [&before](const LeftChange& change) {
            return change.target == before.change.target && change.name == before.change.name;
        });
        if (!listed && before.tried && done(before.result.outcome)) {
            before.left = false;
            rows.push_back(std::move(before));
        }
    }
    m_rows = std::move(rows);
    endResetModel();
}

void LeftChangesModel::addResults(const std::vector<RestoredKnob>& results)
{
    beginResetModel();
    for (const RestoredKnob& knob : results) {
        auto found =
            std::find_if(m_rows.begin(), m_rows.end(), [&knob](const Row& row) { return sameKnob(row.change, knob); });
        if (found == m_rows.end()) {
            const LeftChange change{knob.target, knob.name, knob.oldValue, knob.ourValue, 0, false};
            m_rows.push_back({change, true, false, {}, isSize(change)});
            found = m_rows.end() - 1;
        }
        found->tried = true;
        found->result = knob;
        found->left = !done(knob.outcome);
    }
    endResetModel();
}

void LeftChangesModel::clear()
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

void LeftChangesModel::setNames(std::map<std::string, QString> names)
{
    m_names = std::move(names);
}

int LeftChangesModel::open() const
{
    return int(
        std::count_if(m_rows.begin(), m_rows.end(), [](const Row& row) { return row.left && !row.change.ownerAlive; }));
}

bool LeftChangesModel::othersSet() const
{
    return std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) {
        return row.left && row.tried && row.result.outcome == RestoreOutcome::OthersValue;
    });
}

int LeftChangesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int LeftChangesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString LeftChangesModel::resultText(const Row& row) const
{
    if (!row.tried) {
        if (row.change.ownerAlive)
            return tr("the running session will restore it");
        return row.change.changedMs > 0 ? tr("changed %1").arg(format::when(row.change.changedMs)) : tr("left changed");
    }
    switch (row.result.outcome) {
    case RestoreOutcome::Restored:
        return tr("restored");
    case RestoreOutcome::WasBack:
        return tr("already restored");
    case RestoreOutcome::OthersValue:
        return tr("changed to %1 by somebody else: not overwritten")
            .arg(variableText(row.result.foundValue, row.bytes));
    case RestoreOutcome::Failed:
        break;
    }
    return tr("failed: %1").arg(qtText(row.result.text));
}

QVariant LeftChangesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    if (role == Qt::ForegroundRole && index.column() == ResultColumn) {
        const ThemeColors& colors = Theme::instance().colors();
        if (!row.tried)
            return colors.secondText;
        return done(row.result.outcome)                       ? colors.good
               : row.result.outcome == RestoreOutcome::Failed ? colors.bad
                                                              : colors.warn;
    }
    if (role == Qt::ToolTipRole && index.column() == ServerColumn)
        return qtText(redactUri(row.change.target));
    if (role == Qt::ToolTipRole && index.column() == OldColumn)
        return qtText(row.change.oldValue);
    if (role == Qt::ToolTipRole && index.column() == OurColumn)
        return qtText(row.change.newValue);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case ServerColumn: {
        const auto name = m_names.find(row.change.target);
        return name == m_names.end() ? qtText(redactUri(row.change.target)) : name->second;
    }
    case NameColumn:
        return qtText(row.change.name);
    case OldColumn:
        return variableText(row.change.oldValue, row.bytes);
    case OurColumn:
        return variableText(row.change.newValue, row.bytes);
    case ResultColumn:
        return resultText(row);
    default:
        return {};
    }
}

QVariant LeftChangesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static const QString texts[] = {tr("Server"), tr("Variable"), tr("It was"), tr("Dynobench set"), tr("State")};
    if (role == Qt::DisplayRole)
        return texts[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

// --- LeftChangesCard ---

LeftChangesCard::LeftChangesCard(QWidget* parent)
    : QFrame(parent)
    , m_title(makeStrongLabel({}, this))
    , m_text(new WrapLabel({}, TextRole::Secondary, this))
    , m_problem(new WrapLabel({}, TextRole::Secondary, this))
    , m_password(new QLineEdit(this))
    , m_progress(new QProgressBar(this))
    , m_restore(makeButton(tr("Restore"), "primary", {}, this))
    , m_overwrite(makeButton(tr("Overwrite newer values"), "", {}, this))
    , m_leave(makeButton(tr("Leave as it is"), "", {}, this))
    , m_close(makeButton(tr("Close"), "", {}, this))
    , m_table(new FitTable(this))
{
    setObjectName(u"leftChanges"_s);
    setRole(this, "banner");
    setTone(m_problem, Tone::Bad);
    m_title->setObjectName(u"leftTitle"_s);
    m_problem->setObjectName(u"leftProblem"_s);
    m_password->setEchoMode(QLineEdit::Password);
    m_password->setPlaceholderText(tr("Password"));
    m_password->setFixedWidth(170);
    describe(m_password, u"leftPassword"_s, tr("Password of the server's user"));
    describe(m_restore, u"leftRestore"_s, tr("Restore the settings"),
             tr("Sets the old values again unless somebody else changed them since; those are shown, not overwritten"));
    describe(m_overwrite, u"leftOverwrite"_s,
             tr("Restores the old values, also where somebody else changed them since"));
    describe(m_leave, u"leftLeave"_s, tr("Leave the settings as they are"),
             tr("Takes them off this list; the server is not touched"));
    describe(m_close, u"leftClose"_s, tr("Close the list"));
    m_progress->setRange(0, 0);
    m_progress->setFixedWidth(100);
    m_progress->setAccessibleName(tr("Restoring"));
    m_progress->setVisible(false);
    dressTable();
    layOut();
    connect(m_restore, &QPushButton::clicked, this, [this] { emit restoreRequested(false); });
    connect(m_overwrite, &QPushButton::clicked, this, [this] { emit restoreRequested(true); });
    connect(m_leave, &QPushButton::clicked, this, &LeftChangesCard::leaveRequested);
    connect(m_close, &QPushButton::clicked, this, [this] {
        m_model.clear();
        refresh();
    });
    setProblem({});
    refresh();
}

void LeftChangesCard::dressTable()
{
    m_table->setModel(&m_model);
    describe(m_table, u"leftTable"_s, tr("Settings left changed"), u" "_s);
    m_table->setToolTip({});
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    constexpr int kShownRows = 6; // the servers below keep their room
    m_table->setMaximumHeight((kShownRows + 1) * space::tableRow + 2);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_table->setStyleSheet(u"QTableView, QHeaderView::section { background: transparent; }"_s);
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->resizeSection(LeftChangesModel::ServerColumn, 170);
    header->resizeSection(LeftChangesModel::NameColumn, 250);
    header->resizeSection(LeftChangesModel::OldColumn, 120);
    header->resizeSection(LeftChangesModel::OurColumn, 120);
    header->setStretchLastSection(true);
}

void LeftChangesCard::layOut()
{
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_title);
    texts->addWidget(m_text);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addLayout(texts, 1);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_progress), static_cast<QWidget*>(m_password), static_cast<QWidget*>(m_leave),
          static_cast<QWidget*>(m_overwrite), static_cast<QWidget*>(m_restore), static_cast<QWidget*>(m_close)})
        top->addWidget(widget);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::cardPadding, 12, space::cardPadding, 10);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addWidget(m_problem);
    layout->addWidget(m_table);
}

QString LeftChangesCard::password() const
{
    return m_password->text();
}

void LeftChangesCard::setPasswordPlace(const QString& text)
{
    m_password->setToolTip(tr("For the one server on the list; with several, edit each server's entry below. %1 Empty: "
                              "use the saved password")
                               .arg(text));
}

void LeftChangesCard::setBusy(bool busy)
{
    m_progress->setVisible(busy);
    for (QPushButton* button : {m_restore, m_overwrite, m_leave})
        button->setEnabled(!busy);
}

void LeftChangesCard::setProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    if (!text.isEmpty())
        setVisible(true);
}

void LeftChangesCard::refresh()
{
    const int open = m_model.open(), rows = m_model.rowCount();
    setTone(this, open > 0 || rows == 0 ? Tone::Warn : Tone::Good);
    m_title->setText(open > 0    ? tr("%n setting(s) left changed", nullptr, open)
                     : rows == 0 ? tr("Settings left changed")
                                 : tr("All settings are as they were"));
    m_text->setText(
        open > 0 ? tr("An earlier session changed them on remote servers and ended before it could restore them.")
                 : tr("Nothing more to do here."));
    m_text->setVisible(rows > 0);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_restore), static_cast<QWidget*>(m_leave), static_cast<QWidget*>(m_password)})
        widget->setVisible(open > 0);
    m_overwrite->setVisible(open > 0 && m_model.othersSet());
    m_close->setVisible(open == 0 && rows > 0);
    m_table->setVisible(rows > 0);
    setAccessibleName(m_title->text());
    setVisible(rows > 0 || !m_problem->text().isEmpty());
    m_table->updateGeometry();
}

} // namespace dyno
