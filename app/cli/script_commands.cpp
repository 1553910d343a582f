// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno measures | completion SHELL | man [COMMAND] | manual [PAGE]: what scripts and shells need to know.
#include "cli/command_table.h"
#include "cli/console.h"
#include "cli/listing_json.h"
#include "cli/manual_command.h"
#include "core/text_table.h"

#include <dyno/catalog.h>
#include <dyno/report.h>

#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

int listMeasures(bool json)
{
    if (json) {
        printDocument(measuresJson());
        return kDone;
    }
    TextTable table({"measure", "unit", "better", "meaning"});
    for (const MeasureInfo& measure : measures()) {
        std::string meaning = measure.label;
        if (measure.needs == PriceNeed::CostPerHour)
            meaning += " (of targets with a cost per hour)";
        else if (measure.needs == PriceNeed::Watts)
            meaning += " (of targets with watts)";
        const char* better = !measure.judged ? "" : measure.higherIsBetter ? "more" : "less";
        table.add({measureForm(measure.id), measure.unit, better, meaning});
    }
    print(table.text() +
          "\nOf one kind of operation: service_p95:OPERATION (and the other latencies, qps, transactions,\n"
          "per_minute); of one error: errors:CODE.\n");
    return kDone;
}

int complete(const CLI::App& app, const std::string& shell)
{
    const std::string script = completionScript(app, shell);
    if (script.empty())
        return badInput(fmt::format("there is no completion for the shell \"{}\"", shell), "one of: bash, zsh, fish");
    print(script);
    return kDone;
}

//! `words`: a command and its own, as they are typed; none for dyno itself.
int manual(const CLI::App& app, const std::vector<std::string>& words)
{
    const CLI::App* command = &app;
    for (const std::string& word : words) {
        const CLI::App* found = nullptr;
        std::vector<std::string> names;
        for (const CLI::App* one : commandsOf(*command)) {
            names.push_back(one->get_name());
            if (one->get_name() == word)
                found = one;
        }
        if (!found) {
            const std::string likely = likelyName(word, names);
            return badInput(fmt::format("{} has no command \"{}\"", commandPath(*command), word),
                            likely.empty() ? fmt::format("`{} --help` lists them", commandPath(*command))
                                           : fmt::format("did you mean \"{}\"?", likely));
        }
        command = found;
    }
    print(manualPage(*command, fmt::format("dynobench {}", softwareVersion())));
    return kDone;
}

} // namespace

void addScriptCommands(CLI::App& app, ExitCode code)
{
    auto json = std::make_shared<bool>(false);
    CLI::App* measuresCommand =
        app.add_subcommand("measures", "The figures that a view, a comparison or an export can be of");
    measuresCommand->add_flag("--json", *json, "print one JSON document");
    measuresCommand->callback([&code, json] { code = listMeasures(*json); });

    auto shell = std::make_shared<std::string>();
    CLI::App* completionCommand =
        app.add_subcommand("completion", "A script that lets a shell complete commands and options");
    completionCommand->add_option("SHELL", *shell, "bash, zsh or fish")->required();
    completionCommand->footer("Now and in each new shell:\n  bash  source <(dyno completion bash)      in ~/.bashrc\n"
                              "  zsh   source <(dyno completion zsh)       in ~/.zshrc, after compinit\n"
                              "  fish  dyno completion fish | source       in config.fish\n");
    completionCommand->callback([&code, &app, shell] { code = complete(app, *shell); });

    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* manCommand = app.add_subcommand("man", "The manual page of dyno or of one command, for `man -l -`");
    manCommand->add_option("COMMAND", *words, "a command, such as run or library check");
    manCommand->callback([&code, &app, words] { code = manual(app, *words); });

    addManualCommand(app, code);
}

} // namespace dyno::cli
