// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Scripts in the language of `pgbench -f`, compiled: what a user does for a transaction is a list of commands, and an
//! expression is a list of instructions for a stack. Plain values, immutable once they are parsed.
#pragma once

#include "driver/request.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dyno::script {

//! A value of an expression. Text from a server becomes one of these where an expression reads it.
struct Scalar
{
    enum class Type : std::uint8_t { Null, Boolean, Integer, Real };
    Type type = Type::Null;
    std::int64_t integer = 0; //!< of a boolean 0 or 1
    double real = 0;

    static Scalar null() { return {}; }
    static Scalar of(bool value) { return {Type::Boolean, value ? 1 : 0, 0}; }
    static Scalar of(std::int64_t value) { return {Type::Integer, value, 0}; }
    static Scalar of(double value) { return {Type::Real, 0, value}; }
};

constexpr std::uint32_t kNoSlot = UINT32_MAX;
constexpr int kStackDepth = 64;    //!< values that an expression may hold at a time
constexpr int kMostArguments = 16; //!< of least() and greatest(), as in pgbench

enum class Operation : std::uint8_t {
    Constant,
    Variable,
    // With two operands. Up to Less they take reals too.
    Add,
    Subtract,
    Multiply,
    Divide,
    Equal,
    Unequal,
    LessOrEqual,
    Less,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Is,
    // Functions
    Not,
    Abs,
    Debug,
    Double,
    Exp,
    Greatest,
    HashFnv1a,
    HashMurmur2,
    Int,
    Least,
    Ln,
    Permute,
    Pi,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    Sqrt,
    // Jumps to Instruction::index
    Jump,
    JumpUnlessTrue, //!< takes the condition of a CASE
    AndThen,        //!< false and null are the result; true is taken, and what follows decides
    OrElse,         //!< true and null are the result; false is taken, and what follows decides
    Condition,      //!< the value must be a boolean or null
};

struct Instruction
{
    Operation operation{};
    std::uint8_t arguments = 0; //!< of a function
    //! Of a variable; where a jump goes, counted from the expression's first instruction; 1: operands are turned.
    std::uint32_t index = 0;
    Scalar constant;
};

//! Instructions of Program::code.
struct Expression
{
    std::uint32_t begin = 0, end = 0;
};

//! A part of a statement: text, and the variable that comes after it.
struct Piece
{
    std::string text;
    std::uint32_t variable = kNoSlot; //!< none: the statement ends
    bool quoted = false;              //!< the variable's name stands within quotes or in a comment
};

struct Statement
{
    //! What becomes of its answer.
    enum class Answer : std::uint8_t {
        Dropped,
        OneRow,  //!< \gset: one row, whose columns become variables
        LastRow, //!< \aset: the last row, if there is one
    };
    std::string text;          //!< as it was written, without the semicolon at its end
    std::vector<Piece> pieces; //!< of `text`
    //! A statement that begins or ends a transaction, and says nothing more, is a step; Text: any other.
    RequestKind kind = RequestKind::Text;
    Answer answer = Answer::Dropped;
    std::string prefix; //!< of the variables' names
    int line = 0;
    std::vector<std::size_t> cuts; //!< places in `text` behind each `\;`, which joins statements
    bool document = false;         //!< a command on documents, in JSON; its variables stand within quotation marks
};

struct Command
{
    enum class Kind : std::uint8_t {
        Statement,     //!< Script::statements[index]
        Set,           //!< variable `index` becomes `expression`
        Branch,        //!< goes on at command `index` unless `expression` is true
        Jump,          //!< goes on at command `index`
        Sleep,         //!< `unitNs` times `amount`, or times variable `index`
        StartPipeline, //!< what follows goes to the server without waiting for each answer
        SyncPipeline,
        EndPipeline,
    };
    Kind kind{};
    int line = 0;
    std::uint32_t index = kNoSlot;
    Expression expression;
    std::int64_t amount = 0, unitNs = 0;
};

struct Script
{
    std::string name;
    std::int64_t weight = 1; //!< how often it is chosen, against the others
    std::vector<Command> commands;
    std::vector<Statement> statements;
    // Of its \transaction line, where it has one
    int line = 0;
    std::size_t nameEnd = 0, weightEnd = 0; //!< places in the text; the same where no weight is given
};

//! What users run: one of the scripts for each transaction.
struct Program
{
    std::vector<Script> scripts;
    std::vector<Instruction> code;
    std::vector<std::string> variables; //!< names by slot
    std::map<std::string, std::uint32_t, std::less<>> slotByName;
    std::vector<std::pair<std::uint32_t, std::string>> definitions; //!< values before the first transaction
    std::int64_t weights = 0;                                       //!< sum of the scripts'
    bool documents = false; //!< all statements but BEGIN and the like are documents; else SQL

    //! Slot of the variable with this name, which is made where it is new.
    [[nodiscard]] std::uint32_t slotOf(std::string_view name)
    {
        if (const auto found = slotByName.find(name); found != slotByName.end())
            return found->second;
        const auto slot = std::uint32_t(variables.size());
        slotByName.emplace(name, slot);
        variables.emplace_back(name);
        return slot;
    }
};

//! Variables that every script has: see Program::slotOf().
inline constexpr const char* kClientId = "client_id";
inline constexpr const char* kScale = "scale";
inline constexpr const char* kRandomSeed = "random_seed";
inline constexpr const char* kDefaultSeed = "default_seed";

} // namespace dyno::script
