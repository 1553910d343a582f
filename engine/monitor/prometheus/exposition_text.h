// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writes Prometheus' text format 0.0.4.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace dyno {

//! One metric after the other, each with all its samples: the format wants them together. One thread at a time.
class ExpositionText
{
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    //! `type`: "counter", "gauge", "histogram". What follows are its samples.
    void metric(std::string_view name, std::string_view type, std::string_view help);
    void sample(double value, Labels labels = {}) { sample({}, value, labels); }
    //! `suffix`: "_bucket", "_sum", "_count" of a histogram.
    void sample(std::string_view suffix, double value, Labels labels = {});
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_name;
    std::string m_text;
};

//! As a sample has it: the shortest form that gives the same number again, "NaN", "+Inf", "-Inf".
[[nodiscard]] std::string expositionNumber(double value);
//! A value of a label between its quotes. Bytes that are no UTF-8 are written out (visibleText()).
[[nodiscard]] std::string expositionLabel(std::string_view value);

} // namespace dyno
