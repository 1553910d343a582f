// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a test takes for granted before it begins to look.
#pragma once

#include <dyno/error.h>

#include <QtGlobal>

#include <utility>

namespace dyno::test {

//! The value; ends the test with the error's text when there is none.
template<class T>
T must(Expected<T> value)
{
    if (!value)
        qFatal("%s", value.error().text().c_str());
    return std::move(*value);
}

} // namespace dyno::test
