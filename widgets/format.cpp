// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"

#include <dyno/figures.h>

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace dyno::format {

namespace {

const QChar kNarrowNoBreak(0x202F);
const QChar kMinus(0x2212);

QString tr(const char* text)
{
    return QCoreApplication::translate("dyno::format", text);
}

//! The locale's decimal point; groups of three parted by a narrow no-break space, from four digits on.
QString grouped(QString digits)
{
    const QLocale locale;
    const bool negative = digits.startsWith(QLatin1Char('-'));
    if (negative)
        digits.remove(0, 1);
    const auto point = digits.indexOf(QLatin1Char('.'));
    QString whole = point < 0 ? digits : digits.left(point);
    const QString rest = point < 0 ? QString() : locale.decimalPoint() + digits.mid(point + 1);
    for (auto at = whole.size() - 3; at > 0; at -= 3)
        whole.insert(at, kNarrowNoBreak);
    const QString body = whole + rest;
    const bool zero = std::none_of(body.begin(), body.end(), [](QChar c) { return c >= u'1' && c <= u'9'; });
    return negative && !zero ? kMinus + body : body;
}

//! A figure as reports have it, in the user's locale.
QString spelled(const std::string& figure)
{
    QString digits = QString::fromStdString(figure);
    return grouped(digits.remove(kNarrowNoBreak));
}

//! Decimals that leave three significant figures, none from 100 on.
int decimalsFor(double value)
{
    const double size = std::fabs(value);
    if (size == 0 || size >= 99.95)
        return 0;
    if (size >= 9.995)
        return 1;
    if (size >= 0.9995)
        return 2;
    return std::min(9, int(std::ceil(-std::log10(size))) + 2);
}

//! Cuts zeros behind the decimal point.
QString trimmed(QString digits)
{
    if (!digits.contains(QLatin1Char('.')))
        return digits;
    while (digits.endsWith(QLatin1Char('0')))
        digits.chop(1);
    if (digits.endsWith(QLatin1Char('.')))
        digits.chop(1);
    return digits;
}

} // namespace

QString count(qint64 value)
{
    return grouped(QString::number(value));
}

QString number(double value, int decimals)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    return grouped(QString::number(value, 'f', decimals));
}

QString rate(double perSecond)
{
    if (!std::isfinite(perSecond))
        return QStringLiteral("–");
    const QString digits = QString::number(perSecond, 'f', decimalsFor(perSecond));
    return grouped(std::fabs(perSecond) >= 1 && std::fabs(perSecond) < 9.995
                       ? trimmed(QString::number(perSecond, 'f', 2))
                       : (std::fabs(perSecond) < 99.95 ? trimmed(digits) : digits));
}

QString time(double ms)
{
    const TimeUnit unit = timeUnitOf(ms);
    return std::isfinite(ms) ? spelled(figureText(ms / unit.ms)) + QChar(0x00A0) + QString::fromUtf8(unit.name)
                             : QStringLiteral("–");
}

QString bytes(double bytes)
{
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    if (!std::isfinite(bytes))
        return QStringLiteral("–");
    std::size_t unit = 0;
    double value = bytes;
    while (std::fabs(value) >= 1023.5 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || std::fabs(value) >= 99.95 ? 0 : 1;
    return grouped(trimmed(QString::number(value, 'f', decimals))) + QChar(0x00A0) + QLatin1String(kUnits[unit]);
}

QString percent(double fraction)
{
    if (!std::isfinite(fraction))
        return QStringLiteral("–");
    const double value = fraction * 100;
    const double size = std::fabs(value);
    const int decimals = size > 0 && size < 0.995 ? (size < 0.0995 ? 2 : 1) : 0;
    return grouped(trimmed(QString::number(value, 'f', decimals))) + QChar(0x00A0) + QLatin1Char('%');
}

QString ratio(double value)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    return spelled(ratioText(value)) + QChar(0x00D7);
}

QString duration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return QStringLiteral("–");
    const QChar space(0x00A0);
    if (seconds < 9.95 && std::fabs(seconds - std::round(seconds)) > 0.05)
        return grouped(trimmed(QString::number(seconds, 'f', 1))) + space + tr("s");
    if (seconds < 89.5)
        return QString::number(std::llround(seconds)) + space + tr("s");
    const auto minutes = std::llround(seconds / 60);
    if (minutes < 60)
        return QString::number(minutes) + space + tr("min");
    const QString hours = QString::number(minutes / 60) + space + tr("h");
    if (minutes >= 24 * 60 || minutes % 60 == 0)
        return hours;
    return hours + space + QString::number(minutes % 60) + space + tr("min");
}

QString clock(double seconds)
{
    if (!std::isfinite(seconds))
        return QStringLiteral("–");
    const auto total = std::llround(std::fabs(seconds));
    const QString sign = seconds < 0 && total > 0 ? QString(kMinus) : QString();
    const auto hours = total / 3600;
    const QString rest =
        QStringLiteral("%1:%2").arg(total / 60 % 60, 2, 10, QLatin1Char('0')).arg(total % 60, 2, 10, QLatin1Char('0'));
    return sign + (hours > 0 ? QString::number(hours) + QLatin1Char(':') + rest : rest);
}

QString when(qint64 msSinceEpoch)
{
    if (msSinceEpoch <= 0)
        return QStringLiteral("–");
    const QLocale locale;
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(msSinceEpoch);
    const qint64 daysAgo = time.date().daysTo(QDate::currentDate());
    const QString hour = time.toString(QStringLiteral("HH:mm"));
    if (daysAgo == 0)
        return tr("today %1").arg(hour);
    if (daysAgo == 1)
        return tr("yesterday %1").arg(hour);
    return locale.toString(time.date(), QStringLiteral("d MMM yyyy")) + QStringLiteral(", ") + hour;
}

QString day(qint64 msSinceEpoch)
{
    if (msSinceEpoch <= 0)
        return QStringLiteral("–");
    const QDate date = QDateTime::fromMSecsSinceEpoch(msSinceEpoch).date();
    const QDate today = QDate::currentDate();
    if (date == today)
        return tr("today");
    if (date.daysTo(today) == 1)
        return tr("yesterday");
    return QLocale().toString(date,
                              date.year() == today.year() ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

QString ago(qint64 msSinceEpoch)
{
    constexpr qint64 kMinute = 60, kDay = 24 * 60 * kMinute;
    const qint64 seconds = (QDateTime::currentMSecsSinceEpoch() - msSinceEpoch) / 1000;
    if (msSinceEpoch <= 0 || seconds >= kDay || seconds < 0)
        return day(msSinceEpoch);
    if (seconds < kMinute)
        return tr("just now");
    return seconds < 60 * kMinute ? tr("%1\u00a0min ago").arg(seconds / kMinute)
                                  : tr("%1\u00a0h ago").arg(seconds / (60 * kMinute));
}

} // namespace dyno::format
