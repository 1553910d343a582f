// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A recording in memory, to be run again.
#pragma once

#include "base/ids.h"
#include "driver/request.h"
#include <dyno/catalog.h>
#include <dyno/error.h>
#include <dyno/recording.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace dyno::recorded {

//! What a statement says about the transaction that its session is in.
enum class TransactionMark : std::uint8_t {
    None,
    Begins,
    Ends,
    Manual, //!< from here on, the session ends each of its transactions itself
};

//! A statement's text, once however often it was recorded.
struct ReplayText
{
    std::string text;
    RequestKind request = RequestKind::Text;
    OpId op{};
    TransactionMark mark = TransactionMark::None;
};

struct ReplayEntry
{
    enum class Ending : std::uint8_t { Unknown, Ok, Failed };
    std::int64_t atUs = 0;  //!< since the first one
    std::uint32_t text = 0; //!< index into Replay::texts
    std::uint32_t session = 0;
    std::int32_t rows = -1; //!< sent; −1: unknown
    Ending ending = Ending::Unknown;
};

struct Replay
{
    std::deque<ReplayText> texts;
    std::vector<ReplayEntry> entries;                 //!< by time
    std::vector<std::vector<std::uint32_t>> sessions; //!< indexes into `entries`
    std::vector<OperationInfo> operations;            //!< kinds of statements, the most frequent first
    std::string format;
    std::size_t kinds = 0; //!< may be more than there are operations
    std::vector<SkippedEntries> skipped;
    std::string sha256; //!< of the statements with their times and sessions: the same for the same run
    [[nodiscard]] double seconds() const { return entries.empty() ? 0 : double(entries.back().atUs) * 1e-6; }
};

struct ReplayWish
{
    std::string file;
    std::string format = {};          //!< "": the file tells it
    std::string database = {};        //!< only statements of its sessions; "": all
    std::string account = {};         //!< only statements of its sessions; "": all
    DataModel model = DataModel::Sql; //!< that the target takes
    bool writes = false;              //!< also statements that may do more than read
    bool sessions = false;            //!< also what holds for the session that sends it: transactions, settings
};

//! Only regular files are opened. Kind Interrupted: goOn() said no.
[[nodiscard]] Expected<Replay> readReplay(const ReplayWish& wish, const std::function<bool()>& goOn);

} // namespace dyno::recorded
