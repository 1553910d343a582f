// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_table.h"

#include "cli/console.h"

#include <dyno/catalog.h>
#include <dyno/manual.h>
#include <dyno/report.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace dyno::cli {

namespace {

//! One option, flag or positional of a command.
struct TableOption
{
    std::vector<std::string> names; //!< with dashes, the short one last; of a positional its name
    std::string help, group;
    std::vector<std::string> values; //!< that it takes, as far as they are known beforehand
    std::string asks;                //!< the command that lists more when somebody completes: "workloads --names"
    bool positional = false, takesValue = false, required = false, several = false;
    bool file = false; //!< its value is a file or folder
};

struct TableCommand
{
    const CLI::App* app = nullptr;
    std::string path, help; //!< "dyno library check"
    std::vector<TableOption> options;
};

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> all)
{
    return std::find(all.begin(), all.end(), name) != all.end();
}

//! "TEXT:{refuse,use,rebuild}" → the three.
std::vector<std::string> choicesIn(const std::string& typeName)
{
    const std::size_t open = typeName.find('{');
    const std::size_t close = typeName.find('}', open);
    std::vector<std::string> choices;
    if (open == std::string::npos || close == std::string::npos)
        return choices;
    std::string_view rest = std::string_view(typeName).substr(open + 1, close - open - 1);
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(','));
        choices.emplace_back(one);
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
    return choices;
}

//! What the catalogue knows of the values of an option or positional.
std::vector<std::string> knownValues(const std::string& path, const std::string& name)
{
    std::vector<std::string> values;
    if (name == "--workload" || (path == "dyno workloads" && name == "NAME")) {
        for (const WorkloadInfo& one : workloads())
            values.push_back(one.id);
    } else if (name == "PLAN" || (path == "dyno recipes" && name == "ID")) {
        for (const RecipeInfo& one : recipes())
            values.push_back(one.id);
    } else if (path == "dyno knobs" && name == "DRIVER") {
        for (const DriverInfo& one : drivers())
            values.push_back(one.id);
    } else if (name == "--measure") {
        for (const MeasureInfo& one : measures())
            values.push_back(one.id);
    } else if (name == "PAGE") {
        for (const ManualPage& one : manualPages())
            values.push_back(one.id);
    } else if (path == "dyno completion") {
        values = {"bash", "zsh", "fish"};
    } else if (name == "--existing") {
        values = {"refuse", "use", "rebuild"};
    } else if (name == "--executor") {
        values = {"auto", "threads", "loops"};
    } else if (name == "--arrival") {
        values = {"closed", "fixed", "poisson"};
    } else if (name == "ID") {
        values = {"last"};
    }
    return values;
}

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

TableCommand tableOf(const CLI::App& app)
{
    TableCommand command{&app, commandPath(app), app.get_description(), {}};
    const auto isShown = [](const CLI::Option* one) { return !one->get_group().empty(); };
    for (const CLI::Option* option : app.get_options(isShown)) {
        TableOption made;
        made.positional = option->get_positional();
        if (made.positional) {
            made.names = {option->get_single_name()};
        } else {
            for (const std::string& name : option->get_lnames())
                made.names.push_back("--" + name);
            for (const std::string& name : option->get_snames())
                made.names.push_back("-" + name);
        }
        if (made.names.empty())
            continue;
        made.help = option->get_description();
        made.group = option->get_group();
        made.takesValue = option->get_items_expected_max() > 0;
        made.required = option->get_required();
        made.several = option->get_items_expected_max() > 1;
        const std::string& name = made.names.front();
        if (made.takesValue) {
            made.values = knownValues(command.path, name);
            if (name == "--workload" || (command.path == "dyno workloads" && isOneOf(name, {"NAME", "--remove"})))
                made.asks = "workloads --names";
            if (made.values.empty())
                made.values = choicesIn(option->get_type_name());
            made.file = isOneOf(name, {"--library", "--out", "--option-file", "--file", "--csv", "--markdown", "--html",
                                       "--hdr", "--json", "--map", "--script", "--generate", "--add", "PLAN", "FILE",
                                       "FOLDER"});
            if (name == "ID" &&
                isOneOf(command.path, {"dyno show", "dyno compare", "dyno export", "dyno warmup", "dyno add-series"}))
                made.file = true;
        }
        command.options.push_back(std::move(made));
    }
    return command;
}

