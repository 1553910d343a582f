// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What sysbench's hooks report_csv and report_json write (src/lua/internal/sysbench.lua).
#include "import/format.h"
#include "import/sysbench.h"
#include "import/text.h"

#include <array>
#include <nlohmann/json.hpp>

namespace dyno::import {

namespace {

//! Of one interval; rates a second.
struct Row
{
    double at, threads, tps, qps, reads, writes, others, latency, errors, reconnects;
};

class HookParser : public Parser
{
protected:
    explicit HookParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool store(const Row& row)
    {
        for (const double value : {row.at, row.threads, row.tps, row.reads, row.writes, row.others, row.latency})
            if (!(value >= 0) || value > 1e15)
                return false;
        if (!m_run || row.at < m_last) {
            m_run = &m_collector.begin();
            m_run->users = static_cast<int>(std::min(row.threads, 1e7));
            m_last = 0;
        } else if (row.at == m_last && !m_run->empty()) {
            return false;
        }
        const double seconds = row.at - m_last;
        if (m_run->size() == 1)
            m_run->firstBegan(m_last - seconds, true);
        m_run->add({.start = m_last,
                    .seconds = seconds,
                    .users = static_cast<int>(std::min(row.threads, 1e7)),
                    .transactions = row.tps * seconds,
                    .retried = row.errors * seconds,
                    .reconnects = row.reconnects * seconds});
        m_last = row.at;
        m_run->operation("read", OpClass::Read, row.reads * seconds);
        m_run->operation("write", OpClass::Write, row.writes * seconds);
        m_run->operation("other", OpClass::Other, row.others * seconds);
        if (row.latency > 0)
            m_run->stated("latency, percentile not told", "ms", row.latency, Fold::Highest);
        m_collector.bound(*m_run);
        return true;
    }

private:
    Collector& m_collector;
    Run* m_run = nullptr;
    double m_last = 0;
};

class CsvParser final : public HookParser
{
public:
    explicit CsvParser(Collector& collector)
        : HookParser(collector)
    {
    }
    bool line(std::string_view text, std::int64_t) override
    {
        std::array<double, 10> values{};
        Scan scan(text);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if ((i > 0 && !scan.text(",")) || !scan.number(values[i]))
                return false;
        }
        if (!scan.blanks().atEnd())
            return false;
        return store({values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
                      values[9]});
    }
};

//! Objects of an array that may not be closed; line by line, so that the file may be of any size.
class JsonParser final : public HookParser
{
public:
    explicit JsonParser(Collector& collector)
        : HookParser(collector)
    {
    }
    bool line(std::string_view text, std::int64_t) override
    {
        constexpr std::size_t kMostObject = 1 << 16;
        bool understood = true;
        for (const char c : text) {
            if (c == '{')
                ++m_depth;
            if (m_depth > 0)
                m_object += c;
            else if (c != '[' && c != ']' && c != ',' && c != ' ' && c != '\t')
                understood = false;
            if (c == '}' && m_depth > 0 && --m_depth == 0) {
                understood = object() && understood;
                m_object.clear();
            }
            if (m_object.size() > kMostObject) {
                m_object.clear();
                m_depth = 0;
                understood = false;
            }
        }
        return understood;
    }

private:
    bool object()
    {
        const auto json = nlohmann::json::parse(m_object, nullptr, false);
        if (!json.is_object())
            return false;
        const auto at = [](const nlohmann::json& from, const char* key) {
            const auto found = from.find(key);
            return found != from.end() && found->is_number() ? found->get<double>() : -1.0;
        };
        const auto qps = json.find("qps");
        if (qps == json.end() || !qps->is_object())
            return false;
        const auto zero = [](double value) { return value < 0 ? 0 : value; };
        return store({at(json, "time"), at(json, "threads"), at(json, "tps"), at(*qps, "total"), at(*qps, "reads"),
                      at(*qps, "writes"), at(*qps, "other"), at(json, "latency"), zero(at(json, "errors")),
                      zero(at(json, "reconnects"))});
    }

    std::string m_object;
    int m_depth = 0;
};

template<class Which>
std::unique_ptr<Parser> make(Collector& collector)
{
    describeSysbench(collector.origin);
    collector.note(
        "the percentile is not told in this output: it is sysbench's --percentile, 95 unless it was set; and whether "
        "latencies are response times, which they are with --rate");
    return std::make_unique<Which>(collector);
}

std::string recogniseCsv(const Head& head)
{
    int fitting = 0;
    for (const std::string_view line : head.lines) {
        if (trimmed(line).empty())
            continue;
        const auto fields = split(line, ',');
        if (fields.size() != 10)
            return {};
        for (const std::string_view field : fields) {
            if (!numberOf(field))
                return {};
        }
        // threads are whole, and operations are the sum of their kinds
        const double sum = *numberOf(fields[4]) + *numberOf(fields[5]) + *numberOf(fields[6]);
        if (!countOf(fields[1]) || std::abs(sum - *numberOf(fields[3])) > 0.02 + 1e-6 * sum)
            return {};
        if (++fitting >= 20)
            break;
    }
    return fitting > 0 ? "each line has the ten numbers of sysbench's report_csv, and operations are their sum"
                       : std::string();
}

std::string recogniseJson(const Head& head)
{
    const bool array = trimmed(head.text.substr(0, 64)).starts_with('[');
    for (const char* key : {"\"time\"", "\"threads\"", "\"tps\"", "\"qps\"", "\"latency\"", "\"reconnects\""}) {
        if (!array || head.text.find(key) == std::string::npos)
            return {};
    }
    return "it is an array of objects with the fields of sysbench's report_json";
}

} // namespace

Format sysbenchCsv()
{
    return {.info = {"sysbench-csv", "sysbench CSV",
                     "What sysbench writes with the hook report_csv: ten columns, no heading"},
            .recognise = &recogniseCsv,
            .lines = &make<CsvParser>};
}

Format sysbenchJson()
{
    return {.info = {"sysbench-json", "sysbench JSON",
                     "What sysbench writes with the hook report_json; its end may be missing"},
            .recognise = &recogniseJson,
            .lines = &make<JsonParser>};
}

} // namespace dyno::import
