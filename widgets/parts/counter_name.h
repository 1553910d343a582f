// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/samples.h>

#include <string>

namespace dyno {

//! A counter as plans and formulas name it: "Key_reads", "host/vda reads".
inline std::string figureOf(const CounterInfo& counter)
{
    return counter.source == "server" ? counter.name : counter.source + "/" + counter.name;
}

} // namespace dyno
