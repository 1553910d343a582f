// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/sources_form.h"

#include "format.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! "The URL of an exporter has no host that can be used: write a URL such as …"
QString problemText(const Error& error)
{
    const QString what = sentenceText(error.message);
    return error.remedy.empty() ? what : SourcesForm::tr("%1: %2").arg(what, qtText(error.remedy));
}

//! A line in the cell that says at once what is wrong with it.
class SourceDelegate final : public QStyledItemDelegate
{
public:
    using Typed = std::function<void(const QModelIndex&, const QString&)>;
    SourceDelegate(Typed typed, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_typed(std::move(typed))
    {
    }
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        auto* line = new QLineEdit(parent);
        const bool name = index.column() == SourcesModel::NameColumn;
        describe(line, u"sourceEditor"_s, name ? SourcesForm::tr("Name") : SourcesForm::tr("What to read"),
                 name ? SourcesForm::tr("The series are told apart by it")
                      : SourcesForm::tr("A URL with patterns of the series to store, or ssh and USER@HOST"));
        const bool exporter = index.siblingAtColumn(SourcesModel::KindColumn).data(Qt::UserRole).toBool();
        line->setPlaceholderText(name       ? QString()
                                 : exporter ? u"http://127.0.0.1:9100/metrics node_load1"_s
                                            : u"ssh joe@db1.example.org"_s);
        connect(line, &QLineEdit::textEdited, this,
                [this, at = QPersistentModelIndex(index)](const QString& text) { m_typed(at, text); });
        return line;
    }

private:
    Typed m_typed;
};

} // namespace

// --- SourcesModel ---

SourcesModel::SourcesModel(PlanEditor& editor, QObject* parent)
    : QAbstractTableModel(parent)
    , m_editor(editor)
{
    sync();
    connect(&editor, &PlanEditor::replaced, this, [this] { m_tried.clear(); });
    connect(&editor, &PlanEditor::changed, this, &SourcesModel::sync);
}

int SourcesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_sources.size());
}

int SourcesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant SourcesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const SeriesSource& source = m_sources[std::size_t(index.row())];
    const bool shown = role == Qt::DisplayRole || role == Qt::EditRole;
    switch (index.column()) {
    case KindColumn:
        if (role == Qt::UserRole)
            return source.kind == SourceKind::Exporter;
        return shown ? QVariant(source.kind == SourceKind::Exporter ? tr("Exporter") : tr("Machine")) : QVariant();
    case NameColumn:
        return shown ? QVariant(qtText(source.name)) : QVariant();
    case ReadsColumn:
        if (role == Qt::ForegroundRole && !problemOf(index.row()).isEmpty())
            return colorOf(Tone::Bad, Theme::instance().colors().text);
        if (role == Qt::ToolTipRole) {
            const QString problem = problemOf(index.row());
            return problem.isEmpty() ? qtText(source.reads) : problem;
        }
        return shown ? QVariant(qtText(source.reads)) : QVariant();
    default:
        break;
    }
    const Tried* const answer = tried(source);
    if (role == Qt::ForegroundRole && answer)
        return colorOf(answer->failed ? Tone::Bad : Tone::Good, Theme::instance().colors().text);
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return answer ? QVariant(answer->text) : QVariant();
    return {};
}

QVariant SourcesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    switch (section) {
    case KindColumn:
        return tr("Kind");
    case NameColumn:
        return tr("Name");
    case ReadsColumn:
        return tr("What to read");
    case TriedColumn:
        return tr("Last try");
    default:
        return {};
    }
}

Qt::ItemFlags SourcesModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    const bool editable = index.column() == NameColumn || index.column() == ReadsColumn;
    return index.isValid() && editable ? flags | Qt::ItemIsEditable : flags;
}

SeriesSource SourcesModel::changed(const QModelIndex& index, const QString& text) const
{
    SeriesSource source = m_sources[std::size_t(index.row())];
    if (index.column() == NameColumn)
        source.name = text.trimmed().toStdString();
    else
        source.reads = text.trimmed().toStdString();
    return source;
}

