// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The rows of an answer that a workload looks at. Most answers are fetched and counted only: see StatementSpec::keep.
#pragma once

#include "driver/request.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Rows of the last answer to a statement that keeps them. Belongs to a session, same thread; reuses its memory, so
//! that it allocates only for an answer that is larger than all before.
class KeptRows
{
public:
    [[nodiscard]] std::size_t rows() const { return m_rows.size(); }
    [[nodiscard]] std::size_t columns(std::size_t row) const
    {
        return (row + 1 < m_rows.size() ? m_rows[row + 1] : m_cells.size()) - m_rows[row];
    }
    //! Null for a column that is not there. Text points into this object, until the next request of the session.
    [[nodiscard]] Param at(std::size_t row, std::size_t column) const
    {
        if (row >= m_rows.size() || column >= columns(row))
            return {};
        const Cell& cell = m_cells[m_rows[row] + column];
        Param value = cell.value;
        if (value.type == Param::Type::Text)
            value.text = std::string_view(m_text).substr(cell.begin, cell.size);
        return value;
    }
    //! The column's name, where the rows are kept with names; a document's field always has one.
    [[nodiscard]] std::string_view name(std::size_t row, std::size_t column) const
    {
        if (row >= m_rows.size() || column >= columns(row))
            return {};
        const Cell& cell = m_cells[m_rows[row] + column];
        return std::string_view(m_text).substr(cell.name, cell.nameSize);
    }
    //! Place of a document's field, by its name; columns(row) when it is not there, and in SQL where the rows are kept
    //! without names.
    [[nodiscard]] std::size_t find(std::size_t row, std::string_view name) const
    {
        const std::size_t count = columns(row);
        for (std::size_t i = 0; i < count; ++i) {
            const Cell& cell = m_cells[m_rows[row] + i];
            if (std::string_view(m_text).substr(cell.name, cell.nameSize) == name)
                return i;
        }
        return count;
    }
    //! A number, whatever the server sends it as (decimals come as text); `none` for null and what is no number.
    [[nodiscard]] std::int64_t integer(std::size_t row, std::size_t column, std::int64_t none = 0) const
    {
        const Param value = at(row, column);
        switch (value.type) {
        case Param::Type::Integer:
            return value.integer;
        case Param::Type::Real:
            return std::int64_t(value.real);
        case Param::Type::Text: {
            std::int64_t number = none;
            std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
            return number;
        }
        case Param::Type::Null:
            break;
        }
        return none;
    }
    [[nodiscard]] double real(std::size_t row, std::size_t column, double none = 0) const
    {
        const Param value = at(row, column);
        switch (value.type) {
        case Param::Type::Integer:
            return double(value.integer);
        case Param::Type::Real:
            return value.real;
        case Param::Type::Text: {
            double number = none;
            std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
            return number;
        }
        case Param::Type::Null:
            break;
        }
        return none;
    }
    //! Whatever it is, as text; "" for null.
    [[nodiscard]] std::string asText(std::size_t row, std::size_t column) const
    {
        const Param value = at(row, column);
        switch (value.type) {
        case Param::Type::Integer:
            return std::to_string(value.integer);
        case Param::Type::Real:
            return std::to_string(value.real);
        case Param::Type::Text:
            return std::string(value.text);
        case Param::Type::Null:
            break;
        }
        return {};
    }

    // For drivers: begin(), then for each row beginRow() and its values.
    void begin(Keep keep)
    {
        m_keep = keep;
        clear();
    }
    [[nodiscard]] bool keepsLast() const { return m_keep == Keep::Last || m_keep == Keep::LastNamed; }
    [[nodiscard]] bool keepsNames() const { return m_keep == Keep::LastNamed; }
    //! Another result of the same request takes the place of the one before.
    void restart() { clear(); }
    void beginRow()
    {
        if (keepsLast())
            clear();
        m_rows.push_back(m_cells.size());
    }
    void add(const Param& value)
    {
        if (value.type == Param::Type::Text) {
            value.text.copy(addText(value.text.size()), value.text.size());
            return;
        }
        m_cells.push_back({value, 0, 0, 0, 0});
    }
    //! The name of the value added last.
    void name(std::string_view text)
    {
        m_cells.back().name = m_text.size();
        m_cells.back().nameSize = text.size();
        m_text += text;
    }
    //! Adds a text of `size` bytes; returns where to write it, before anything else is added.
    char* addText(std::size_t size)
    {
        m_cells.push_back({Param::of(std::string_view()), m_text.size(), size, 0, 0});
        m_text.resize(m_text.size() + size);
        return m_text.data() + m_text.size() - size;
    }

private:
    struct Cell
    {
        Param value;                             //!< of a text: without the text
        std::size_t begin, size, name, nameSize; //!< places in m_text
    };
    void clear()
    {
        m_rows.clear();
        m_cells.clear();
        m_text.clear();
    }

    Keep m_keep = Keep::All;
    std::vector<std::size_t> m_rows; //!< first cell of each
    std::vector<Cell> m_cells;
    std::string m_text;
};

} // namespace dyno
