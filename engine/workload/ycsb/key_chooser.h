// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which record an operation of YCSB hits.
#pragma once

#include "workload/scatter.h"
#include "workload/ycsb/params.h"
#include "workload/zipf.h"

#include <cstdint>

namespace dyno::ycsb {

//! Immutable; any thread. Numbers are those of records, 0 is the first; writeKey() makes keys of them.
//! - uniform: one of the records that the load made.
//! - zipfian, in the form "records": Zipf over the records that the load made, each rank scattered to a record of its
//! own, the
//!   same in every run. In the form of YCSB (ScrambledZipfianGenerator): a rank of 10^10 + 1, with YCSB's constant for
//!   their sum, hashed onto recordcount + 2 · operationcount · share of inserts + 1 numbers, drawn again while beyond
//!   the last insert: several ranks may share a record and some records have none.
//! - latest: the last insert minus a rank; Zipf over all records that are there. As YCSB has it, over one less, so that
//!   record 0 is never hit.
//! - hotspot: with probability hotspotOperations uniform over the first hotspotData of the loaded records, else uniform
//!   over the rest.
//! - exponential: the last insert minus an exponential number, drawn again while negative; exponentialPercentile % are
//!   within exponentialShare of the records.
//! - sequential: `turn` modulo the number of loaded records.
class KeyChooser
{
public:
    explicit KeyChooser(const Params& params);

    //! `last`: the last record that is there; only latest, exponential and zipfian as YCSB has it depend on it. `turn`:
    //! counts the operations of all users.
    [[nodiscard]] std::int64_t draw(Random& random, std::int64_t last, std::uint64_t turn) const;

private:
    [[nodiscard]] std::int64_t drawZipfian(Random& random, std::int64_t last) const;
    [[nodiscard]] std::int64_t drawLatest(Random& random, std::int64_t last) const;
    [[nodiscard]] std::int64_t drawHotspot(Random& random) const;

    RequestDistribution m_kind;
    std::int64_t m_records;
    bool m_zipfianOfYcsb, m_latestOfYcsb;
    std::int64_t m_keySpace; //!< zipfian as YCSB has it
    double m_hotOperations;
    std::int64_t m_hotRecords;
    double m_scale; //!< exponential: mean
    Zipf m_zipf;
    Zipf::Items m_items;
    Scatter m_scatter;
};

} // namespace dyno::ycsb