QString SourcesModel::problemWith(const QModelIndex& index, const QString& text) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const SeriesSource next = changed(index, text);
    const int other = rowOf(qtText(settingOfSource(next)));
    if (other >= 0 && other != index.row())
        return next.kind == SourceKind::Exporter ? tr("Another exporter has this name")
                                                 : tr("Another machine has this name");
    const auto fine = checkSource(next);
    return fine ? QString() : problemText(fine.error());
}

QString SourcesModel::problemOf(int row) const
{
    const QModelIndex reads = index(row, ReadsColumn);
    return reads.isValid() ? problemWith(reads, qtText(m_sources[std::size_t(row)].reads)) : QString();
}

QString SourcesModel::failureOf(int row) const
{
    const Tried* const answer = tried(m_sources[std::size_t(row)]);
    return answer && answer->failed ? answer->text : QString();
}

bool SourcesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || index.row() >= rowCount() || !(flags(index) & Qt::ItemIsEditable))
        return false;
    const SeriesSource before = m_sources[std::size_t(index.row())];
    const SeriesSource next = changed(index, value.toString());
    const int other = rowOf(qtText(settingOfSource(next)));
    if (next == before || next.name.empty() || (other >= 0 && other != index.row()))
        return false;
    m_editor.edit(tr("Change %1").arg(qtText(settingOfSource(before))), [&](Plan& plan) {
        plan.set.erase(settingOfSource(before));
        plan.set[settingOfSource(next)] = next.reads;
    });
    if (next.name != before.name)
        emit renamed(qtText(settingOfSource(next)));
    return true;
}

int SourcesModel::rowOf(const QString& setting) const
{
    const std::string wanted = setting.toStdString();
    const auto found = std::ranges::find(m_sources, wanted, settingOfSource);
    return found == m_sources.end() ? -1 : int(found - m_sources.begin());
}

int SourcesModel::add(SourceKind kind)
{
    const std::string name = kind == SourceKind::Exporter ? "exporter" : "machine";
    SeriesSource source{kind, name, kind == SourceKind::Exporter ? "" : "ssh "};
    for (int number = 2; rowOf(qtText(settingOfSource(source))) >= 0; ++number)
        source.name = name + ' ' + std::to_string(number);
    m_editor.edit(kind == SourceKind::Exporter ? tr("Add exporter") : tr("Add machine"),
                  [&](Plan& plan) { plan.set[settingOfSource(source)] = source.reads; });
    return rowOf(qtText(settingOfSource(source)));
}

void SourcesModel::remove(const QList<int>& rows)
{
    std::vector<std::string> settings;
    for (const int row : rows) {
        if (row >= 0 && row < rowCount())
            settings.push_back(settingOfSource(m_sources[std::size_t(row)]));
    }
    m_editor.edit(tr("Remove what is read"), [&settings](Plan& plan) {
        for (const std::string& setting : settings)
            plan.set.erase(setting);
    });
}

const SourcesModel::Tried* SourcesModel::tried(const SeriesSource& source) const
{
    const auto found = m_tried.constFind(qtText(settingOfSource(source)));
    return found == m_tried.constEnd() || found->source != source ? nullptr : &*found;
}

void SourcesModel::setTried(const SeriesSource& source, const QString& text, bool failed)
{
    const QString setting = qtText(settingOfSource(source));
    m_tried.insert(setting, {source, text, failed});
    if (const int row = rowOf(setting); row >= 0)
        emit dataChanged(index(row, TriedColumn), index(row, TriedColumn));
}

void SourcesModel::forgetTried(const SeriesSource& source)
{
    const QString setting = qtText(settingOfSource(source));
    m_tried.remove(setting);
    if (const int row = rowOf(setting); row >= 0)
        emit dataChanged(index(row, TriedColumn), index(row, TriedColumn));
}

