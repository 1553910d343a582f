// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The fields of a View, a row each: [[view]] of a plan, views that a session keeps, `--set view.NAME.FIELD` of sizes
//! and anonymous sessions follow from these rows. Called on any thread; the rows never change.
#pragma once

#include "plan.h"
#include "value.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct ViewField
{
    enum class Names { Nothing, Axes, Text }; //!< what its text may tell of a person's own words

    std::string name;  //!< as in a plan: "relative_to"
    std::string help;  //!< what it is
    std::string range; //!< what it takes: "mean, median"; "" = any text
    Names names = Names::Nothing;
    enum class Type { Text, Seconds, Flag }; //!< Seconds: a time from the beginning of a run
    Type type = Type::Text;
    bool list = false;          //!< of a text: a plan may have an array of texts, which are joined by "; "
    bool ofSizes = false;       //!< a size of a recipe may set it
    bool alwaysWritten = false; //!< in a plan, also with its usual value
    //! With its type and range checked. Of text everything is taken but for centre and relative_to, which are one of a
    //! few words; checkPlan() says more.
    std::function<Expected<void>(View&, const Value&)> set;
    std::function<Value(const View&)> value; //!< a text, a number of seconds, or true and false
};

//! In the order in which a plan has them.
[[nodiscard]] const std::vector<ViewField>& viewFields();
//! nullptr when there is none of that name.
[[nodiscard]] const ViewField* findViewField(std::string_view name);

} // namespace dyno
