// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The words of key-value calls: "get FAMILY KEY", "put FAMILY KEY VALUE", "delete FAMILY KEY", "scan FAMILY KEY
//! LIMIT", "create FAMILY", "drop FAMILY". A '?' in the place of key, value or limit is a parameter. "get FAMILY KEY
//! for update" also guards the key against others until the transaction ends.
#pragma once

#include "driver/request.h"

#include <dyno/error.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace dyno {

enum class RocksdbVerb { Get, GetForUpdate, Put, Delete, Scan, Create, Drop };

struct RocksdbStatement
{
    RocksdbVerb verb = RocksdbVerb::Get;
    std::string family;
    std::array<std::string, 2> literals; //!< key, and value or limit
    std::array<bool, 2> bound{};         //!< which of them are parameters
    int parameters = 0;
};

//! The error names the text.
[[nodiscard]] Expected<RocksdbStatement> parseRocksdbStatement(std::string_view text);

//! Key, and value or limit, of one execution. Texts point to the statement, to its parameters, or into this object,
//! which keeps its memory.
class RocksdbArguments
{
public:
    //! False where the number of parameters is wrong or one is null.
    bool take(const RocksdbStatement& statement, std::span<const Param> params);
    [[nodiscard]] std::string_view first() const { return m_texts[0]; }
    [[nodiscard]] std::string_view second() const { return m_texts[1]; }
    //! Of a scan; below 0 where there is none.
    [[nodiscard]] std::int64_t limit() const;

private:
    std::array<std::string_view, 2> m_texts;
    std::array<std::array<char, 32>, 2> m_numbers{}; //!< numbers as decimal text
};

} // namespace dyno
