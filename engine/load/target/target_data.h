// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The data on one target as far as its session knows: which they are, whose, whether a run has touched them, and
//! which a copy is kept of.
#pragma once

#include "load/data/dataset.h"
#include "load/data/others_data.h"

#include <dyno/runner.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dyno {

//! One point's data, with what is needed to load them.
struct DataWish
{
    const PointSpec& point;
    const WorkloadInstance& workload;
    const ConnectTarget& target;
    Driver& driver;
    std::string data; //!< fingerprintOf() them
};

//! Equal texts mean equal tables, indexes and rows.
[[nodiscard]] std::string fingerprintOf(const PointSpec& point, const WorkloadInstance& workload,
                                        const Settings& connection, const DriverInfo& driver);

//! Control thread only.
class TargetData
{
public:
    //! `consent` outlives it.
    explicit TargetData(const Consent& consent)
        : m_consent(consent)
    {
    }

    //! The session made what they lie in: they may be replaced without asking.
    void setOurs(bool ours) { m_ours = ours; }
    [[nodiscard]] bool ours() const { return m_ours; }
    [[nodiscard]] bool loadedHere() const { return m_loadedHere; }
    //! See Target::stuck().
    [[nodiscard]] bool stuck() const { return m_load.noRoom; }
    //! See Target::loadRetries().
    [[nodiscard]] std::optional<std::map<std::int32_t, std::uint64_t>> loadRetries() const { return m_retries; }
    //! See Target::indexSeconds().
    [[nodiscard]] std::optional<double> indexSeconds() const { return m_indexSeconds; }
    [[nodiscard]] bool mayDrop() const { return m_loadedHere || m_ours || m_consent.covers(kDropTables); }

    //! What is there is looked at again.
    void forget() { m_data.clear(); }
    //! What they lay in was made anew.
    void startAnew();
    void runFollows() { m_asLoaded = false; }
    void forgetLoad()
    {
        m_retries.reset();
        m_indexSeconds.reset();
    }

    [[nodiscard]] bool isCopied(const std::string& data) const { return !m_copyOf.empty() && data == m_copyOf; }
    //! They were touched since, and the copy is of just these.
    [[nodiscard]] bool wantsCopyBack(const std::string& data) const { return isCopied(data) && !m_asLoaded; }
    void copyIsBack(const std::string& data);
    void setCopied(std::string data) { m_copyOf = std::move(data); } //!< "": there is no copy

    //! They go whole, and others or newly loaded ones follow.
    [[nodiscard]] bool loadsAnew(const DataWish& wish) const;
    //! Tables that are there are dropped and made again, whatever they hold.
    [[nodiscard]] bool replaces(const DataWish& wish) const;
    //! Refuses to change anything where others have their data and nobody agreed (load/data/others_data.h).
    [[nodiscard]] Expected<void> mayWrite(const DataWish& wish, const TargetUri& uri, Admin& admin);
    //! The same of another server that only the users reach: nothing is loaded or dropped there.
    [[nodiscard]] Expected<void> mayWriteElsewhere(const DataWish& wish, const TargetUri& uri, Admin& admin) const;
    //! Whether these are the data that it left.
    [[nodiscard]] bool areThere(const std::string& data) const { return data == m_data; }
    //! Whether ensure() has nothing to do.
    [[nodiscard]] bool isReady(const DataWish& wish) const;
    //! Loads them unless they are there. `notes`: what a reader of the result should know.
    [[nodiscard]] Expected<void> ensure(const DataWish& wish, Admin& admin, const LoadProgressCallback& progress,
                                        std::vector<std::string>& notes);

private:
    const Consent& m_consent;
    std::string m_data; //!< fingerprint of what is known to be there
    std::string m_copyOf;
    //! Whether somebody agreed to what this use does to the data that are there.
    [[nodiscard]] Expected<void> allows(const DataWish& wish, DataUse use, const TargetUri& uri, Admin& admin) const;

    std::set<std::string> m_mayWrite; //!< uses of data that mayWrite() had nothing against
    bool m_ours = false;
    bool m_loadedHere = false;
    bool m_asLoaded = false; //!< no run has touched them since they were loaded or put back
    LoadResult m_load;       //!< of the last load
    //! Of the load of the last prepare(), if it loaded.
    std::optional<std::map<std::int32_t, std::uint64_t>> m_retries;
    std::optional<double> m_indexSeconds;
};

} // namespace dyno
