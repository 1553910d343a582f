// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The fields of a plan's [load], a row each. Reading and writing of plans, `--set`, cases, the stored form, lists of
//! what differs and the command line's flags follow from these rows: a new field is a member of LoadProfile and a row
//! in load_fields.cpp. Called on any thread; the rows never change.
#pragma once

#include "plan.h"
#include "value.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

enum class LoadFieldKind {
    Users,    //!< "1,4,16"
    Duration, //!< seconds, or a word instead of them
    Number,
    Word, //!< one of a few
    Text, //!< "" = none
    List, //!< of texts, "a,b"; an array in TOML
    Flag
};

struct LoadField
{
    std::string name; //!< as in a plan: "think_time"
    LoadFieldKind kind = LoadFieldKind::Number;
    std::string help;           //!< of the flag --think-time: what it is, its unit, what holds without it
    std::string range;          //!< what it takes: "0 to 100000 arrivals", "keep, restore"
    std::string unit;           //!< of a number, in lists of what differs: "a second"
    std::string zero;           //!< what 0 means there: "none"; "" = 0
    bool ofPlan = false;        //!< holds for the plan as a whole: cases cannot set it
    bool ofData = false;        //!< decides what is loaded, or how: `prepare` and `cleanup` take it too
    bool ofImports = false;     //!< told by other tools' logs too
    bool compared = true;       //!< figures may depend on it
    bool checkedAgain = false;  //!< by checkPlan(), in plans that a window or a program made
    bool alwaysWritten = false; //!< also with its usual value

    //! As typed or as in TOML, with its type and range checked; says what it implies for others (a rate opens the
    //! loop).
    std::function<Expected<void>(LoadProfile&, const Value&)> set;
    //! What set() would take.
    std::function<Value(const LoadProfile&)> value;

    //! A number inside the stored form of a plan.
    struct Stored
    {
        std::string path; //!< a JSON pointer (RFC 6901)
        std::function<Value(const LoadProfile&)> get;
        std::function<void(LoadProfile&, const Value&)> set; //!< what cannot be such a value is left as it was
    };
    //! Empty for lists, which the store writes as such: users, steps, observe.
    std::vector<Stored> stored;
};

//! In the order in which a plan has them.
[[nodiscard]] const std::vector<LoadField>& loadFields();
//! nullptr when there is none of that name.
[[nodiscard]] const LoadField* findLoadField(std::string_view name);

} // namespace dyno
