// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The words of an event that says that another server answers: for what writes it, and for what finds names in it.
#pragma once

#include <string_view>

namespace dyno {

inline constexpr std::string_view kAnotherAnswers = "another server answers";
//! Behind it, each before a name.
inline constexpr std::string_view kAnswersCalled = ": ", kAnsweredBefore = ", was ", kAnswersAlike = ", also called ";
//! At the end.
inline constexpr std::string_view kAndTakesWrites = ", and it takes writes", kAndReadsOnly = ", and it is read-only";

} // namespace dyno
