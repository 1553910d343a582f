// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Lines of `mysqlslap --csv`: engine, load type, average, smallest and largest seconds of a whole round, clients,
//! queries a client (client/mysqlslap.c). Each line is a run.
#include "import/format.h"
#include "import/text.h"

#include <fmt/format.h>

namespace dyno::import {

namespace {

class MysqlslapParser final : public Parser
{
public:
    explicit MysqlslapParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        // A label of the user's may stand between the two.
        const std::vector<std::string_view> fields = split(text, ',');
        const std::size_t n = fields.size();
        if (n < 7)
            return false;
        const auto mean = numberOf(fields[n - 5]), least = numberOf(fields[n - 4]), most = numberOf(fields[n - 3]);
        const auto clients = countOf(fields[n - 2]), queries = countOf(fields[n - 1]);
        if (!mean || !least || !most || !clients || !queries || *mean < 0 || *clients > 10'000'000)
            return false;
        Run& run = m_collector.begin();
        if (m_collector.full())
            return false;
        run.users = static_cast<int>(*clients);
        run.workload = "mysqlslap " + shown(fields[1], 40);
        if (!fields[0].empty())
            run.cases = {{"engine", shown(fields[0], 40)}};
        run.seconds = *mean;
        run.queries = double(*clients) * double(*queries);
        if (*mean > 0)
            run.qps = run.queries / *mean;
        run.figure("seconds of a round, smallest", fmt::format("{}", *least), "s");
        run.figure("seconds of a round, largest", fmt::format("{}", *most), "s");
        return true;
    }

private:
    Collector& m_collector;
};

std::string recognise(const Head& head)
{
    int seen = 0;
    for (const std::string_view line : head.lines) {
        if (trimmed(line).empty())
            continue;
        const auto fields = split(line, ',');
        const std::size_t n = fields.size();
        if (n < 7 || n > 8 ||
            (fields[1] != "mixed" && fields[1] != "read" && fields[1] != "write" && fields[1] != "key" &&
             fields[1] != "update") ||
            !numberOf(fields[n - 5]) || !countOf(fields[n - 1]))
            return {};
        ++seen;
    }
    return seen > 0 ? "its lines have the seven fields of mysqlslap --csv" : std::string();
}

} // namespace

Format mysqlslap()
{
    return {.info = {"mysqlslap", "mysqlslap CSV", "What mysqlslap --csv writes: a line a level of concurrency"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "mysqlslap";
                collector.origin.sample = "a whole round of all clients: no latency of statements is told";
                collector.origin.warmup = "included";
                collector.note("operations a second are all queries of a round by its mean time");
                return std::make_unique<MysqlslapParser>(collector);
            }};
}

} // namespace dyno::import
