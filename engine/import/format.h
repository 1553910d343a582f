// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a format is: how it is recognised, and who reads it. One file a parser; the list is in formats.cpp.
#pragma once

#include "import/collector.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::import {

//! The beginning of a file, unpacked.
struct Head
{
    std::string name;                    //!< of the file, without its folder
    std::string text;                    //!< first bytes, 64 KiB at most
    std::vector<std::string_view> lines; //!< whole lines of it
};

//! Reads a file line by line.
class Parser
{
public:
    virtual ~Parser() = default;
    //! False when nothing in the line is understood. Empty lines do not come here.
    virtual bool line(std::string_view text, std::int64_t number) = 0;
    virtual void end() {} //!< of the file
};

using MakeParser = std::unique_ptr<Parser> (*)(Collector& collector);
using ReadDocument = Expected<void> (*)(const std::filesystem::path& file, Collector& collector);

struct Format
{
    ImportFormat info;
    //! Why the file is of this format; "" when it is not.
    std::string (*recognise)(const Head& head) = nullptr;
    MakeParser lines = nullptr;      //!< either this
    ReadDocument document = nullptr; //!< or this
};
[[nodiscard]] const std::vector<Format>& formats(); //!< the more particular ones first
[[nodiscard]] const Format* findFormat(std::string_view id);

//! Feeds all lines of `reader` to a parser of `format`; the unknown ones to the collector.
class LineReader;
[[nodiscard]] Expected<void> readLines(LineReader& reader, const Format& format, Collector& collector,
                                       const std::function<bool(std::uint64_t)>& progress = {});

//! "line 3 is …" of the first line that `fits`; "" when none does.
template<class Fits>
std::string firstLine(const Head& head, const char* what, const Fits& fits)
{
    for (std::size_t i = 0; i < head.lines.size(); ++i) {
        if (fits(head.lines[i]))
            return "line " + std::to_string(i + 1) + " is " + what;
    }
    return {};
}

// One function a format, each in its own file.
Format sysbenchLog();
Format sysbenchCsv();
Format sysbenchJson();
Format tpccMysql();
Format ycsb();
Format goYcsb();
Format hammerLog();
Format hammerSqlite();
Format pgbench();
Format pgbenchTransactions();
Format pgbenchAggregates();
Format mysqlslap();
Format iibench();
Format benchbase();
Format flent();
Format hdrLog();
Format columns();

} // namespace dyno::import