void addAll(const CLI::App& app, std::vector<TableCommand>& all)
{
    all.push_back(tableOf(app));
    for (const CLI::App* one : commandsOf(app))
        addAll(*one, all);
}

std::vector<TableCommand> wholeTable(const CLI::App& app)
{
    std::vector<TableCommand> all;
    addAll(app, all);
    return all;
}

std::string joinedWords(const std::vector<std::string>& words)
{
    return fmt::format("{}", fmt::join(words, " "));
}

//! 'it'\''s' for sh and zsh; 'it\'s' for fish.
std::string quoted(const std::string& text, bool fish)
{
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += fish ? "\\'" : "'\\''";
        else if (c == '\\' && fish)
            out += "\\\\";
        else
            out += c;
    }
    return out + "'";
}

//! The patterns of a case: "dyno run"|"dyno check"
std::string pathPatterns(const std::vector<TableCommand>& all)
{
    std::string out;
    for (std::size_t i = 1; i < all.size(); ++i) // the first is dyno itself
        out += (out.empty() ? "" : "|") + fmt::format("\"{}\"", all[i].path);
    return out;
}

std::vector<std::string> commandNames(const TableCommand& command)
{
    std::vector<std::string> names;
    for (const CLI::App* one : commandsOf(*command.app))
        names.push_back(one->get_name());
    return names;
}

//! What may stand where no option does, beside commands.
struct Positionals
{
    std::vector<std::string> values;
    std::string asks;
    bool files = false;
};

Positionals positionalsOf(const TableCommand& command)
{
    Positionals all;
    for (const TableOption& option : command.options) {
        if (!option.positional)
            continue;
        all.values.insert(all.values.end(), option.values.begin(), option.values.end());
        all.asks += option.asks;
        all.files = all.files || option.file;
    }
    return all;
}

//! Asks the program that somebody types.
std::string askedBy(const char* shell, const std::string& asks)
{
    return asks.empty() ? std::string() : fmt::format("$({} {} 2>/dev/null)", shell, asks);
}

//! A list of words in bash. It expands what it takes apart, so only plain names may be asked for.
std::string bashWords(const std::vector<std::string>& values, const std::string& asks)
{
    const std::string known = quoted(joinedWords(values), false);
    return asks.empty() ? known : fmt::format("{}\" {}\"", known, askedBy("\"${COMP_WORDS[0]}\"", asks));
}

