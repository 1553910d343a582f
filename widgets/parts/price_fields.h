// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the machine of a known server costs and draws: three fields in a row, all of which may stay empty. GUI thread.
#pragma once

#include <dyno/plan.h>

#include <QWidget>

class QLineEdit;

namespace dyno {

class Field;

class PriceFields : public QWidget
{
    Q_OBJECT
public:
    //! `prefix` of the names of the three: "remote" gives remoteCost, remoteCurrency and remoteWatts.
    PriceFields(const QString& prefix, const Price& price, QWidget* parent = nullptr);
    [[nodiscard]] const Price& price() const
    {
        return m_price;
    }                                                    //!< what the fields say, by the rules of a plan's target
    [[nodiscard]] bool right() const { return m_right; } //!< else a field says what is wrong

signals:
    void changed();

private:
    void check();

    QLineEdit *m_cost, *m_currency, *m_watts;
    Field *m_costField, *m_currencyField, *m_wattsField;
    Price m_price;
    bool m_right = true;
};

} // namespace dyno
