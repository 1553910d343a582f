// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files that a .workload file's tables take values from: CSV (RFC 4180) of any size, whose records are read by their
//! numbers, and lists of words. Opening one reads all of it and finds what is wrong with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dyno::script {

//! How a CSV file is written.
struct CsvForm
{
    char delimiter = ',';
    bool header = true; //!< the first record has the names of the columns
    std::string null;   //!< a field with this text and without quotes is NULL
    bool operator==(const CsvForm&) const = default;
};

struct CsvField
{
    std::string text;
    bool null = false;
};

//! What went wrong, in words that name the file.
template<class T>
using OrProblem = tl::expected<T, std::string>;

//! Immutable; any number of threads, each with a cursor of its own.
class CsvFile
{
public:
    //! Of a regular file. `goOn` false: a problem that is empty.
    [[nodiscard]] static OrProblem<std::shared_ptr<const CsvFile>> open(const std::string& path, const CsvForm& form,
                                                                        const std::function<bool()>& goOn);
    //! The same of a content; problems name it as `name`.
    [[nodiscard]] static OrProblem<std::shared_ptr<const CsvFile>>
    of(std::string_view content, const std::string& name, const CsvForm& form, const std::function<bool()>& goOn);
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    [[nodiscard]] std::int64_t records() const { return m_records; } //!< without the header
    [[nodiscard]] std::size_t columns() const { return m_columns; }
    [[nodiscard]] const std::vector<std::string>& header() const { return m_header; }
    [[nodiscard]] const std::string& sha256() const { return m_sha256; }

private:
    friend class CsvCursor;
    CsvFile() = default;

    //! Some records that are read at once.
    struct Part
    {
        std::uint64_t begin = 0, end = 0; //!< in bytes
        std::int64_t first = 0;           //!< record
    };
    //! What of a file differs once it was written to.
    struct Facts
    {
        std::uint64_t bytes = 0;
        std::int64_t seconds = 0, nanoseconds = 0; //!< of the last change
        bool operator==(const Facts&) const = default;
    };
    static Facts factsOf(int fd);
    //! `fd` becomes its own.
    static OrProblem<std::shared_ptr<const CsvFile>> read(int fd, std::uint64_t bytes, const std::string& path,
                                                          const CsvForm& form, const std::function<bool()>& goOn);

    int m_fd = -1;
    Facts m_facts; //!< before it was read
    CsvForm m_form;
    std::int64_t m_records = 0;
    std::size_t m_columns = 0;
    std::vector<Part> m_parts;
    std::vector<std::string> m_header;
    std::string m_sha256;
};

//! Reads records of a file. The file outlives it. One thread.
class CsvCursor
{
public:
    explicit CsvCursor(const CsvFile& file)
        : m_file(file)
    {
    }
    //! The fields of a record, by its number from 0, until the next call; nullptr: the file has changed or cannot be
    //! read. Records one after the other are read fast.
    [[nodiscard]] const std::vector<CsvField>* read(std::int64_t record);
    [[nodiscard]] std::size_t bytes() const { return m_text.size(); } //!< of the file, in memory

private:
    [[nodiscard]] bool readPart(std::size_t part);

    const CsvFile& m_file;
    std::string m_text;        //!< of the part
    std::size_t m_at = 0;      //!< in m_text
    std::int64_t m_record = 0; //!< that begins there
    std::int64_t m_end = 0;    //!< the first record of the next part
    std::vector<CsvField> m_fields;
};

//! A word or text a line. Immutable.
class WordList
{
public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t(64) << 20;
    //! Of a regular file. Empty lines do not count.
    [[nodiscard]] static OrProblem<std::shared_ptr<const WordList>> open(const std::string& path);
    //! The same of a content; problems name it as `name`.
    [[nodiscard]] static OrProblem<std::shared_ptr<const WordList>> of(std::string content, const std::string& name);

    [[nodiscard]] std::int64_t size() const { return std::int64_t(m_ends.size()); }
    [[nodiscard]] std::string_view at(std::int64_t number) const //!< from 0
    {
        const std::size_t begin = number == 0 ? 0 : m_ends[std::size_t(number) - 1];
        return std::string_view(m_text).substr(begin, m_ends[std::size_t(number)] - begin);
    }
    [[nodiscard]] const std::string& sha256() const { return m_sha256; }

private:
    std::string m_text;                //!< word behind word
    std::vector<std::uint32_t> m_ends; //!< in m_text; there may be tens of millions
    std::string m_sha256;
};

//! The content of a regular file of up to `most` bytes.
[[nodiscard]] OrProblem<std::string> regularFile(const std::string& path, std::uint64_t most);

} // namespace dyno::script
