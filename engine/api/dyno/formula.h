// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Arithmetic with the figures of a run, as a measure: "formula:Syncs per commit = Innodb_data_fsyncs / Com_commit
//! [syncs/commit]". Plain values; any thread.
#pragma once

#include "error.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The measure whose part is a formula.
inline constexpr std::string_view kFormulaMeasure = "formula";

//! Numbers, figures, + - * / and parentheses, as in arithmetic. A figure is a measure ("tps", "service_p99:new_order")
//! or a counter of the run ("Com_commit"); one with other characters than letters, digits, _ . and : stands between
//! single quotes ('host/vda bytes written'). A name and = may stand before it, a unit in brackets behind it.
class Formula
{
public:
    static constexpr std::size_t kMostCharacters = 500;

    //! The error's message begins with the column, counted from 1.
    [[nodiscard]] static Expected<Formula> parse(std::string_view text);

    //! What it is called: the name before =, or the arithmetic.
    [[nodiscard]] const std::string& label() const { return m_label; }
    [[nodiscard]] const std::string& unit() const { return m_unit; } //!< "" where none is given
    //! Of each figure the measure that it names, "counter:Com_commit" of a counter; in the order of the text, each
    //! once.
    [[nodiscard]] const std::vector<std::string>& measures() const { return m_measures; }
    //! Not a number where a figure that it needs is not known, and where it divides by 0. `figureOf` is asked for each
    //! of measures() once.
    [[nodiscard]] double value(const std::function<double(const std::string& measure)>& figureOf) const;
    //! The same formula with other names: `measure` is told one of measures() and gives what stands in its place,
    //! `label` gives the new text of its name and of its unit, where it has them.
    [[nodiscard]] std::string renamed(const std::function<std::string(const std::string&)>& measure,
                                      const std::function<std::string(const std::string&)>& label) const;

private:
    friend class FormulaParser;
    enum class Do { Number, Figure, Add, Subtract, Multiply, Divide, Negate };
    struct Step //!< of a calculation on a stack
    {
        Do what = Do::Number;
        double number = 0;
        std::size_t figure = 0; //!< index into m_measures
    };
    struct Place //!< where the arithmetic names a figure, with its quotes
    {
        std::size_t from = 0, length = 0, figure = 0;
    };
    std::string m_label, m_unit, m_arithmetic;
    bool m_named = false;
    std::vector<std::string> m_measures;
    std::vector<Step> m_steps;
    std::vector<Place> m_places;
};

} // namespace dyno
