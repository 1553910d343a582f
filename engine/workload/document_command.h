// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Commands on documents as a person writes them: one JSON document each, in which a text that is exactly ":name" is
//! a variable. Read without a server, for what is wrong with them and for what they do. Pure functions; any thread.
#pragma once

#include <dyno/catalog.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dyno {

//! What is wrong with a text, at a place in it.
struct DocumentMistake
{
    std::size_t place = 0; //!< in bytes
    std::string what;
    std::string expected; //!< what would be right
};

struct DocumentCommand
{
    //! The name of a variable in the text, without its colon.
    struct Variable
    {
        std::size_t begin = 0, end = 0;
    };
    std::string name;                            //!< of the command: "find"
    std::string collection;                      //!< "" where none is named
    std::size_t end = 0;                         //!< in the text, behind the closing brace
    OpClass opClass = OpClass::Other;            //!< only Write changes something
    bool answersDocuments = false;               //!< such that \gset can make variables of their fields
    std::size_t stores = std::string_view::npos; //!< place of a stage that stores its input: $out, $merge
    std::size_t mark = std::string_view::npos;   //!< place of a text that drivers take for a parameter, such as "?"
    std::vector<Variable> variables;             //!< in their order
};

//! Where a command stands decides which ones there are.
enum class DocumentUse : unsigned char {
    Transaction, //!< reads and changes documents
    Setup,       //!< of a head: makes and drops collections and indexes, and changes documents
};

//! The command that begins at `begin` with its brace. It must be one of those that are known: others may administer
//! the server, run code in it or never end.
[[nodiscard]] tl::expected<DocumentCommand, DocumentMistake>
readDocumentCommand(std::string_view text, std::size_t begin, DocumentUse use = DocumentUse::Transaction);

//! True where a text can only be a command on documents: no statement of SQL begins with a brace.
[[nodiscard]] bool isDocumentText(std::string_view text);
//! Likewise of a whole script: its first statement decides, other than BEGIN and the like.
[[nodiscard]] bool isDocumentScript(std::string_view script);

} // namespace dyno
