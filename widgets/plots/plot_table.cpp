// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_table.h"

#include "qt_text.h"
#include <dyno/export.h>

namespace dyno {

QString PlotTable::toCsv() const
{
    QStringList lines;
    QStringList fields;
    for (const QString& column : columns)
        fields << qtText(csvField(column.toStdString()));
    lines << fields.join(QLatin1Char(','));
    for (const QStringList& row : rows) {
        fields.clear();
        for (const QString& field : row)
            fields << qtText(csvField(field.toStdString()));
        lines << fields.join(QLatin1Char(','));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString PlotTable::toTabbed() const
{
    QStringList lines{columns.join(QLatin1Char('\t'))};
    for (const QStringList& row : rows)
        lines << row.join(QLatin1Char('\t'));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace dyno
