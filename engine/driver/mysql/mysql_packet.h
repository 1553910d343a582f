// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The packet that executes a prepared statement (COM_STMT_EXECUTE in the protocol of MySQL and MariaDB), written from
//! the values where they lie. The library wants a list of their places first, and looks at each entry several times:
//! 200 instructions a value instead of 30, which is most of what a client does for a statement with some hundred
//! values.
#pragma once

#include "driver/request.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dyno::mysql {

//! What the server knows of the types of a statement's parameters. They are sent with the first values and whenever one
//! changes.
struct ParameterTypes
{
    std::vector<Param::Type> types; //!< one for each parameter; NULL is a value of any type
    bool sent = false;              //!< and the server has answered since
};

//! Reused from packet to packet; keeps its room.
class ExecutePacket
{
public:
    //! Missing values become NULL, values that are too many are left out. Brings `types` up to date; `sent` stays the
    //! caller's to set, and is taken back where types go with this packet.
    void write(std::uint32_t statement, std::span<const Param> params, ParameterTypes& types);
    [[nodiscard]] std::span<const char> bytes() const { return {m_bytes.data(), m_size}; }

private:
    std::vector<char> m_bytes;
    std::size_t m_size = 0;
};

} // namespace dyno::mysql
