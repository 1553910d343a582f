// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/target_price.h"

#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <QLineEdit>

namespace dyno {

using namespace Qt::StringLiterals;

TargetPrice::TargetPrice(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
{
    new FlowLayout(this, space::cardGap);
    add(u"cost_per_hour"_s, tr("Cost per hour"),
        tr("What an hour of this machine costs, for figures per cost; empty: not known"), tr("not known"), 130);
    add(u"currency"_s, tr("Currency"), tr("As shown with the figures: $, €, CHF"), u"$"_s, 90);
    add(u"watts"_s, tr("Power, W"), tr("What this machine draws in watts, for figures per watt-hour; empty: not known"),
        tr("not known"), 130);
}

void TargetPrice::add(const QString& name, const QString& label, const QString& tip, const QString& placeholder,
                      int width)
{
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(placeholder);
    describe(edit, u"target."_s + name, label, tip);
    auto* field = new Field(label, edit, width, this);
    m_fields.insert(name, field);
    layout()->addWidget(field);
    connect(edit, &QLineEdit::textEdited, this, [this, name](const QString& text) { typed(name, text.trimmed()); });
}

void TargetPrice::typed(const QString& name, const QString& text)
{
    const QString empty = name == u"currency"_s ? u"$"_s : u"0"_s;
    const std::string value = (text.isEmpty() ? empty : text).toStdString();
    Plan trial;
    const auto set = setField(trial, ("target." + name.toStdString()), value);
    m_fields.value(name)->setProblem(set ? QString()
                                         : tr("%1: %2").arg(qtText(set.error().message), qtText(set.error().remedy)));
    if (!set)
        return;
    m_editor.edit(
        tr("Change the target's price"),
        [&](Plan& plan) {
            if (name == u"currency"_s)
                plan.target.price.currency = trial.target.price.currency;
            else if (name == u"watts"_s)
                plan.target.price.watts = trial.target.price.watts;
            else
                plan.target.price.costPerHour = trial.target.price.costPerHour;
        },
        u"target."_s + name);
}

void TargetPrice::fill()
{
    const Price& price = m_editor.plan().target.price;
    const auto number = [](double value) { return value > 0 ? QString::number(value, 'g', 12) : QString(); };
    const QHash<QString, QString> texts{{u"cost_per_hour"_s, number(price.costPerHour)},
                                        {u"currency"_s, price.currency == "$" ? QString() : qtText(price.currency)},
                                        {u"watts"_s, number(price.watts)}};
    for (auto it = m_fields.cbegin(); it != m_fields.cend(); ++it) {
        auto* edit = qobject_cast<QLineEdit*>(it.value()->control());
        const QString wanted = texts.value(it.key());
        const QString shown = edit->text().trimmed();
        // "0.5" and "0.50" are the same, and what is being typed stays as it is.
        const bool same = it.key() == u"currency"_s ? shown == wanted || (shown == u"$"_s && wanted.isEmpty())
                                                    : shown.toDouble() == wanted.toDouble();
        if (same || !it.value()->problem().isEmpty())
            continue;
        edit->setText(wanted);
    }
}

} // namespace dyno
