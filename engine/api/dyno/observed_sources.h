// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Exporters and other machines whose series a plan's sessions store, as rows of a form: the settings "exporter.NAME"
//! and "machine.NAME" of the plan as a whole.
#pragma once

#include "plan.h"
#include "trust.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

enum class SourceKind { Exporter, Machine };

struct SeriesSource
{
    SourceKind kind = SourceKind::Exporter;
    std::string name;  //!< the series are told apart by it
    std::string reads; //!< as the plan has it: "http://127.0.0.1:9100/metrics node_load1", "ssh joe@db1.example.org"

    bool operator==(const SeriesSource&) const = default;
};

//! Nothing where the setting is none of the two kinds. Right or wrong: checkSource() judges it.
[[nodiscard]] std::optional<SeriesSource> sourceOfSetting(std::string_view key, const Value& value);
//! "exporter.NAME"
[[nodiscard]] std::string settingOfSource(const SeriesSource& source);
//! Of a plan, in the order in which they are read.
[[nodiscard]] std::vector<SeriesSource> observedSources(const Plan& plan);
//! What is wrong with it, in the words of checkPlan().
[[nodiscard]] Expected<void> checkSource(const SeriesSource& source);
//! What reading it wants an agreement for where the plan is another person's.
[[nodiscard]] std::vector<Risk> risksOfSource(const SeriesSource& source);

struct SourceReading
{
    std::size_t series = 0;  //!< that a run would store
    std::size_t offered = 0; //!< that match; more than are stored at most
};
//! Asks once, as a run does before it begins, and stores nothing. Blocks for seconds at most: not on the GUI thread.
//! `stopped`, asked there, ends it within about a second.
[[nodiscard]] Expected<SourceReading> readSource(const SeriesSource& source, const std::function<bool()>& stopped);

} // namespace dyno
