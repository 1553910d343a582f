// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Database commands: JSON templates compiled once, and written as BSON for each request.
#pragma once

#include "driver/request.h"

#include <bson/bson.h>
#include <dyno/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::mongodb {

//! What a command does, as far as concerns and preferences depend on it.
enum class CommandKind : std::uint8_t {
    Read,  //!< takes the read preference and read concern
    Write, //!< takes the write concern, goes to the primary
    Other, //!< takes neither, goes to the primary
};
struct CommandTraits
{
    CommandKind kind = CommandKind::Other;
    bool hasReadConcern = false, hasWriteConcern = false; //!< of its own
    bool adminOnly = false;                               //!< must be sent to the database "admin"
    std::string name;
    std::string collection; //!< "" when its first value is no text
};
[[nodiscard]] CommandTraits traitsOf(const bson_t& command);

//! The bytes of a document's elements, without its head and tail.
[[nodiscard]] std::string elementsOf(const bson_t& document);

//! Parses a command that a person or a workload wrote; frees itself. The message names what is wrong with the text and
//! begins with the text itself.
class JsonCommand
{
public:
    [[nodiscard]] static Expected<JsonCommand> parse(std::string_view text);
    JsonCommand(JsonCommand&& other) noexcept;
    JsonCommand& operator=(JsonCommand&&) = delete;
    ~JsonCommand();
    [[nodiscard]] const bson_t& bson() const { return *m_bson; }
    //! Adds elements (see elementsOf) at its end.
    void append(std::string_view elements);

private:
    explicit JsonCommand(bson_t* bson)
        : m_bson(bson)
    {
    }
    bson_t* m_bson;
};

//! A command template. The string "?" as a value is a parameter, "?binary" one whose text goes as binary data.
//! Immutable once compiled; any thread.
class CommandTemplate
{
public:
    [[nodiscard]] static Expected<CommandTemplate> compile(const StatementSpec& spec);

    [[nodiscard]] const CommandTraits& traits() const { return m_traits; }
    [[nodiscard]] std::size_t parameters() const { return m_parameters; }
    //! Replaces `buffer` with the command as BSON, `tail` (elements) at its end. There are as many params as
    //! parameters(). False when it is too large for BSON. Allocates only to grow the buffer.
    [[nodiscard]] bool write(std::span<const Param> params, std::string_view tail, std::string& buffer) const;

private:
    enum class StepKind : std::uint8_t {
        Open,   //!< the bytes, then the length of a document
        Close,  //!< the bytes, then the end of the innermost document
        Value,  //!< the bytes, then a value: type, key (the next `keySize` bytes), value
        Binary, //!< the same; text as binary data
    };
    struct Step
    {
        StepKind kind = StepKind::Close;
        std::uint32_t size = 0;    //!< bytes before it
        std::uint32_t keySize = 0; //!< with its final 0
    };
    class Compiler;

    std::string m_bytes;
    std::vector<Step> m_steps;
    std::size_t m_parameters = 0;
    CommandTraits m_traits;
};

} // namespace dyno::mongodb
