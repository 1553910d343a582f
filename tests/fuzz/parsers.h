// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Everything that reads what others wrote, one entry a parser: what libFuzzer drives (fuzz_parser) and what the kept
//! inputs are replayed through in every build (tst_fuzz_corpus).
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::fuzz {

//! A promise of a parser that does not hold.
class Broken : public std::logic_error
{
public:
    using std::logic_error::logic_error;
};

inline void require(bool holds, const char* promise)
{
    if (!holds)
        throw Broken(promise);
}

struct Parser
{
    std::string name; //!< also of its folder below corpus/
    //! Reads the input, or refuses it; throws Broken when it breaks a promise of the parser.
    std::function<void(std::string_view input)> run;
};
[[nodiscard]] const std::vector<Parser>& parsers();
[[nodiscard]] const Parser* findParser(std::string_view name);

//! Parsers that read a file get the input as one: in memory where the system has such a folder.
class InputFile
{
public:
    InputFile(std::string_view input, std::string_view ending);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

// The larger ones, each in its own file.
void importAs(const char* format, std::string_view input);
void readMappedTable(std::string_view input); //!< lines "role=column", an empty one, the table
void detectFormat(std::string_view input);
void readBlocks(std::string_view input);
void readDynoFile(std::string_view input);
void readScript(std::string_view input);
void readRecordedLog(std::string_view input);
void readLuaText(std::string_view input);

} // namespace dyno::fuzz