std::vector<std::string> optionNames(const TableCommand& command)
{
    std::vector<std::string> names;
    for (const TableOption& option : command.options) {
        if (!option.positional)
            names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

//! "dyno run --existing"|"dyno run -x", of all names of an option.
std::string valuePatterns(const TableCommand& command, const TableOption& option)
{
    std::string out;
    for (const std::string& name : option.names)
        out += (out.empty() ? "" : "|") + fmt::format("\"{} {}\"", command.path, name);
    return out;
}

std::string bashCompletion(const std::vector<TableCommand>& all)
{
    std::string out = "# bash completion for dyno; to use it: source <(dyno completion bash)\n"
                      "_dyno()\n{\n"
                      "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
                      "    local at=dyno words= flags= files= i\n"
                      "    COMPREPLY=()\n"
                      "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                      "        case \"$at ${COMP_WORDS[i]}\" in\n";
    out += "            " + pathPatterns(all) +
           ") at=\"$at ${COMP_WORDS[i]}\" ;;\n"
           "        esac\n    done\n    case \"$at $prev\" in\n";
    for (const TableCommand& command : all) {
        for (const TableOption& option : command.options) {
            if (option.positional || !option.takesValue)
                continue;
            out += fmt::format("        {}) ", valuePatterns(command, option));
            if (option.file)
                out += "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n";
            else if (!option.values.empty() || !option.asks.empty())
                out += fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\")); return ;;\n",
                                   bashWords(option.values, option.asks));
            else
                out += "return ;;\n";
        }
    }
    out += "    esac\n    case \"$at\" in\n";
    for (const TableCommand& command : all) {
        std::vector<std::string> words = commandNames(command);
        const Positionals own = positionalsOf(command);
        words.insert(words.end(), own.values.begin(), own.values.end());
        out += fmt::format("        \"{}\") words={} flags={}{} ;;\n", command.path, bashWords(words, own.asks),
                           quoted(joinedWords(optionNames(command)), false), own.files ? " files=1" : "");
    }
    out += "    esac\n"
           "    if [[ $cur == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
           "    else\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
           "        if [[ $files ]]; then mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\"); fi\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _dyno dyno\n";
    return out;
}

//! 'name:what it does', as _describe takes it.
std::string described(const std::string& name, const std::string& help)
{
    std::string item;
    for (const char c : name) {
        if (c == ':')
            item += '\\';
        item += c;
    }
    return quoted(item + ":" + firstLine(help), false);
}

std::string zshCompletion(const std::vector<TableCommand>& all)
{
    std::string out = "#compdef dyno\n# zsh completion for dyno; to use it: source <(dyno completion zsh)\n"
                      "_dyno()\n{\n"
                      "    local at=dyno files= i\n"
                      "    local -a names flags\n"
                      "    for ((i = 2; i < CURRENT; i++)); do\n"
                      "        case \"$at ${words[i]}\" in\n";
    out += "            (" + pathPatterns(all) +
           ") at=\"$at ${words[i]}\" ;;\n"
           "        esac\n    done\n    case \"$at ${words[CURRENT-1]}\" in\n";
    for (const TableCommand& command : all) {
        for (const TableOption& option : command.options) {
            if (option.positional || !option.takesValue)
                continue;
            out += fmt::format("        ({}) ", valuePatterns(command, option));
            std::string words = joinedWords(option.values);
            if (!option.asks.empty())
                words += fmt::format(" ${{(f)\"{}\"}}", askedBy("${words[1]}", option.asks));
            out += option.file     ? "_files; return ;;\n"
                   : words.empty() ? std::string("return ;;\n")
                                   : fmt::format("compadd -- {}; return ;;\n", words);
        }
    }
    out += "    esac\n    case \"$at\" in\n";
    for (const TableCommand& command : all) {
        std::string names, flags;
        for (const CLI::App* one : commandsOf(*command.app))
            names += " " + described(one->get_name(), one->get_description());
        const Positionals own = positionalsOf(command);
        for (const std::string& value : own.values)
            names += " " + described(value, "");
        if (!own.asks.empty())
            names += fmt::format(" ${{(f)\"{}\"}}", askedBy("${words[1]}", own.asks));
        for (const TableOption& option : command.options) {
            for (const std::string& name : option.names) {
                if (!option.positional)
                    flags += " " + described(name, option.help);
            }
        }
        out += fmt::format("        (\"{}\") names=({} ) flags=({} ){} ;;\n", command.path, names, flags,
                           own.files ? " files=1" : "");
    }
    out += "    esac\n"
           "    if [[ $PREFIX == -* ]]; then\n"
           "        _describe -o option flags\n"
           "    else\n"
           "        (( $#names )) && _describe argument names\n"
           "        [[ -n $files ]] && _files\n"
           "    fi\n"
           "    return 0\n"
           "}\n"
           "if [[ ${funcstack[1]} == _dyno ]]; then _dyno \"$@\"; else compdef _dyno dyno; fi\n";
    return out;
}

//! Fish asks when somebody completes, not when it reads the script.
std::string fishAsks(const std::string& asks)
{
    return quoted(fmt::format("((commandline -opc)[1] {} 2>/dev/null)", asks), true);
}

std::string fishCompletion(const std::vector<TableCommand>& all)
{
    std::string paths;
    for (std::size_t i = 1; i < all.size(); ++i)
        paths += " " + quoted(all[i].path, true);
    std::string out = "# fish completion for dyno; to use it: dyno completion fish | source\n"
                      "function __dyno_at\n"
                      "    set -l at dyno\n"
                      "    for word in (commandline -opc)[2..-1]\n"
                      "        switch \"$at $word\"\n";
    out += "            case" + paths +
           "\n                set at \"$at $word\"\n"
           "        end\n    end\n    test \"$at\" = \"$argv\"\nend\n";
    for (const TableCommand& command : all) {
        const std::string where = fmt::format("complete -c dyno -n '__dyno_at {}'", command.path);
        const Positionals own = positionalsOf(command);
        if (!own.files)
            out += where + " -f\n";
        for (const CLI::App* one : commandsOf(*command.app))
            out += fmt::format("{} -f -a {} -d {}\n", where, one->get_name(),
                               quoted(firstLine(one->get_description()), true));
        if (!own.values.empty())
            out += fmt::format("{} -a {}\n", where, quoted(joinedWords(own.values), true));
        if (!own.asks.empty())
            out += fmt::format("{} -a {}\n", where, fishAsks(own.asks));
        for (const TableOption& option : command.options) {
            if (option.positional)
                continue;
            std::string line = where;
            for (const std::string& name : option.names)
                line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (option.takesValue)
                line += option.file ? " -r" : " -x";
            if (!option.values.empty())
                line += " -a " + quoted(joinedWords(option.values), true);
            if (!option.asks.empty())
                line += " -a " + fishAsks(option.asks);
            out += line + " -d " + quoted(firstLine(option.help), true) + "\n";
        }
    }
    return out;
}

//! Text as troff reads it: nothing of it is a command, and what is not ASCII is spelt out.
std::string troff(std::string_view text)
{
    std::string out;
    bool lineBegins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (lineBegins && (text[i] == '.' || text[i] == '\''))
            out += "\\&";
        lineBegins = text[i] == '\n';
        if (text[i] == '\\') {
            out += "\\e";
        } else if (text[i] == '-') {
            out += "\\-";
        } else if (text[i] == '\'') {
            out += "\\(aq";
        } else if (text[i] == '`') {
            out += "\\(ga";
        } else if (byte < 0x80) {
            out += text[i];
        } else {
            const int more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
            std::uint32_t character = byte & (0x3Fu >> more);
            for (int n = 0; n < more && i + 1 < text.size(); ++n)
                character = character << 6 | (static_cast<unsigned char>(text[++i]) & 0x3Fu);
            out += fmt::format("\\[u{:04X}]", character);
        }
    }
    return out;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return text;
}

