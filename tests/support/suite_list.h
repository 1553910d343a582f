// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The suites that a test program has. CMake writes the list, see tests/CMakeLists.txt.
#pragma once

#include <vector>

namespace dyno::test {

struct Suite
{
    const char* name;                  //!< "tst_uri"
    int (*run)(int argc, char** argv); //!< Qt Test's arguments and exit code
};
extern const std::vector<Suite> kSuites;

} // namespace dyno::test
