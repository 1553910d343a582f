// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/server_changes.h"

#include <fmt/format.h>

#include <utility>

namespace dyno {

namespace {

std::string answersNow(const ServerSelf& self, const ServerSelf& before)
{
    if (self.name.empty() || self.name == before.name)
        return fmt::format("another server answers{}", self.name.empty() ? "" : ", also called " + self.name);
    return fmt::format("another server answers: {}{}", self.name,
                       before.name.empty() ? std::string() : ", was " + before.name);
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
        return "further changes of the server that answers are not told";
    if (another)
        return answersNow(self, before) + (!role                 ? ""
                                           : self.writes.value() ? ", and it takes writes"
                                                                 : ", and it is read-only");
    if (!self.writes.value())
        return "the server became read-only";
    return again ? "the server takes writes again" : "the server takes writes now";
}

} // namespace dyno
