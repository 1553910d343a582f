// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Parameters of YCSB: how they describe themselves, and their parsed form. Names are YCSB's own properties.
#pragma once

#include "workload/ycsb/key.h"

#include <dyno/catalog.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::ycsb {

//! What one transaction does. In this order the workload lists its operations, and YCSB's mixes their shares.
enum class Op : std::uint8_t { Read, Update, Insert, Scan, ReadModifyWrite };
constexpr std::size_t kOps = std::size_t(Op::ReadModifyWrite) + 1;

enum class RequestDistribution : std::uint8_t { Uniform, Zipfian, Latest, Hotspot, Exponential, Sequential };
enum class LengthDistribution : std::uint8_t { Constant, Uniform, Zipfian };

struct Params
{
    std::array<double, kOps> shares{}; //!< add up to 1
    std::int64_t recordCount = 1000;
    int fieldCount = 10;
    std::int64_t fieldLength = 100; //!< characters, the longest
    std::int64_t minFieldLength = 1;
    LengthDistribution fieldLengths = LengthDistribution::Constant;
    bool readAllFields = true;
    bool writeAllFields = false;
    RequestDistribution requests = RequestDistribution::Uniform;
    bool zipfianOfYcsb = false; //!< see KeyChooser
    bool latestOfYcsb = false;
    double zipfianConstant = 0.99;
    std::int64_t operationCount = 0;
    double hotspotData = 0.2, hotspotOperations = 0.8;
    double exponentialPercentile = 95, exponentialShare = 0.8571428571;
    std::int64_t minScan = 1, maxScan = 1000; //!< records
    LengthDistribution scanLengths = LengthDistribution::Uniform;
    KeyForm keys = KeyForm::Hashed;
    int zeroPadding = 1;
    bool dataIntegrity = false; //!< values are functions of key and field, and are verified when read
    std::string table = "usertable";

    [[nodiscard]] double share(Op op) const { return shares[std::size_t(op)]; }
};

[[nodiscard]] OptionSpecs options();
//! Operations that have a share, and so statements and weights that a phase may change.
[[nodiscard]] std::vector<Op> opsOf(const Params& params);
[[nodiscard]] std::vector<std::string> namesOf(const std::vector<Op>& ops);
//! From complete settings; errors are about combinations and about texts that no range can check.
[[nodiscard]] Expected<Params> parse(const Settings& settings);

} // namespace dyno::ycsb
