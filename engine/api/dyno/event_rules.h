// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What it means for the time axis when counters of a server or of a machine move. Plain values.
#pragma once

#include <string>
#include <vector>

namespace dyno {

//! It happens while one of `counts` goes up or, where it has `level`, while that is high.
struct EventRule
{
    std::string sentence = {};            //!< "checkpoint": without a full stop; "" is no rule
    std::vector<std::string> counts = {}; //!< CounterInfo::name of server counters; missing ones are ignored
    std::string amount = {};              //!< name of a count whose growth meanwhile is told; "": nothing is
    std::string unit = {};                //!< of that, after the number: "pages written"
    double scale = 1;                     //!< by which it is multiplied first
    std::string level = {}, limit = {};   //!< names of levels: happens while `level` is above `share` of `limit`
    double share = 0;
};

} // namespace dyno
