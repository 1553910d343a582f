// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/parsers.h"

#include "core/option_file.h"
#include "monitor/prometheus/exposition_parser.h"
#include "store/library/database.h"
#include "store/library/schema.h"
#include "store/library/search.h"
#include <dyno/analysis.h>
#include <dyno/import.h>
#include <dyno/plan.h>
#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace dyno::fuzz {

namespace fs = std::filesystem;

InputFile::InputFile(std::string_view input, std::string_view ending)
{
    std::error_code ignored;
    const fs::path folder = fs::is_directory("/dev/shm", ignored) ? fs::path("/dev/shm") : fs::temp_directory_path();
    m_path = folder / fmt::format("dyno-fuzz-{}{}", ::getpid(), ending);
    std::ofstream(m_path, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));
    if (fs::file_size(m_path, ignored) != input.size())
        throw std::runtime_error(m_path.string() + " cannot be written");
}

InputFile::~InputFile()
{
    std::error_code ignored;
    fs::remove(m_path, ignored);
}

namespace {

void saysWhy(const Error& error)
{
    require(!error.message.empty(), "a refusal says why");
}

//! It gives a plan or faults, and a plan that it wrote is read again.
void readPlanText(std::string_view input)
{
    const ParsedPlan parsed = parsePlan(input, "fuzz");
    require(parsed.plan || !parsed.faults.empty(), "no plan without a fault");
    if (!parsed.plan)
        return;
    const std::string written = writePlan(*parsed.plan);
    const ParsedPlan again = parsePlan(written, "again");
    require(again.plan.has_value(), "a written plan is read again");
    require(writePlan(*again.plan) == written, "writing a plan twice gives the same");
    (void)checkPlan(*parsed.plan);
}

void readUri(std::string_view input)
{
    (void)redactUri(input);
    const auto uri = parseUri(input);
    if (!uri)
        return saysWhy(uri.error());
    require(uri->password.empty(), "a password inside a URI is refused");
    require(uri->port >= 0 && uri->port <= 65535, "a port is one");
    const std::string shown = uri->display();
    const auto again = parseUri(shown);
    require(again && again->display() == shown, "a URI that is shown can be given again");
    (void)worksInProcess(*uri);
}

//! A sample can be written again by what was read of it.
void readMetrics(std::string_view input)
{
    const auto samples = readExposition(input);
    if (!samples)
        return saysWhy(samples.error());
    for (const ExpositionSample& sample : *samples) {
        require(!sample.name.empty() && sample.series.starts_with(sample.name), "a series begins with its metric");
        const std::string line = fmt::format("{} {}\n", sample.series, sample.value);
        const auto again = readExposition(line);
        require(again && again->size() == 1 && again->front().series == sample.series, "a series is read again");
        require(again->front().value == sample.value || sample.value != sample.value, "and has the same value");
    }
}

void readOptionFile(std::string_view input)
{
    const InputFile file(input, ".cnf");
    if (const auto password = passwordFromOptionFile(file.path()); !password)
        saysWhy(password.error());
}

void readMap(std::string_view input)
{
    const InputFile file(input, ".toml");
    const auto map = readImportMap(file.path());
    if (!map)
        return saysWhy(map.error());
    for (const auto& [role, value] : *map) {
        ImportMap one;
        require(bool(setImportField(one, role + "=" + value)), "a field of a file can be given as an option");
    }
}

//! The conditions of a search run on a library without sessions: they are SQL, whatever the query was.
void readSearch(std::string_view input)
{
    static const std::unique_ptr<Database> library = [] {
        auto made = Database::openInMemory();
        if (!made || !createSchema(**made))
            throw std::runtime_error("no library in memory");
        return std::move(*made);
    }();
    const auto condition = parseSearch(input);
    if (!condition)
        return saysWhy(condition.error());
    if (condition->where.empty())
        return;
    {
        Statement select(*library, "SELECT count(*) FROM session s WHERE " + condition->where);
        for (const auto& value : condition->values)
            std::visit([&select](const auto& one) { select << one; }, value);
        (void)select.row();
    }
    const auto done = library->result();
    require(bool(done), "a search is a statement that the library understands");
}

void readView(std::string_view input)
{
    const auto view = viewFromText(input);
    if (!view)
        return saysWhy(view.error());
    const std::string written = viewText(*view);
    const auto again = viewFromText(written);
    require(again && viewText(*again) == written, "a view that was written is read as the same");
}

} // namespace

const std::vector<Parser>& parsers()
{
    static const std::vector<Parser> list = [] {
        std::vector<Parser> all = {
            {"plan", readPlanText},
            {"uri", readUri},
            {"exposition", readMetrics},
            {"option-file", readOptionFile},
            {"search", readSearch},
            {"script", readScript},
            {"recorded-log", readRecordedLog},
            {"lua-text", readLuaText},
            {"view", readView},
            {"import-map", readMap},
            {"import-detect", detectFormat},
            {"import-mapped", readMappedTable},
            {"dyno-blocks", readBlocks},
            {"dyno-file", readDynoFile},
        };
        for (const ImportFormat& format : importFormats())
            all.push_back(
                {"import-" + format.id, [id = format.id](std::string_view input) { importAs(id.c_str(), input); }});
        return all;
    }();
    return list;
}

const Parser* findParser(std::string_view name)
{
    const auto found = std::ranges::find(parsers(), name, &Parser::name);
    return found == parsers().end() ? nullptr : &*found;
}

} // namespace dyno::fuzz
