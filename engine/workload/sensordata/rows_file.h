// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A file of rows that is made once and then read in pieces. It has no name: nobody else can open it, nobody can put
//! another one in its place, and it is gone with the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::sensordata {

class RowsFile
{
public:
    RowsFile() = default;
    ~RowsFile();
    RowsFile(const RowsFile&) = delete;
    RowsFile& operator=(const RowsFile&) = delete;

    struct Content
    {
        std::int64_t rows = 0;
        std::int64_t rowsPerPiece = 1;
        std::function<void(std::string&, std::int64_t)> append; //!< the line of a row, by its number from 0
    };
    //! Makes it in the folder for temporary files (TMPDIR). False: goOn() said no, or error() says what is wrong; then
    //! there is no file.
    [[nodiscard]] bool make(const Content& content, const std::function<bool()>& goOn);
    [[nodiscard]] bool isThere() const { return m_data != nullptr; }
    //! "" as long as nothing is wrong.
    [[nodiscard]] const std::string& error() const { return m_error; }
    //! Pieces count from 0; the bytes stay where they are as long as the file is there.
    [[nodiscard]] std::string_view piece(std::size_t number) const;
    [[nodiscard]] std::size_t size() const { return m_size; }

private:
    void drop();
    bool fill(int fd, const Content& content, const std::function<bool()>& goOn);

    const char* m_data = nullptr;
    std::size_t m_size = 0;
    std::vector<std::size_t> m_ends; //!< of the pieces
    std::string m_error;
};

} // namespace dyno::sensordata
