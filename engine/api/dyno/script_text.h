// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The text of a script for the workload "script", for whoever shows it to a person: what its words are, where its
//! transactions begin, what is wrong with it. Plain values and pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The first thing that is wrong with a script.
struct ScriptMistake
{
    int line = 0, column = 0; //!< from 1; columns count characters. 0: it is in the definitions
    std::string what;
    std::string expected; //!< what would be right
};
//! Nothing when the script can run, and for an empty one: then a built-in script runs. `definitions` as the workload's
//! parameter "define".
[[nodiscard]] std::optional<ScriptMistake> scriptMistake(std::string_view text, std::string_view definitions = {});

//! A part of a line that is shown in a colour of its own.
struct ScriptToken
{
    enum class Kind : std::uint8_t {
        Command,  //!< \set
        Section,  //!< the name behind \transaction
        Variable, //!< :id, and the name behind \set
        Keyword,  //!< of SQL or of expressions
        Function, //!< a name before a bracket
        String,
        Comment,
        Number,
    };
    Kind kind{};
    std::size_t begin = 0, length = 0; //!< in bytes
    bool operator==(const ScriptToken&) const = default;
};
struct ScriptLine
{
    std::vector<ScriptToken> tokens; //!< in their order
    int state = 0;                   //!< for the next line: the quoted text, comment or command that goes on there
    bool head = false;               //!< it is of the head
};
//! One line without its line break. `state`: of the line before, 0 for the first one, in which a head may begin.
[[nodiscard]] ScriptLine scriptLine(std::string_view line, int state = 0);

//! A transaction of a script.
struct ScriptSection
{
    std::string name;
    std::int64_t weight = 1; //!< how often it is chosen, against the others
    int line = 1;            //!< of \transaction, from 1
};
//! Those that have a line \transaction, also in a text with mistakes.
[[nodiscard]] std::vector<ScriptSection> scriptSections(std::string_view text);
//! The script with weight 1 for the section of this name and 0 for the others; every line stays where it is.
[[nodiscard]] std::string withOnlySection(std::string_view text, std::string_view name);
//! The script with this weight for the section of this name.
[[nodiscard]] std::string withWeight(std::string_view text, std::string_view name, std::int64_t weight);

//! A statement as it stands in a script.
struct ScriptStatement
{
    std::string section, text;
    int line = 0; //!< where it begins, from 1
    bool changes = false;
    //! A rollback takes back what it does, where the server has transactions. False for what may end a transaction by
    //! itself, such as CREATE TABLE: what stands behind it may stay too. False as well for what is not known.
    bool undone = true;
};
//! In the order of the workload's operations; empty where there is a mistake. Judged with the values of
//! `definitions`; a variable that gets its value later can make another statement of it.
[[nodiscard]] std::vector<ScriptStatement> scriptStatements(std::string_view text, std::string_view definitions = {});

} // namespace dyno
