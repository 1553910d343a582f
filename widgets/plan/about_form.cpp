// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/about_form.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "plan/size_dialog.h"
#include "theme.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLinesOfDescription = 4;

//! "load.time = 1s, load.repeats = 2"
QString fieldsText(const PlanSize& size)
{
    QStringList parts;
    for (const auto& [path, value] : size.fields)
        parts << qtText(path) + u" = "_s + qtText(value);
    return parts.join(u", "_s);
}

} // namespace

AboutForm::AboutForm(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_description(new QPlainTextEdit)
    , m_departs(new WrapLabel({}, TextRole::Secondary))
    , m_sizesBox(new QWidget)
    , m_sizes(new QVBoxLayout)
    , m_add(makeButton(tr("+ Size"), "link"))
{
    describe(m_description, u"planDescription"_s, tr("Description"),
             tr("What the plan is about; it is saved with the plan and with each session"));
    m_description->setPlaceholderText(tr("What is the plan about?"));
    m_description->setTabChangesFocus(true);
    m_description->setFont(Theme::font(TextRole::Body));
    m_description->setFixedHeight(kLinesOfDescription * QFontMetrics(m_description->font()).lineSpacing() + 14);
    m_departs->setObjectName(u"planDeparts"_s);
    m_departs->setAccessibleDescription(tr("How the plan departs from the published experiment"));
    m_departs->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sizesBox->setObjectName(u"planSizes"_s);
    auto* sizes = new QVBoxLayout(m_sizesBox);
    sizes->setContentsMargins(0, 0, 0, 0);
    sizes->setSpacing(4);
    sizes->addWidget(makeLabel(tr("Sizes"), TextRole::Secondary));
    auto* what =
        new WrapLabel(tr("Other settings of this plan, for dyno run --size NAME. They change nothing on this page."),
                      TextRole::Secondary);
    sizes->addWidget(what);
    m_sizes->setSpacing(2);
    sizes->addLayout(m_sizes);
    describe(m_add, u"planSizeAdd"_s, tr("Add a size"), tr("Add a size: a name and the settings that it changes"));
    sizes->addWidget(m_add, 0, Qt::AlignLeft);
    connect(m_add, &QPushButton::clicked, this, [this] { openSize({}); });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(m_description);
    layout->addWidget(m_departs);
    layout->addWidget(m_sizesBox);
    connect(m_description, &QPlainTextEdit::textChanged, this, [this] {
        const std::string text = m_description->toPlainText().toStdString();
        if (text != m_editor.plan().description)
            m_editor.edit(
                tr("Change description"), [&text](Plan& plan) { plan.description = text; }, u"description"_s);
    });
    connect(&editor, &PlanEditor::changed, this, &AboutForm::sync);
    sync();
}

void AboutForm::sync()
{
    const QString text = qtText(m_editor.plan().description);
    if (m_description->toPlainText() != text)
        m_description->setPlainText(text);
    const QStringList departs = qtTexts(m_editor.plan().departs);
    QString list = tr("Departs from the published experiment:");
    for (const QString& one : departs)
        list += u"\n\u2013\u00a0"_s + one;
    m_departs->setText(list);
    m_departs->setVisible(!departs.isEmpty());
    showSizes();
}

void AboutForm::showSizes()
{
    const std::vector<PlanSize>& sizes = m_editor.plan().sizes;
    QString shown;
    for (const PlanSize& size : sizes)
        shown += qtText(size.name) + u": "_s + fieldsText(size) + u'\n';
    if (shown == m_shownSizes && !shown.isEmpty())
        return;
    m_shownSizes = shown;
    while (QLayoutItem* old = m_sizes->takeAt(0)) {
        if (QWidget* row = old->widget()) {
            row->hide();
            for (QWidget* part : row->findChildren<QWidget*>()) // gone for whoever looks for them
                part->setObjectName({});
            row->deleteLater();
        }
        delete old;
    }
    QWidget* before = m_description; // rows are newer than m_add, and yet come before it
    for (const PlanSize& size : sizes) {
        const QString name = qtText(size.name);
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(10);
        QLabel* title = makeStrongLabel(name);
        title->setMinimumWidth(80);
        auto* fields = new ElidedLabel(fieldsText(size), TextRole::Secondary);
        fields->setObjectName(u"planSize."_s + name);
        fields->setAccessibleName(name + u": "_s + fieldsText(size));
        auto* edit = makeButton(tr("Edit…"), "link");
        describe(edit, u"editSize."_s + name, tr("Edit the size %1").arg(name),
                 tr("Change the name and the settings of the size %1").arg(name));
        connect(edit, &QPushButton::clicked, this, [this, name = size.name] { openSize(name); });
        auto* remove = makeButton(tr("Remove"), "link");
        describe(remove, u"removeSize."_s + name, tr("Remove the size %1").arg(name),
                 tr("Remove the size %1 from the plan; Ctrl+Z brings it back").arg(name));
        line->addWidget(title);
        line->addWidget(fields, 1);
        line->addWidget(edit);
        line->addWidget(remove);
        m_sizes->addWidget(row);
        QWidget::setTabOrder(before, edit);
        QWidget::setTabOrder(edit, remove);
        before = remove;
        connect(remove, &QPushButton::clicked, this, [this, name = size.name] {
            m_editor.edit(tr("Remove a size"), [&name](Plan& plan) {
                std::erase_if(plan.sizes, [&name](const PlanSize& one) { return one.name == name; });
            });
        });
    }
    QWidget::setTabOrder(before, m_add);
}

void AboutForm::openSize(const std::string& name)
{
    auto* dialog = new SizeDialog(m_editor.plan(), name, this);
    connect(dialog, &SizeDialog::chosen, this, [this, name](const PlanSize& size) {
        m_editor.edit(name.empty() ? tr("Add a size") : tr("Change a size"), [&](Plan& plan) {
            const auto old = std::ranges::find(plan.sizes, name, &PlanSize::name);
            if (old == plan.sizes.end())
                plan.sizes.push_back(size);
            else
                *old = size;
        });
        if (auto* edit = findChild<QPushButton*>(u"editSize."_s + qtText(size.name)))
            edit->setFocus(Qt::OtherFocusReason); // the row that had it is made anew
    });
    dialog->open();
}

void AboutForm::focusPath(const QString& where)
{
    if (!where.startsWith("size"_L1)) {
        m_description->setFocus(Qt::OtherFocusReason);
        return;
    }
    QPushButton* best = m_add;
    for (const PlanSize& size : m_editor.plan().sizes) {
        const QString name = qtText(size.name);
        if (where == u"size."_s + name || where.startsWith(u"size."_s + name + u'.'))
            best = findChild<QPushButton*>(u"editSize."_s + name);
    }
    best->setFocus(Qt::OtherFocusReason);
}

} // namespace dyno
