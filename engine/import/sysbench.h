// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/import.h>

namespace dyno::import {

//! What all of sysbench's outputs have in common.
void describeSysbench(ImportOrigin& origin);

} // namespace dyno::import
