// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/manual_command.h"

#include "cli/command_table.h"
#include "cli/listing_json.h"
#include "core/exit_text.h"
#include "core/text_table.h"

#include <dyno/catalog.h>
#include <dyno/export.h>
#include <dyno/manual.h>
#include <dyno/report.h>

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>

namespace dyno::cli {

namespace {

constexpr const char* kGenerated = "This page is generated: `dyno manual --generate DIR` writes it.";

std::string exitCodesMarkdown()
{
    std::string text = fmt::format("# Exit codes\n\nOf `dyno`, and of the commands of `dynobench`. They are a "
                                   "contract: none changes its meaning. {}\n\n"
                                   "| code | meaning | what to do |\n|---:|---|---|\n",
                                   kGenerated);
    for (const ExitMeaning& one : exitMeanings())
        text += fmt::format("| {} | {} | {} |\n", int(one.code), markdownCell(one.meaning), markdownCell(one.next));
    return text;
}

std::string measuresMarkdown()
{
    std::string text = fmt::format(
        "# Measures\n\nThe figures that a view, a comparison or an export can be of. `dyno measures` lists them too. "
        "{}\n\n"
        "Parts of a measure stand behind a colon; [Charts](charts.md#parts-of-a-measure) says what they mean.\n\n"
        "| measure | unit | better | meaning |\n|---|---|---|---|\n",
        kGenerated);
    for (const MeasureInfo& measure : measures()) {
        const char* needs = measure.needs == PriceNeed::CostPerHour ? " (of targets with a cost per hour)"
                            : measure.needs == PriceNeed::Watts     ? " (of targets with watts)"
                                                                    : "";
        const char* better = !measure.judged ? "" : measure.higherIsBetter ? "more" : "less";
        text += fmt::format("| `{}` | {} | {} | {}{} |\n", measureForm(measure.id), markdownCell(measure.unit), better,
                            markdownCell(measure.label), needs);
    }
    return text;
}

struct GeneratedPage
{
    const char* file;
    std::string text;
};
std::vector<GeneratedPage> generatedPages(const CLI::App& app)
{
    return {{"plan-reference.md", planReferenceMarkdown()},
            {"commands.md", commandsMarkdown(app)},
            {"exit-codes.md", exitCodesMarkdown()},
            {"measures.md", measuresMarkdown()},
            {"experiments.md", experimentsMarkdown()}};
}

int listPages()
{
    TextTable table({"page", "title", "group"});
    for (const ManualPage& page : manualPages())
        table.add({page.id, page.title, page.group});
    print(table.text());
    return kDone;
}

int showPage(const std::string& id)
{
    const ManualPage* page = findManualPage(id);
    if (!page) {
        std::vector<std::string> ids;
        for (const ManualPage& one : manualPages())
            ids.push_back(one.id);
        const std::string likely = likelyName(id, ids);
        return badInput(fmt::format("the manual has no page \"{}\"", id),
                        likely.empty() ? "`dyno manual` lists them" : fmt::format("did you mean \"{}\"?", likely));
    }
    print(page->markdown);
    return kDone;
}

int search(const std::string& words)
{
    const std::vector<ManualPlace> places = searchManual(words);
    for (const ManualPlace& place : places)
        print(fmt::format("{}: {}\n    {}\n", place.page->id, place.heading, place.excerpt));
    if (places.empty())
        say("the manual has no part with all of these words");
    return kDone;
}

int writeHtml(const std::string& folder)
{
    const auto files = writeManual(folder);
    if (!files)
        return report(files.error());
    say(fmt::format("{} files; begin with {}", files->size(), files->front().string()));
    return kDone;
}

int generate(const CLI::App& app, const std::string& folder)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        return report({ErrorKind::Storage, fmt::format("the folder cannot be made ({})", problem.message()), folder,
                       "choose another folder"});
    for (const GeneratedPage& page : generatedPages(app)) {
        if (const auto written = writeTextFile(std::filesystem::path(folder) / page.file, page.text); !written)
            return report(written.error());
    }
    return kDone;
}

} // namespace

void addManualCommand(CLI::App& app, ExitCode code)
{
    struct Asked
    {
        std::string page, words, html, generated;
    };
    auto asked = std::make_shared<Asked>();
    CLI::App* command = app.add_subcommand("manual", "The pages of the manual, or one of them");
    command->add_option("PAGE", asked->page, "a page");
    command->add_option("--search", asked->words, "lists the parts in which all of these words stand");
    command->add_option("--html", asked->html, "DIR: writes all pages as HTML, beginning with index.html");
    command->add_option(
        "--generate", asked->generated,
        "DIR: writes the pages that are made from tables: those of resources/manual, for who changes Dynobench");
    command->callback([&code, &app, asked] {
        const int wishes = int(!asked->page.empty()) + int(!asked->words.empty()) + int(!asked->html.empty()) +
                           int(!asked->generated.empty());
        if (wishes > 1)
            code = badInput("a page, --search, --html and --generate do not go together", "give one of them");
        else if (!asked->page.empty())
            code = showPage(asked->page);
        else if (!asked->words.empty())
            code = search(asked->words);
        else if (!asked->html.empty())
            code = writeHtml(asked->html);
        else
            code = asked->generated.empty() ? listPages() : generate(app, asked->generated);
    });
}

} // namespace dyno::cli
