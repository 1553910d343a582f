// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/price_fields.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <QHBoxLayout>
#include <QLineEdit>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

QString amount(double value)
{
    return value > 0 ? QString::number(value, 'g', 12) : QString();
}

} // namespace

PriceFields::PriceFields(const QString& prefix, const Price& price, QWidget* parent)
    : QWidget(parent)
    , m_cost(new QLineEdit(amount(price.costPerHour)))
    , m_currency(new QLineEdit(price.currency == Price().currency ? QString() : qtText(price.currency)))
    , m_watts(new QLineEdit(amount(price.watts)))
    , m_costField(new Field(tr("Cost per hour"), m_cost, 130, this))
    , m_currencyField(new Field(tr("Currency"), m_currency, 90, this))
    , m_wattsField(new Field(tr("Power, W"), m_watts, 130, this))
{
    m_cost->setPlaceholderText(tr("not known"));
    m_currency->setPlaceholderText(qtText(Price().currency));
    m_watts->setPlaceholderText(tr("not known"));
    describe(m_cost, prefix + u"Cost"_s, tr("Cost per hour"),
             tr("What an hour of its machine costs, for plans that use it and give no price of their own"));
    describe(m_currency, prefix + u"Currency"_s, tr("Currency"), tr("As shown with the figures: $, €, CHF"));
    describe(m_watts, prefix + u"Watts"_s, tr("Power, W"),
             tr("What its machine draws in watts, for figures per watt-hour"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::cardGap);
    for (Field* field : {m_costField, m_currencyField, m_wattsField})
        row->addWidget(field);
    row->addStretch(1);
    for (QLineEdit* edit : {m_cost, m_currency, m_watts})
        connect(edit, &QLineEdit::textChanged, this, &PriceFields::check);
    check();
}

void PriceFields::check()
{
    Plan trial;
    m_right = true;
    const auto take = [&](const char* name, QLineEdit* edit, Field* field) {
        const std::string text = edit->text().trimmed().toStdString();
        const auto set = text.empty() ? Expected<void>() : setField(trial, name, text);
        field->setProblem(set ? QString() : tr("%1: %2").arg(qtText(set.error().message), qtText(set.error().remedy)));
        m_right = m_right && set;
    };
    take("target.cost_per_hour", m_cost, m_costField);
    take("target.currency", m_currency, m_currencyField);
    take("target.watts", m_watts, m_wattsField);
    m_price = trial.target.price;
    emit changed();
}

} // namespace dyno
