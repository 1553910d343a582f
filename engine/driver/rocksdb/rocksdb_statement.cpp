// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_statement.h"

#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace dyno {

namespace {

struct Word
{
    std::string_view verb;
    RocksdbVerb means;
    std::size_t arguments; //!< after the family
};

constexpr std::array kWords = {Word{"get", RocksdbVerb::Get, 1},       Word{"put", RocksdbVerb::Put, 2},
                               Word{"delete", RocksdbVerb::Delete, 1}, Word{"scan", RocksdbVerb::Scan, 2},
                               Word{"create", RocksdbVerb::Create, 0}, Word{"drop", RocksdbVerb::Drop, 0}};

constexpr std::string_view kForUpdate = " for update";

std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \n\t");
        if (begin == std::string_view::npos)
            return words;
        const std::size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        text.remove_prefix(end);
    }
}

} // namespace

Expected<RocksdbStatement> parseRocksdbStatement(std::string_view text)
{
    const auto wrong = [text](const char* what) {
        return fail({ErrorKind::BadInput, fmt::format("{}: \"{}\"", what, text), "",
                     "write get, put, delete or scan with a column family, a key, and a value or limit"});
    };
    RocksdbStatement statement;
    std::string_view rest = text;
    const bool forUpdate = rest.ends_with(kForUpdate);
    if (forUpdate)
        rest.remove_suffix(kForUpdate.size());
    const std::vector<std::string_view> words = wordsOf(rest);
    const Word* known = nullptr;
    for (const Word& word : kWords) {
        if (!words.empty() && word.verb == words.front())
            known = &word;
    }
    if (!known || (forUpdate && known->means != RocksdbVerb::Get))
        return wrong("this is no key-value call");
    if (words.size() != known->arguments + 2)
        return wrong("this key-value call has another number of words");
    statement.verb = forUpdate ? RocksdbVerb::GetForUpdate : known->means;
    statement.family = std::string(words[1]);
    for (std::size_t i = 0; i < known->arguments; ++i) {
        statement.bound[i] = words[i + 2] == "?";
        statement.parameters += statement.bound[i] ? 1 : 0;
        statement.literals[i] = std::string(words[i + 2]);
    }
    return statement;
}

bool RocksdbArguments::take(const RocksdbStatement& statement, std::span<const Param> params)
{
    if (params.size() != std::size_t(statement.parameters))
        return false;
    std::size_t next = 0;
    for (std::size_t i = 0; i < m_texts.size(); ++i) {
        m_texts[i] = statement.literals[i];
        if (!statement.bound[i])
            continue;
        const Param& param = params[next++];
        std::array<char, 32>& number = m_numbers[i];
        char* const end = number.data() + number.size();
        switch (param.type) {
        case Param::Type::Null:
            return false;
        case Param::Type::Text:
            m_texts[i] = param.text;
            break;
        case Param::Type::Integer: {
            const auto written = std::to_chars(number.data(), end, param.integer);
            m_texts[i] = {number.data(), std::size_t(written.ptr - number.data())};
            break;
        }
        case Param::Type::Real: {
            const auto written = std::to_chars(number.data(), end, param.real);
            m_texts[i] = {number.data(), std::size_t(written.ptr - number.data())};
            break;
        }
        }
    }
    return true;
}

std::int64_t RocksdbArguments::limit() const
{
    std::int64_t number = -1;
    std::from_chars(m_texts[1].data(), m_texts[1].data() + m_texts[1].size(), number);
    return number;
}

} // namespace dyno
