// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/size_dialog.h"

#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "qt_text.h"
#include "theme.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {
constexpr int kSizeDialogWidth = 460, kLinesOfSettings = 7;
}

SizeDialog::SizeDialog(Plan plan, std::string name, QWidget* parent)
    : QDialog(parent)
    , m_plan(std::move(plan))
    , m_was(std::move(name))
    , m_name(new QLineEdit)
    , m_fields(new QPlainTextEdit)
    , m_problem(new WrapLabel({}, TextRole::Secondary))
    , m_save(makeButton(m_was.empty() ? tr("Add") : tr("Save"), "primary"))
{
    auto* layout = dressDialog(*this, u"sizeDialog"_s, m_was.empty() ? tr("Add a size") : tr("Edit a size"));
    setMinimumWidth(kSizeDialogWidth);
    describe(m_name, u"sizeName"_s, tr("Name"), tr("What dyno run --size takes"));
    m_name->setPlaceholderText(u"quick"_s);
    describe(m_fields, u"sizeFields"_s, tr("Settings"), tr("One setting a line, as dyno run --set takes it"));
    m_fields->setPlaceholderText(u"load.time = 1s\nload.repeats = 1"_s);
    m_fields->setTabChangesFocus(true);
    m_fields->setFont(Theme::font(TextRole::Body));
    m_fields->setFixedHeight(kLinesOfSettings * QFontMetrics(m_fields->font()).lineSpacing() + 14);
    m_problem->setObjectName(u"sizeProblem"_s);
    setTone(m_problem, Tone::Bad);
    for (const PlanSize& size : m_plan.sizes) {
        if (size.name != m_was)
            continue;
        QStringList lines;
        for (const auto& [path, value] : size.fields)
            lines += qtText(path) + u" = "_s + qtText(value);
        m_name->setText(qtText(size.name));
        m_fields->setPlainText(lines.join(u'\n'));
    }
    layout->addWidget(makeLabel(tr("Name"), TextRole::Secondary));
    layout->addWidget(m_name);
    layout->addWidget(makeLabel(tr("Settings, one per line"), TextRole::Secondary));
    layout->addWidget(m_fields);
    layout->addWidget(m_problem);
    auto* buttons = makeDialogButtons(*this, u"sizeCancel"_s);
    describe(m_save, u"sizeSave"_s, m_was.empty() ? tr("Add the size") : tr("Save the size"));
    buttons->addButton(m_save, QDialogButtonBox::AcceptRole);
    m_save->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        PlanSize size;
        if (!problemOf(size).isEmpty())
            return;
        accept();
        emit chosen(size);
    });
    connect(m_name, &QLineEdit::textChanged, this, &SizeDialog::check);
    connect(m_fields, &QPlainTextEdit::textChanged, this, &SizeDialog::check);
    check();
    m_name->setFocus();
}

QString SizeDialog::problemOf(PlanSize& size) const
{
    size.name = m_name->text().trimmed().toStdString();
    if (size.name.empty())
        return tr("Enter a name");
    const auto same = [&size](const PlanSize& one) { return one.name == size.name; };
    if (size.name != m_was && std::ranges::any_of(m_plan.sizes, same))
        return tr("The plan has a size of this name");
    struct Entry
    {
        std::string path, value;
        qsizetype line;
    };
    std::vector<Entry> entries;
    const QStringList lines = m_fields->toPlainText().split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = lines[i].trimmed();
        if (line.isEmpty())
            continue;
        const qsizetype equals = line.indexOf(u'=');
        const std::string path = line.left(std::max<qsizetype>(0, equals)).trimmed().toStdString();
        if (path.empty())
            return tr("Line %1: a setting is written “load.time = 1s”").arg(i + 1);
        if (std::ranges::find(entries, path, &Entry::path) != entries.end())
            return tr("Line %1: %2 is set twice").arg(QString::number(i + 1), qtText(path));
        const std::string value = line.mid(equals + 1).trimmed().toStdString();
        entries.push_back({path, value, i + 1});
    }
    if (entries.empty())
        return tr("Enter at least one setting");
    // The order in which a plan file is read: by name, and names of views last.
    std::ranges::sort(entries, {}, [](const Entry& one) {
        return std::pair(one.path.starts_with("view.") && one.path.ends_with(".name"), one.path);
    });
    Plan usual = m_plan;
    usual.sizes.clear();
    Plan changed = usual;
    for (const Entry& one : entries) {
        if (const auto set = setField(changed, one.path, one.value); !set)
            return tr("Line %1: %2", "line, what is wrong").arg(QString::number(one.line), qtText(set.error().text()));
        size.fields.emplace_back(one.path, one.value);
    }
    const Faults faults = checkPlan(changed);
    if (faults.empty())
        return {};
    const Faults before = checkPlan(usual); // those are not of the size
    for (const Fault& fault : faults) {
        const auto known = [&fault](const Fault& one) { return one.where == fault.where && one.what == fault.what; };
        if (std::ranges::none_of(before, known))
            return tr("With these settings %1: %2", "field, what is wrong")
                .arg(qtText(fault.where), qtText(fault.what));
    }
    return {};
}

void SizeDialog::check()
{
    PlanSize size;
    const QString problem = problemOf(size);
    const bool begun = !m_name->text().isEmpty() && !m_fields->document()->isEmpty(); // an empty form is no fault
    m_problem->setText(begun ? problem : QString());
    m_problem->setAccessibleName(m_problem->text());
    m_save->setEnabled(problem.isEmpty());
    m_save->setToolTip(problem);
}

} // namespace dyno
