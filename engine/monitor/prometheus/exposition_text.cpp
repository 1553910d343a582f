// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/prometheus/exposition_text.h"

#include <dyno/visible_text.h>

#include <cmath>
#include <fmt/format.h>

namespace dyno {

std::string expositionNumber(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

std::string expositionLabel(std::string_view value)
{
    const std::string seen = visibleText(value, TextLayout::Keep);
    std::string text;
    text.reserve(seen.size());
    for (const char c : seen) {
        if (c == '\n')
            text += "\\n";
        else if (c == '"' || c == '\\')
            text += {'\\', c};
        else
            text += c;
    }
    return text;
}

void ExpositionText::metric(std::string_view name, std::string_view type, std::string_view help)
{
    m_name = name;
    m_text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void ExpositionText::sample(std::string_view suffix, double value, Labels labels)
{
    m_text += m_name;
    m_text += suffix;
    char before = '{';
    for (const auto& [name, text] : labels) {
        m_text += fmt::format("{}{}=\"{}\"", before, name, expositionLabel(text));
        before = ',';
    }
    if (labels.size() > 0)
        m_text += '}';
    m_text += fmt::format(" {}\n", expositionNumber(value));
}

} // namespace dyno