void SourcesModel::sync()
{
    std::vector<SeriesSource> sources = observedSources(m_editor.plan());
    // A row with another name keeps its cell's editor: nothing is reset while as many rows are there.
    const bool sameRows = sources.size() == m_sources.size();
    if (!sameRows)
        beginResetModel();
    m_sources = std::move(sources);
    if (!sameRows)
        endResetModel();
    else if (!m_sources.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

// --- SourcesForm ---

SourcesForm::SourcesForm(PlanEditor& editor, Agree agree, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_agree(std::move(agree))
    , m_model(new SourcesModel(editor, this))
    , m_table(new FitTable(this))
    , m_try(makeButton(tr("Try"), "link", {}, this))
    , m_remove(makeButton(tr("Remove"), "link", {}, this))
    , m_empty(new WrapLabel(tr("None. Series of Prometheus exporters, and the CPU, memory, disks and network of other "
                               "machines, can stand beside the server's."),
                            TextRole::Secondary, this))
    , m_problem(new WrapLabel({}, TextRole::Secondary, this))
    , m_job(this)
{
    setObjectName(u"sourcesForm"_s);
    m_empty->setObjectName(u"sourcesEmpty"_s);
    m_problem->setObjectName(u"sourcesProblem"_s);
    setTone(m_problem, Tone::Bad);
    describe(m_table, u"sourcesTable"_s, tr("Exporters and machines"), u" "_s);
    m_table->setToolTip({});
    m_table->setModel(m_model);
    m_table->setItemDelegate(new SourceDelegate(
        [this](const QModelIndex& index, const QString& text) { showProblem(m_model->problemWith(index, text)); },
        m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setMinimumSectionSize(72);
    header->setSectionResizeMode(SourcesModel::KindColumn, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(SourcesModel::NameColumn, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(SourcesModel::ReadsColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(SourcesModel::TriedColumn, QHeaderView::Interactive);
    m_table->setColumnWidth(SourcesModel::TriedColumn, 220);
    auto* exporter = makeButton(tr("+ Exporter"), "link", {}, this);
    describe(exporter, u"addExporter"_s, tr("Add an exporter"),
             tr("Series of a Prometheus exporter, asked once per interval"));
    auto* machine = makeButton(tr("+ Machine"), "link", {}, this);
    describe(machine, u"addMachine"_s, tr("Add a machine"),
             tr("CPU, memory, disks and network of another machine, read over your ssh"));
    describe(m_try, u"trySource"_s, tr("Try the selected row"),
             tr("Reads it once, as a run does, and says how many series there are; stores nothing"));
    describe(m_remove, u"removeSource"_s, tr("Remove the selected rows"), tr("Remove the selected rows (Delete)"));

    auto* top = new QHBoxLayout;
    top->setContentsMargins(0, 0, 0, 0);
    top->setSpacing(space::cardGap);
    top->addWidget(makeStrongLabel(tr("Exporters and machines"), this));
    top->addStretch();
    top->addWidget(m_try);
    top->addWidget(m_remove);
    top->addWidget(exporter);
    top->addWidget(machine);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::grid);
    layout->addLayout(top);
    layout->addWidget(m_empty);
    layout->addWidget(m_table);
    layout->addWidget(m_problem);

    connect(exporter, &QPushButton::clicked, this, [this] { add(SourceKind::Exporter); });
    connect(machine, &QPushButton::clicked, this, [this] { add(SourceKind::Machine); });
    connect(m_try, &QPushButton::clicked, this, &SourcesForm::tryCurrent);
    connect(m_remove, &QPushButton::clicked, this, &SourcesForm::removeSelected);
    connect(m_table, &FitTable::removeRequested, this, &SourcesForm::removeSelected);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        if (!now.isValid())
            return; // the rows are about to change
        m_current = qtText(settingOfSource(m_model->sources()[std::size_t(now.row())]));
        m_column = now.column();
        refresh();
    });
    // Later, when the name's editor has closed: rows stand in the order of their names.
    connect(
        m_model, &SourcesModel::renamed, this,
        [this](const QString& setting) {
            if (const int row = m_model->rowOf(setting); row >= 0)
                m_table->setCurrentIndex(m_model->index(row, SourcesModel::NameColumn));
        },
        Qt::QueuedConnection);
    connect(&editor, &PlanEditor::replaced, this, &SourcesForm::giveUp);
    // What is told while somebody types is about a text that may not be taken.
    connect(m_table->itemDelegate(), &QAbstractItemDelegate::closeEditor, this, &SourcesForm::refresh);
    connect(m_model, &QAbstractItemModel::modelReset, this, &SourcesForm::refresh);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &SourcesForm::refresh);
    refresh();
}

SourcesForm::~SourcesForm()
{
    if (m_stop)
        m_stop->store(true);
}

//! The row that a person was in stays the current one, also when it has moved with its name.
void SourcesForm::refresh()
{
    const int rows = m_model->rowCount();
    if (rows > 0 && !m_table->currentIndex().isValid()) {
        const int row = std::max(0, m_model->rowOf(m_current));
        m_table->setCurrentIndex(m_model->index(row, m_column));
    }
    m_empty->setVisible(rows == 0);
    m_table->setVisible(rows > 0);
    m_try->setVisible(rows > 0);
    m_remove->setVisible(rows > 0);
    const int current = m_table->currentIndex().row();
    const QString problem = current < 0 ? QString() : m_model->problemOf(current);
    showProblem(problem.isEmpty() && current >= 0 ? m_model->failureOf(current) : problem);
    m_try->setEnabled(current >= 0 && problem.isEmpty()); // also while one is under way: it keeps the focus
}

void SourcesForm::showProblem(const QString& problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

void SourcesForm::add(SourceKind kind)
{
    const int row = m_model->add(kind);
    m_table->setFocus();
    m_table->setCurrentIndex(m_model->index(row, SourcesModel::ReadsColumn));
    m_table->edit(m_table->currentIndex());
}

void SourcesForm::removeSelected()
{
    m_model->remove(m_table->selectedRows());
}

void SourcesForm::focusSetting(const QString& setting)
{
    m_table->setFocus(Qt::OtherFocusReason);
    if (const int row = m_model->rowOf(setting); row >= 0)
        m_table->setCurrentIndex(m_model->index(row, SourcesModel::ReadsColumn));
}

void SourcesForm::tryCurrent()
{
    const int row = m_table->currentIndex().row();
    if (row < 0 || !m_model->problemOf(row).isEmpty())
        return;
    const SeriesSource source = m_model->sources()[std::size_t(row)];
    m_agree(risksOfSource(source), [form = QPointer(this), source] {
        if (form)
            form->read(source);
    });
}

void SourcesForm::read(const SeriesSource& source)
{
    if (trying() && source == m_asked)
        return;
    giveUp(); // what is asked now is what a person waits for
    m_asked = source;
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_model->setTried(source, tr("asking…"), false);
    refresh();
    m_job.start([source, stop = m_stop] { return readSource(source, [stop] { return stop->load(); }); },
                [this, source](const Expected<SourceReading>& reading) { show(source, reading); });
}

void SourcesForm::giveUp()
{
    if (!m_stop)
        return;
    m_stop->store(true);
    m_stop.reset();
    m_job.cancel();
    m_model->forgetTried(m_asked);
}

void SourcesForm::show(const SeriesSource& source, const Expected<SourceReading>& reading)
{
    m_stop.reset();
    if (!reading)
        m_model->setTried(source, problemText(reading.error()), true);
    else if (reading->series < reading->offered)
        m_model->setTried(source,
                          tr("%1 of %2 series are stored")
                              .arg(format::count(qint64(reading->series)), format::count(qint64(reading->offered))),
                          false);
    else
        m_model->setTried(
            source, reading->series == 1 ? tr("1 series") : tr("%1 series").arg(format::count(qint64(reading->series))),
            false);
    refresh();
    emit tried();
}

} // namespace dyno
