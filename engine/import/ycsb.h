// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/samples.h>

#include <string_view>

namespace dyno::import {

//! What YCSB's word for an operation means.
OpClass ycsbClass(std::string_view operation);
//! One call of the database; READ-MODIFY-WRITE is two of them, which are counted on their own.
bool ycsbIsCall(std::string_view operation);

} // namespace dyno::import
