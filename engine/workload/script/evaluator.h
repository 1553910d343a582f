// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a user's variables hold, and the values of expressions. Nothing here allocates but a text that is longer than
//! all that its variable held before.
#pragma once

#include "base/random.h"
#include "workload/script/program.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::script {

//! Why an expression has no value.
struct Problem
{
    const char* text = nullptr;       //!< nullptr: it has one
    std::uint32_t variable = kNoSlot; //!< that it is about
    explicit operator bool() const { return text != nullptr; }
};

//! The variables of one user; they keep their values from one transaction to the next.
class Variables
{
    enum class State : std::uint8_t { Unset, Value, Text };
    struct Slot
    {
        State state = State::Unset;
        bool exact = false;
        Scalar value;
        std::string text;
    };

public:
    using Saved = std::vector<Slot>;
    explicit Variables(std::size_t count = 0)
        : m_slots(count)
    {
    }
    void set(std::uint32_t slot, const Scalar& value)
    {
        m_slots[slot].state = State::Value;
        m_slots[slot].value = value;
        m_slots[slot].exact = false;
    }
    //! From a server: written with all its digits, where the value of an expression has 15, as pgbench writes it.
    void setExact(std::uint32_t slot, double value)
    {
        set(slot, Scalar::of(value));
        m_slots[slot].exact = true;
    }
    //! Text as it came from a server or a definition; what it is as a value shows where an expression reads it.
    void setText(std::uint32_t slot, std::string_view text)
    {
        m_slots[slot].state = State::Text;
        m_slots[slot].text.assign(text);
    }
    [[nodiscard]] bool isSet(std::uint32_t slot) const { return m_slots[slot].state != State::Unset; }
    [[nodiscard]] bool isText(std::uint32_t slot) const { return m_slots[slot].state == State::Text; }
    [[nodiscard]] const std::string& text(std::uint32_t slot) const { return m_slots[slot].text; }
    //! Text is read as pgbench does: null, true, false (also their beginnings, yes, no, on, off), a whole number, a
    //! number.
    [[nodiscard]] Problem read(std::uint32_t slot, Scalar& value) const;
    //! As it stands in a statement without quotes: 12, 0.5, true, NULL, or the text itself. Nothing where it is not
    //! set.
    void append(std::uint32_t slot, std::string& to) const;
    //! For a prepared statement. A text stays in this object until the variable changes.
    [[nodiscard]] Param param(std::uint32_t slot) const;
    //! Both reuse the memory of what they write to.
    void save(Saved& to) const { to = m_slots; }
    void restore(const Saved& from) { m_slots = from; }
    //! What evaluate() works with.
    [[nodiscard]] std::array<Scalar, kStackDepth>& stack() { return m_stack; }

private:
    std::vector<Slot> m_slots;
    std::array<Scalar, kStackDepth> m_stack; //!< the parser lets no expression have more
};

[[nodiscard]] Problem evaluate(std::span<const Instruction> code, Variables& variables, Random& random, Scalar& result);
//! As \if and CASE take it: numbers other than 0 and true.
[[nodiscard]] bool isTrue(const Scalar& value);

} // namespace dyno::script
