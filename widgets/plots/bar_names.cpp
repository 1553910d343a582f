// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/bar_names.h"

#include "plots/series_labels.h"
#include "theme.h"

#include <algorithm>

namespace dyno {

namespace {

//! In lines of at most `width` pixels, broken after separators; empty when a part is longer.
QString inLines(const QString& name, double width, const QFontMetrics& metrics)
{
    QStringList parts(QString{});
    for (const QChar c : name) {
        parts.last() += c;
        if (c == u' ' || c == u'_' || c == u'-' || c == u'/' || c == u',')
            parts << QString();
    }
    QStringList lines(QString{});
    for (const QString& part : parts) {
        if (metrics.horizontalAdvance(QString(lines.last() + part).trimmed()) > width && !lines.last().isEmpty())
            lines << QString();
        lines.last() += part;
        if (metrics.horizontalAdvance(lines.last().trimmed()) > width)
            return {};
    }
    for (QString& line : lines)
        line = line.trimmed();
    return lines.join(u'\n');
}

} // namespace

void BarNames::fit(QCPAxis& axis, double place)
{
    constexpr double kAir = 6; // between two names
    axis.setTickLabelRotation(0);
    if (m_names.empty())
        return;
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    const double step = m_names.size() > 1 ? m_names[1].first - m_names[0].first : axis.range().size();
    auto ticker = QSharedPointer<QCPAxisTickerText>::create(); // the card has set one that names each bar
    bool upright = false;
    m_lines = 1;
    for (const auto& [at, name] : m_names) {
        const QString lines = inLines(name, step * place - kAir, metrics);
        upright = upright || (lines.isEmpty() && !name.isEmpty());
        m_lines = std::max(m_lines, 1 + int(lines.count(u'\n')));
        ticker->addTick(at, lines.isEmpty() ? name : lines);
    }
    if (upright) {
        m_lines = 5;
        ticker->clear();
        for (const auto& [at, name] : m_names)
            ticker->addTick(at, shortLabel(name));
        axis.setTickLabelRotation(-35);
    }
    axis.setTicker(ticker);
}

} // namespace dyno
