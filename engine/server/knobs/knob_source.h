// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the servers of a driver say of their own variables, beyond the catalogue. An object of a driver whose servers
//! do so, in its folder; the list is in server_recipes.cpp. Listing, reading and setting are Admin's, names that a plan
//! must never set are the catalogue's ([[never]]).
#pragma once

#include "driver/driver.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What a server says of one of its variables.
struct VariableWord
{
    std::string defaultValue;     //!< "" when it does not say
    std::optional<bool> readOnly; //!< whether it refuses to change it while it runs; empty when it does not say
};
using VariableWords = std::map<std::string, VariableWord, std::less<>>; //!< by name, in lower case

//! Stateless. Control thread.
class KnobSource
{
public:
    virtual ~KnobSource() = default;
    [[nodiscard]] virtual const char* driver() const = 0; //!< its id
    //! Of all variables; empty where the server does not say.
    [[nodiscard]] virtual VariableWords words(Admin& admin, const ServerFacts& facts) const = 0;
    //! VariableWord::readOnly of the variable `name` (letters, digits and '_'; the server's own name for it).
    [[nodiscard]] virtual std::optional<bool> readOnly(Admin& admin, std::string_view name,
                                                       const ServerFacts& facts) const = 0;
};

//! nullptr when the servers of that driver say nothing.
[[nodiscard]] const KnobSource* knobSourceFor(std::string_view driver);

} // namespace dyno
