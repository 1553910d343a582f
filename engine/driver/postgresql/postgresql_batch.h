// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Requests that wait to be sent together. libpq cannot take back what it was once given, and a transaction that gives
//! up sends nothing: so they are kept here first.
#pragma once

#include "driver/request.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dyno::postgresql {

//! Copies of requests; reuses its memory.
class RequestQueue
{
public:
    void clear();
    void add(const Request& request);
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }
    [[nodiscard]] bool empty() const { return m_entries.empty(); }
    //! Valid until add(), clear() or at() with another index.
    [[nodiscard]] Request at(std::size_t index);
    //! The end of what goes in one piece from `first` on: up to the transaction's end, or one statement outside of a
    //! transaction. `inTransaction`: one is open before `first`.
    [[nodiscard]] std::size_t pieceEnd(std::size_t first, bool inTransaction) const;

private:
    struct Entry
    {
        RequestKind kind;
        StatementId statement;
        std::size_t text, textSize, firstParam, params;
    };
    std::vector<Entry> m_entries;
    std::vector<Param> m_params;        //!< texts are of the sizes here …
    std::vector<std::size_t> m_offsets; //!< … at these places in m_text, one for each of m_params
    std::string m_text;
};

} // namespace dyno::postgresql
