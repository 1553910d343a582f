// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/target_path.h"

#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <dyno/path.h>
#include <dyno/uri.h>
#include <dyno/uri_form.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>

namespace dyno {

using namespace Qt::StringLiterals;

OptionSpec userPathOption()
{
    OptionSpec option;
    option.name = kPathKey.substr(kPathKey.find('.') + 1);
    option.label = TargetPathField::tr("Path of the users").toStdString();
    option.help =
        TargetPathField::tr("How the users reach the target: directly, through a proxy that Dynobench starts, "
                            "over a network link (link:1Gbit or link:100Mbit/5ms: rate and added round trip; a managed "
                            "server by TCP, as root), or HOST:PORT or the path of a Unix socket. Loading connects "
                            "directly, and so do counters but over a link")
            .toStdString();
    option.defaultValue = std::string(kDirectPath);
    return option;
}

QStringList userPathChoices()
{
    QStringList choices{QLatin1String(kDirectPath)};
    for (const ProxyInfo& proxy : proxies()) {
        choices << qtText(proxy.id);
        if (!proxy.pools)
            continue;
        if (const auto usual = parsePath(poolText(proxy.id, {.perTransaction = true})))
            choices << qtText(poolText(proxy.id, usual->pool));
    }
    return choices;
}

TargetPathField::TargetPathField(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_choice(new QComboBox)
{
    constexpr int kWidth = 260;
    m_choice->setEditable(true);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    m_choice->addItems(userPathChoices());
    for (const double gigabits : {1., 10.})
        m_choice->addItem(qtText(linkText({gigabits * 1e9, 0})));
    m_choice->lineEdit()->setPlaceholderText(QLatin1String(kDirectPath));
    const OptionSpec option = userPathOption();
    describe(m_choice, u"targetUserPath"_s, qtText(option.label), qtText(option.help));
    m_field = new Field(qtText(option.label), m_choice, kWidth, this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_field);
    row->addStretch(1);
    connect(m_choice->lineEdit(), &QLineEdit::textEdited, this, [this](const QString& text) { typed(text.trimmed()); });
    connect(m_choice, &QComboBox::activated, this, [this] { typed(m_choice->currentText().trimmed()); });
}

void TargetPathField::typed(const QString& text)
{
    Plan trial;
    const auto set = setField(trial, kPathKey, text.toStdString());
    m_field->setProblem(set ? QString() : tr("%1: %2").arg(qtText(set.error().message), qtText(set.error().remedy)));
    if (set)
        m_editor.edit(
            tr("Change the path of the users"), [&](Plan& plan) { plan.target.path = trial.target.path; },
            u"target.userPath"_s);
}

void TargetPathField::fill()
{
    const TargetSpec& target = m_editor.plan().target;
    const auto uri = parseUri(target.uri);
    const UriForm* form = uri ? uriFormOfDriver(uri->driver) : nullptr;
    setVisible(target.path != kDirectPath || (form && form->keepsAddress));
    const QString shown = m_choice->currentText().trimmed();
    const QString wanted = qtText(target.path);
    const bool typing = m_choice->lineEdit()->hasFocus() && (shown.isEmpty() || !m_field->problem().isEmpty());
    if (shown == wanted || typing)
        return;
    m_field->setProblem({});
    m_choice->setCurrentText(wanted);
}

} // namespace dyno
