// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/parsers.h"
#include "workload/script/evaluator.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"

#include <algorithm>

namespace dyno::fuzz {

namespace {

using namespace dyno::script;

//! Jumps lead forward, and everything that a command names is there.
void requireSound(const Program& program, const Script& script)
{
    for (std::size_t at = 0; at < script.commands.size(); ++at) {
        const Command& command = script.commands[at];
        switch (command.kind) {
        case Command::Kind::Branch:
        case Command::Kind::Jump:
            require(command.index > at && command.index <= script.commands.size(), "a script ends");
            break;
        case Command::Kind::Statement:
            require(command.index < script.statements.size(), "a statement is there");
            break;
        case Command::Kind::Set:
            require(command.index < program.variables.size(), "a variable is there");
            break;
        default:
            break;
        }
        require(command.expression.begin <= command.expression.end && command.expression.end <= program.code.size(),
                "an expression is there");
    }
    for (const Statement& statement : script.statements) {
        std::string text;
        for (const Piece& piece : statement.pieces) {
            text += piece.text;
            if (piece.variable != kNoSlot)
                text += ':' + program.variables.at(piece.variable);
        }
        require(text == statement.text, "pieces make the statement again");
    }
}

//! Each column of a head makes a value of its type, or NULL.
void drawRows(std::string_view input)
{
    constexpr std::int64_t kShortTexts = 1000;
    const auto head = readHead(input);
    std::string text;
    for (const HeadTable& table : head&&* head ? (*head)->tables : std::vector<HeadTable>()) {
        for (const HeadColumn& column : table.columns) {
            using Kind = ColumnMaker::Kind;
            const bool longText = column.maker.kind == Kind::Text || column.maker.kind == Kind::Hex;
            if (longText && column.maker.last > kShortTexts)
                continue;
            Random random(1);
            const Param value = column.maker.draw(3, random, text);
            require(value.type == column.maker.type() || value.type == Param::Type::Null, "a value has its type");
        }
        require(!table.file.empty() || !table.rows.empty(), "a table has a number of rows");
    }
    for (const HeadFile& file : head&&* head ? (*head)->files : std::vector<HeadFile>())
        require(!file.name.empty() && file.name.front() != '/' && !file.name.starts_with("../"), "a file lies below");
}

} // namespace

//! It is refused with a place and with what was expected, or every expression of it has a value or a reason.
void readScript(std::string_view input)
{
    const auto program = parseScripts(input, "n=1; w=abc");
    if (!program) {
        require(program.error().line > 0 && program.error().column > 0, "a mistake has a place");
        require(!program.error().what.empty() && !program.error().expected.empty(), "a mistake says what is right");
        return;
    }
    drawRows(input);
    Variables variables(program->variables.size());
    for (const auto& [slot, text] : program->definitions)
        variables.setText(slot, text);
    Random random(1);
    for (const Script& script : program->scripts) {
        requireSound(*program, script);
        for (const Command& command : script.commands) {
            if (command.expression.begin == command.expression.end)
                continue;
            Scalar value;
            const std::span<const Instruction> code(program->code.data() + command.expression.begin,
                                                    program->code.data() + command.expression.end);
            const Problem problem = evaluate(code, variables, random, value);
            if (!problem && command.kind == Command::Kind::Set)
                variables.set(command.index, value);
        }
    }
}

} // namespace dyno::fuzz
