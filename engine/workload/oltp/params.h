// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Parameters of the OLTP family: how they describe themselves, and their parsed form.
#pragma once

#include "workload/distribution.h"
#include <dyno/catalog.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::oltp {

//! The two profiles: "dynobench" (what the workload means to do) and "sysbench-1.0.20" (what that version really does).
//! They differ in the default of rand_type (uniform; special), in the distribution `special` (see Distribution), in
//! what an error outside ignore_errors does (counted; ends the run), in the segments of select_random_* (see
//! select_random.cpp) and in oltp_delete (tables loaded again before each run; drained further by each run).
enum class Profile : std::uint8_t { Dynobench, Sysbench1020 };

//! sysbench's list of errors after which the transaction is restarted: codes separated by commas, or "all".
class IgnoredErrors
{
public:
    static Expected<IgnoredErrors> parse(std::string_view text);
    [[nodiscard]] bool contains(std::int32_t code) const;
    [[nodiscard]] bool all() const { return m_all; }

private:
    bool m_all = false;
    std::vector<std::int32_t> m_codes;
};

struct Params
{
    Profile profile = Profile::Dynobench;
    DistributionSpec distribution;
    IgnoredErrors ignored;
    bool retriesInSample = true;
    int tables = 1;
    bool ownTable = false; //!< user n uses table n alone, modulo their number
    std::int64_t tableSize = 10000;
    std::int64_t rangeSize = 100;
    int pointSelects = 10;
    int simpleRanges = 1, sumRanges = 1, orderRanges = 1, distinctRanges = 1;
    int indexUpdates = 1, nonIndexUpdates = 1, deleteInserts = 1;
    bool rangeSelects = true;
    bool autoInc = true;
    bool skipTrx = false;
    bool readsOutside = false;
    bool secondary = false;
    bool createSecondary = true;
    std::string storageEngine = "innodb";
    std::string createTableOptions;
    int randomPoints = 10;
    int numberOfRanges = 10;
    std::int64_t delta = 5;
    std::string query = "all";     //!< of oltp_analytic
    std::int64_t analyticRows = 0; //!< that its queries read; 0 = all
    std::int64_t orderLimit = 10;
    int rounds = 3;        //!< of oltp_ddl
    std::string algorithm; //!< of its ALTER TABLE; empty: as the server likes
};

//! All options of sysbench's OLTP scripts with their defaults. Those not in `acting` do nothing in the workload; they
//! are accepted, as sysbench accepts them, so that one set of options can serve several workloads, and fold away in a
//! form. `oneTable` limits `tables` to 1.
[[nodiscard]] OptionSpecs options(std::span<const std::string_view> acting, bool oneTable = false);
//! Those of oltp_analytic: the tables', and which queries there are.
[[nodiscard]] OptionSpecs analyticOptions();
//! Those of oltp_ddl: one table's, and how its steps are done.
[[nodiscard]] OptionSpecs ddlOptions();
//! Options of bulk_insert, which shares none of the tables' options.
[[nodiscard]] OptionSpecs bulkOptions();

//! From complete settings; errors are about combinations and about texts that no range can check.
[[nodiscard]] Expected<Params> parse(const Settings& settings);

} // namespace dyno::oltp