std::string pageName(std::string path)
{
    std::replace(path.begin(), path.end(), ' ', '-');
    return path;
}

std::string synopsis(const TableCommand& command)
{
    std::string out = "\\fB" + troff(command.path) + "\\fR";
    if (!commandNames(command).empty())
        out += command.app->get_require_subcommand_min() > 0 ? " \\fICOMMAND\\fR" : " [\\fICOMMAND\\fR]";
    for (const TableOption& option : command.options) {
        if (option.positional)
            out += fmt::format(" {}\\fI{}\\fR{}{}", option.required ? "" : "[", troff(option.names.front()),
                               option.several ? " ..." : "", option.required ? "" : "]");
    }
    return out + " [\\fIOPTIONS\\fR]";
}

std::string manualOption(const TableOption& option)
{
    std::string head;
    for (const std::string& name : option.names)
        head += (head.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", troff(name));
    if (option.takesValue && !option.positional)
        head += " \\fIVALUE\\fR";
    return ".TP\n" + head + "\n" + troff(option.help.empty() ? "(required)" : option.help) + "\n";
}

std::string optionRow(const TableOption& option)
{
    constexpr std::size_t kFew = 5; // more are listed by a command of their own
    std::string names;
    for (const std::string& name : option.names)
        names += (names.empty() ? "" : ", ") + fmt::format("`{}`", name);
    std::string help = markdownCell(option.help);
    if (!option.positional && !option.values.empty() && option.values.size() <= kFew)
        help += fmt::format("{}one of {}", help.empty() ? "" : "; ", fmt::join(option.values, ", "));
    if (option.required)
        help += help.empty() ? "required" : "; required";
    return fmt::format("| {} | {} |\n", names, help);
}

std::string synopsisLine(const TableCommand& command)
{
    std::string text = command.path;
    if (!commandNames(command).empty())
        text += command.app->get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
    for (const TableOption& option : command.options) {
        if (option.positional)
            text += fmt::format(" {}{}{}{}", option.required ? "" : "[", option.names.front(),
                                option.several ? "…" : "", option.required ? "" : "]");
    }
    return text + " [OPTIONS]";
}

std::string commandSection(const TableCommand& command)
{
    std::string text =
        fmt::format("## {}\n\n{}\n\n```\n{}\n```\n", command.path, markdownCell(command.help), synopsisLine(command));
    std::vector<std::string> groups;
    for (const TableOption& option : command.options) {
        if (std::ranges::find(groups, option.group) == groups.end())
            groups.push_back(option.group);
    }
    for (const std::string& group : groups) {
        std::string rows;
        for (const TableOption& option : command.options) {
            if (option.group == group && option.names.front() != "--help")
                rows += optionRow(option);
        }
        if (!rows.empty())
            text += fmt::format("\n| {} | meaning |\n|---|---|\n{}", lower(group), rows);
    }
    // A command without notes of its own has those of dyno.
    const CLI::App* parent = command.app->get_parent();
    if (const std::string footer = command.app->get_footer();
        !footer.empty() && (!parent || footer != parent->get_footer()))
        text +=
            fmt::format("\n```text\n{}\n```\n", footer.substr(0, footer.find_last_not_of('\n') + 1)
                                                    .substr(std::min(footer.size(), footer.find_first_not_of('\n'))));
    return text;
}

} // namespace

