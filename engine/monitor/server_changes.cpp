// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/server_changes.h"

#include "base/utf8.h"
#include "metrics/server_answers.h"

#include <dyno/visible_text.h>

#include <string_view>
#include <utility>

namespace dyno {

namespace {

//! `mark` and the name behind it; "" without a name. A server may say anything.
std::string nameWith(std::string_view mark, const std::string& name)
{
    constexpr std::size_t kMostBytes = 200;
    if (name.empty())
        return {};
    const std::string_view shown = wholeCharacters(name, kMostBytes);
    return std::string(mark) + visibleText(shown) + (shown.size() < name.size() ? "…" : "");
}

std::string answersNow(const ServerSelf& self, const ServerSelf& before)
{
    if (self.name.empty() || self.name == before.name)
        return std::string(kAnotherAnswers) + nameWith(kAnswersAlike, self.name);
    return std::string(kAnotherAnswers) + nameWith(kAnswersCalled, self.name) + nameWith(kAnsweredBefore, before.name);
}

} // namespace

std::string ServerChanges::add(const ServerSelf& self)
{
    const ServerSelf before = m_last;
    if (!self.identity.empty()) {
        m_last.identity = self.identity;
        m_last.name = self.name;
    }
    if (self.writes)
        m_last.writes = self.writes;
    const bool another = !self.identity.empty() && !before.identity.empty() && self.identity != before.identity;
    const bool role = self.writes && before.writes && *self.writes != *before.writes;
    const bool again = std::exchange(m_tookWrites, m_tookWrites || self.writes.value_or(false));
    if ((!another && !role) || m_told > kMostTold)
        return {};
    if (++m_told > kMostTold)
        return "further changes of the server are not reported";
    if (another)
        return answersNow(self, before) + std::string(!role                 ? std::string_view()
                                                      : self.writes.value() ? kAndTakesWrites
                                                                            : kAndReadsOnly);
    if (!self.writes.value())
        return "the server became read-only";
    return again ? "the server takes writes again" : "the server takes writes now";
}

} // namespace dyno
