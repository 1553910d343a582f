// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/check_list.h"

#include "format.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "plan/preflight_card.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/runner.h>

#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! "server.max_connections", without the case that it is set in.
QString fieldName(const std::string& path)
{
    return qtText(path).section(u"]."_s, -1);
}

//! True of "server.innodb_buffer_pool_size": its value is in bytes.
bool isSize(const std::string& path)
{
    const std::string name = path.substr(path.rfind('.') + 1);
    return std::ranges::any_of(knobs(), [&name](const KnobInfo& knob) {
        return knob.option.name == name && knob.option.type == OptionType::Bytes;
    });
}

RowAction actionOf(const PlanFinding& finding)
{
    const QString id = qtText(finding.item.id);
    if (finding.item.level < PreflightLevel::Warning)
        return {};
    if (finding.changes.empty())
        return {CheckList::tr("Show"), u"checkShow."_s + id, CheckList::tr("Show the field that decides it"),
                CheckList::tr("Go to the field of the plan that decides it")};
    QStringList all;
    for (const auto& [path, value] : finding.changes)
        all << CheckList::tr("%1 = %2").arg(qtText(path), qtText(value));
    const std::string& value = finding.changes.front().second;
    bool number = false;
    const qint64 amount = qtText(value).toLongLong(&number);
    const bool size = number && isSize(finding.changes.front().first);
    const QString text = size     ? CheckList::tr("Set to %1").arg(format::bytes(double(amount)))
                         : number ? CheckList::tr("Set to %1").arg(format::count(amount))
                                  : CheckList::tr("Set to %1").arg(qtText(value));
    return {text, u"checkFix."_s + id,
            CheckList::tr("Set %1 in the plan").arg(fieldName(finding.changes.front().first)),
            CheckList::tr("Puts %1 into the plan; Ctrl+Z takes it back").arg(all.join(u", "_s))};
}

} // namespace

CheckList::CheckList(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_job(this)
    , m_rows(new QVBoxLayout(this))
{
    setObjectName(u"checkList"_s);
    setAccessibleName(tr("Checks of the plan on this machine"));
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(2);
    connect(&m_editor, &PlanEditor::checked, this, &CheckList::look);
    connect(&m_editor, &PlanEditor::replaced, this, [this] { show({}); }); // nothing is known of another plan
}

int CheckList::count(PreflightLevel level) const
{
    return int(std::ranges::count_if(m_findings, [level](const PlanFinding& one) { return one.item.level == level; }));
}

void CheckList::look()
{
    m_job.cancel();
    m_looking = m_editor.startable();
    if (!m_looking) {
        show({});
        return;
    }
    m_job.start([plan = m_editor.plan()] { return lookAtPlan(plan, {}); },
                [this](PlanFindings findings) {
                    m_looking = false;
                    show(std::move(findings));
                    emit looked();
                });
}

void CheckList::show(PlanFindings findings)
{
    m_findings = std::move(findings);
    while (QLayoutItem* old = m_rows->takeAt(0)) {
        if (QWidget* widget = old->widget()) {
            widget->hide();
            widget->setObjectName({}); // gone for whoever looks for it
            widget->deleteLater();     // later, since its button may be the sender
        }
        delete old;
    }
    for (const PlanFinding& finding : m_findings) {
        auto* row = new PreflightRow(finding.item, actionOf(finding));
        row->setObjectName(u"check."_s + qtText(finding.item.id));
        connect(row, &PreflightRow::fixClicked, this, [this, finding] { apply(finding); });
        m_rows->addWidget(row);
        row->show(); // at once, not with the next layout
    }
    setVisible(!m_findings.empty());
}

void CheckList::apply(const PlanFinding& finding)
{
    if (finding.changes.empty()) {
        emit fieldWanted(qtText(finding.where));
        return;
    }
    m_editor.edit(tr("Set %1").arg(fieldName(finding.changes.front().first)), [&finding](Plan& plan) {
        Plan changed = plan;
        for (const auto& [path, value] : finding.changes) {
            if (!setField(changed, path, value))
                return; // the plan has moved on: the next look says what is left
        }
        plan = std::move(changed);
    });
}

} // namespace dyno
