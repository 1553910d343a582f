// SPDX-License-Identifier: GPL-3.0-or-later
// What the server counts and times beyond its usual counters.
#include "postgresql_admin.h"

#include <array>
#include <fmt/format.h>

namespace dyno::postgresql {

namespace {

struct Instrument
{
    const char* name;
    const char* light; //!< value that the level wants at least; "": it does not ask for it
    const char* full;
};
constexpr std::array<Instrument, 4> kInstruments{{
    {"track_io_timing", "", "on"},
    {"track_wal_io_timing", "", "on"},
    {"track_functions", "", "all"},
    {"pg_stat_statements.track", "top", "all"},
}};

} // namespace

Expected<InstrumentSettings> PostgresqlAdmin::instruments(InstrumentsLevel level)
{
    InstrumentSettings settings;
    for (const Instrument& one : kInstruments) {
        const std::string wanted = level == InstrumentsLevel::Full ? one.full : one.light;
        const auto now = wanted.empty() ? Expected<std::string>(wanted) : variable(one.name);
        if (!now && now.error().kind != ErrorKind::BadInput) // BadInput: not in this version, or not loaded
            return fail(now.error());
        if (wanted.empty() || !now)
            continue;
        const std::string kept = wanted == "top" && *now == "all" ? *now : wanted; // nothing is switched off
        settings.wanted.emplace(one.name, kept);
        if (*now != kept)
            settings.what += fmt::format("{}{}", settings.what.empty() ? "" : ", ", one.name);
    }
    if (settings.wanted.empty())
        return fail({ErrorKind::Refused, "the server has not loaded pg_stat_statements", m_uri.display(),
                     "add it to shared_preload_libraries and restart the server, or use the level full"});
    return settings;
}

} // namespace dyno::postgresql