std::string commandsMarkdown(const CLI::App& app)
{
    std::string text =
        "# Command reference\n\n"
        "All commands of `dyno` with their options. Others script against it: it is a contract, extended but not bent. "
        "[The command line](command-line.md) explains how they work together, [Exit codes](exit-codes.md) what they "
        "end with. This page is generated: `dyno manual --generate DIR` writes it.\n\n"
        "The same is in `dyno COMMAND --help` and, for `man`, in `dyno man COMMAND`.\n";
    for (const TableCommand& command : wholeTable(app)) {
        if (command.app != &app)
            text += "\n" + commandSection(command);
    }
    return text;
}

std::string completionScript(const CLI::App& app, std::string_view shell)
{
    const std::vector<TableCommand> all = wholeTable(app);
    if (shell == "bash")
        return bashCompletion(all);
    if (shell == "zsh")
        return zshCompletion(all);
    return shell == "fish" ? fishCompletion(all) : std::string();
}

std::string manualPage(const CLI::App& app, std::string_view version)
{
    const TableCommand command = tableOf(app);
    std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"Dynobench\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
                                  troff(upper(pageName(command.path))), troff(version), troff(pageName(command.path)),
                                  troff(firstLine(command.help)), synopsis(command));
    out += ".SH DESCRIPTION\n" + troff(command.help) + "\n";
    if (const auto commands = commandsOf(app); !commands.empty()) {
        out += ".SH COMMANDS\n";
        for (const CLI::App* one : commands)
            out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(one->get_name()), troff(one->get_description()));
    }
    std::vector<std::string> groups;
    bool arguments = false;
    for (const TableOption& option : command.options) {
        arguments = arguments || option.positional;
        if (!option.positional && std::find(groups.begin(), groups.end(), option.group) == groups.end())
            groups.push_back(option.group);
    }
    if (arguments)
        out += ".SH ARGUMENTS\n";
    for (const TableOption& option : command.options) {
        if (option.positional)
            out += manualOption(option);
    }
    for (const std::string& group : groups) {
        out += fmt::format(".SH {}\n", troff(upper(group)));
        for (const TableOption& option : command.options) {
            if (!option.positional && option.group == group)
                out += manualOption(option);
        }
    }
    if (const std::string footer = app.get_footer(); !footer.empty())
        out += ".SH NOTES\n.nf\n" + troff(footer.substr(std::min(footer.size(), footer.find_first_not_of('\n')))) +
               "\n.fi\n";
    std::vector<std::string> others;
    if (app.get_parent())
        others.push_back(pageName(commandPath(*app.get_parent())));
    for (const CLI::App* one : commandsOf(app))
        others.push_back(pageName(commandPath(*one)));
    std::string seeAlso;
    for (const std::string& one : others)
        seeAlso += (seeAlso.empty() ? "" : ",\n") + fmt::format("\\fB{}\\fR(1)", troff(one));
    if (!seeAlso.empty())
        out += ".SH \"SEE ALSO\"\n" + seeAlso + "\n";
    return out;
}

} // namespace dyno::cli
