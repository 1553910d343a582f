// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno servers [list] | add URI … | forget URI | remove NAME | variables URI | left | restore [URI] | forget-changes
//! URI
#include "cli/console.h"
#include "core/option_file.h"
#include "core/server_text.h"
#include "core/text_table.h"

#include <dyno/passwords.h>
#include <dyno/runner.h>
#include <dyno/servers.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace dyno::cli {

namespace {

struct ServerOptions
{
    std::string target;
    RemoteServer server; //!< what `add` sets
    std::string library, optionFile;
    bool json = false;
    bool changed = false;
    bool overwrite = false;
    bool yes = false; //!< nothing is asked
};

//! "mysql://user@host:port/ or mongodb://…"
std::string remoteUris()
{
    std::string text;
    for (const UriForm* form : remoteForms()) {
        const std::string& scheme = form->schemes.front().name;
        text += text.empty() ? scheme + "://user@host:port/" : " or " + scheme + "://…";
    }
    return text;
}

std::filesystem::path libraryOf(const ServerOptions& options)
{
    return options.library.empty() ? defaultLibrary() : std::filesystem::path(options.library);
}

//! Says what is wrong in servers.toml; true when nothing is.
bool sound(const RemoteServers& known)
{
    for (const Fault& fault : known.faults)
        say(fmt::format("{}:{}: {}: {} ({})", remoteServersFile().string(), fault.line, fault.where, fault.what,
                        fault.remedy));
    return known.faults.empty();
}

int list(const ServerOptions& options)
{
    const std::vector<ServerProgram> installed = installedServers();
    std::vector<ServerInstance> instances = ManagedInstances().list();
    std::erase_if(instances, [](const ServerInstance& one) { return !one.named; }); // a session's own are its business
    const RemoteServers known = remoteServers();
    const int code = sound(known) ? kDone : kBadInput;
    if (options.json) {
        printDocument(serversJson(installed, instances, known.servers));
        return code;
    }
    print(installed.empty() ? "No database server is installed here; install mariadb-server, or unpack one and use "
                              "managed:PRODUCT?basedir=FOLDER.\n"
                            : serverTable(installed));
    if (!instances.empty())
        print("\n" + instanceTable(instances));
    if (!known.servers.empty())
        print("\n" + remoteTable(known.servers));
    // Something that is left changed is never to be overlooked.
    if (const auto left = leftChanges(defaultLibrary()); left && !left->empty())
        say(fmt::format("not restored: {}; `dyno servers left` lists what is still changed",
                        countedText(left->size(), "setting", "settings")));
    return code;
}

//! What of a price was named on the command line; the rest stays as it is.
void setPrice(Price& price, const Price& named, const CLI::App& command)
{
    if (command.count("--cost-per-hour") > 0)
        price.costPerHour = named.costPerHour;
    if (command.count("--watts") > 0)
        price.watts = named.watts;
    if (command.count("--currency") > 0)
        price.currency = named.currency;
}

//! A named instance is known by its folder: only its price can be told.
int priceInstance(const TargetUri& uri, const ServerOptions& options, const CLI::App& command)
{
    for (const char* other : {"--name", "--production", "--apply", "--restart"}) {
        if (command.count(other) > 0)
            return badInput(fmt::format("{} is for remote servers", other),
                            "a named instance takes --cost-per-hour, --watts and --currency");
    }
    const auto name = uri.query.find("name");
    if (name == uri.query.end())
        return badInput(fmt::format("{} has no name, so it belongs to a session", uri.display()),
                        fmt::format("write managed:{}?name=NAME, or give the price in the plan", uri.product));
    ManagedInstances keeper;
    for (const ServerInstance& one : keeper.list()) {
        if (!one.named || one.name != name->second)
            continue;
        if (one.product != uri.product)
            return badInput(fmt::format("the server \"{}\" is of {}, not of {}", one.name, one.product, uri.product),
                            "write " + one.uri);
        Price price = one.price;
        setPrice(price, options.server.price, command);
        if (const auto saved = keeper.setPrice(one.name, price); !saved)
            return report(saved.error());
        say(fmt::format("{} is in {}", one.uri, (one.folder / "price").string()));
        return kDone;
    }
    return badInput(fmt::format("there is no server \"{}\"", name->second),
                    "it is made at its first start, by a run, by `dyno prepare` or in the window; give its price then");
}

int add(const ServerOptions& options, const CLI::App& command)
{
    auto uri = parseUri(options.target);
    if (!uri)
        return report(uri.error());
    if (uri->kind == TargetKind::Managed)
        return priceInstance(*uri, options, command);
    RemoteServer server;
    server.uri = uri->display();
    // What is not named stays as it is.
    for (const RemoteServer& known : remoteServers().servers) {
        if (known.uri == server.uri)
            server = known;
    }
    if (command.count("--name") > 0)
        server.name = options.server.name;
    if (command.count("--production") > 0)
        server.production = options.server.production;
    if (command.count("--apply") > 0)
        server.apply = options.server.apply;
    if (command.count("--restart") > 0)
        server.restart = options.server.restart;
    setPrice(server.price, options.server.price, command);
    if (server.apply.empty() != server.restart.empty())
        return badInput("--apply and --restart belong together", "give both, or none");
    if (const auto saved = saveRemoteServer(server); !saved)
        return report(saved.error());
    say(fmt::format("{} is in {}", server.uri, remoteServersFile().string()));
    return kDone;
}

int forget(const ServerOptions& options)
{
    if (const auto done = forgetRemoteServer(options.target); !done)
        return report(done.error());
    return kDone;
}

//! Reads a line; no answer is none.
bool agrees(const std::string& question)
{
    tell(question + " [y/N] ");
    std::string answer;
    if (!std::getline(std::cin, answer))
        tell("\n");
    std::ranges::transform(answer, answer.begin(),
                           [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
    return answer == "y" || answer == "yes";
}

//! Deletes the folder of a named instance, by its name or its URI.
int remove(const ServerOptions& options)
{
    std::string name = options.target, product;
    if (const auto uri = parseUri(options.target); uri && uri->kind == TargetKind::Managed) {
        const auto given = uri->query.find("name");
        if (given == uri->query.end())
            return badInput(fmt::format("{} has no name, so it belongs to a session", uri->display()),
                            "`dyno servers` lists instances with a name");
        name = given->second;
        product = uri->product;
    }
    ManagedInstances keeper;
    const std::vector<ServerInstance> all = keeper.list();
    const auto found =
        std::ranges::find_if(all, [&name](const ServerInstance& one) { return one.named && one.name == name; });
    if (found == all.end())
        return badInput(fmt::format("there is no server \"{}\"", name), "`dyno servers` lists instances with a name");
    if (!product.empty() && product != found->product)
        return badInput(fmt::format("the server \"{}\" is of {}, not of {}", name, found->product, product),
                        "write " + found->uri);
    if (found->state == InstanceState::Running || found->state == InstanceState::Busy)
        return report({ErrorKind::Refused, fmt::format("the server \"{}\" is running", name), found->folder.string(),
                       "stop it, or wait for the end of the session that uses it"});
    const std::string what =
        fmt::format("{}, {}, in {}", found->uri, bytesText(double(found->bytes)), found->folder.string());
    const std::string question = found->process == 0
                                     ? fmt::format("Delete {}, with all its data?", what)
                                     : fmt::format("A killed session left this server running. Stop it and delete {}, "
                                                   "with all its data?",
                                                   what);
    if (!options.yes && !agrees(question))
        return badInput(fmt::format("\"{}\" is left as it is", name), "answer y, or add --yes");
    if (const auto done = keeper.remove(name); !done)
        return report(done.error());
    print(fmt::format("Deleted {}\n", what));
    return kDone;
}

//! The password of an option file, "" = from DYNO_PASSWORD; nothing after an error was said.
std::optional<std::string> passwordOf(const ServerOptions& options, const std::optional<TargetUri>& receiver)
{
    if (options.optionFile.empty())
        return std::string();
    auto password = passwordFromOptionFile(options.optionFile, receiver);
    if (password)
        return std::move(*password);
    report(password.error());
    return {};
}

int variables(const ServerOptions& options)
{
    auto uri = parseUri(options.target);
    if (!uri)
        return report(uri.error());
    const auto password = passwordOf(options, *uri);
    if (!password)
        return kBadInput;
    uri->password = passwordFor(*uri, *uri, *password);
    auto states = serverVariables(*uri);
    if (!states)
        return report(states.error());
    if (options.changed)
        std::erase_if(*states, [](const VariableState& state) {
            return state.defaultValue.empty() || state.value == state.defaultValue;
        });
    if (options.json)
        printDocument(variablesJson(uri->display(), *states));
    else
        print(variableTable(*states));
    return kDone;
}

int left(const ServerOptions& options)
{
    const auto changes = leftChanges(libraryOf(options));
    if (!changes)
        return report(changes.error());
    if (options.json)
        printDocument(leftJson(*changes));
    else
        print(changes->empty() ? "Nothing is left changed.\n" : leftTable(*changes));
    return kDone;
}

int restore(const ServerOptions& options)
{
    const auto uri = parseUri(options.target); // whoever names a server means that it gets the password
    const auto password = passwordOf(options, uri ? std::optional<TargetUri>(*uri) : std::nullopt);
    if (!password)
        return kBadInput;
    const std::string owns = uri ? passwordFor(*uri, *uri, *password) : *password;
    const auto restored = restoreLeftChanges(libraryOf(options), options.target, owns, options.overwrite);
    if (!restored)
        return report(restored.error());
    if (options.json) {
        printDocument(restoredJson(*restored));
    } else {
        for (const RestoredKnob& knob : *restored)
            print(restoredText(knob) + "\n");
        if (restored->empty())
            print("Nothing is left changed.\n");
    }
    const bool all = std::all_of(restored->begin(), restored->end(), [](const RestoredKnob& knob) {
        return knob.outcome == RestoreOutcome::Restored || knob.outcome == RestoreOutcome::WasBack;
    });
    return all ? kDone : kFailed;
}

int forgetChanges(const ServerOptions& options)
{
    if (const auto done = forgetLeftChanges(libraryOf(options), options.target); !done)
        return report(done.error());
    return kDone;
}

using SharedOptions = std::shared_ptr<ServerOptions>;

void addChangeCommands(CLI::App& servers, const SharedOptions& options, ExitCode code)
{
    CLI::App* leftCommand = servers.add_subcommand("left", "Settings that were changed and not put back");
    leftCommand->callback([&code, options] { code = left(*options); });
    CLI::App* restoreCommand = servers.add_subcommand("restore", "Put them back, on all servers or on one");
    restoreCommand->add_option("URI", options->target, "the server, as `dyno servers left` names it");
    restoreCommand->add_flag("--overwrite", options->overwrite, "also values that somebody else has set since");
    restoreCommand->add_option("--option-file", options->optionFile, "file with [client] password=…");
    restoreCommand->callback([&code, options] { code = restore(*options); });
    CLI::App* forgetCommand =
        servers.add_subcommand("forget-changes", "Take them off the list without touching the server");
    forgetCommand->add_option("URI", options->target, "the server, as `dyno servers left` names it")->required();
    forgetCommand->callback([&code, options] { code = forgetChanges(*options); });
    for (CLI::App* command : {leftCommand, restoreCommand, forgetCommand})
        command->add_option("--library", options->library, "library that has them on its list (the user's own)");
    for (CLI::App* command : {leftCommand, restoreCommand})
        command->add_flag("--json", options->json, "print one JSON document");
}

} // namespace

void addServerCommands(CLI::App& app, ExitCode code)
{
    const auto options = std::make_shared<ServerOptions>();
    CLI::App* servers =
        app.add_subcommand("servers", "Servers: installed ones, remote ones, and settings left changed");
    servers->require_subcommand(0, 1);
    servers->add_flag("--json", options->json, "print one JSON document");
    servers->callback([&code, options, servers] {
        if (servers->get_subcommands().empty())
            code = list(*options);
    });
    CLI::App* listCommand = servers->add_subcommand(
        "list", "Servers that can be started here, named instances, and remote ones that are known");
    listCommand->add_flag("--json", options->json, "print one JSON document");
    listCommand->callback([&code, options] { code = list(*options); });

    CLI::App* addCommand = servers->add_subcommand(
        "add", "Remember a remote server or the price of a named instance, or change what is remembered");
    addCommand
        ->add_option("URI", options->target,
                     fmt::format("{}, without a password; or managed:PRODUCT?name=NAME", remoteUris()))
        ->required();
    addCommand->add_option("--name", options->server.name, "what to call it");
    addCommand->add_flag("--production,!--no-production", options->server.production, "ask before any change or load");
    addCommand->add_option("--apply", options->server.apply,
                           "shell command that writes the lines NAME=VALUE of its input where the server reads them");
    addCommand->add_option("--restart", options->server.restart, "shell command that restarts the server");
    addCommand->add_option("--cost-per-hour", options->server.price.costPerHour,
                           "what an hour of its machine costs, for plans that say no price; 0: not known");
    addCommand->add_option("--watts", options->server.price.watts, "what its machine draws; 0: not known");
    addCommand->add_option("--currency", options->server.price.currency, "as it is to be shown: \"$\", \"EUR\"");
    addCommand->callback([&code, options, addCommand] { code = add(*options, *addCommand); });

    CLI::App* forgetCommand = servers->add_subcommand("forget", "Forget a remote server");
    forgetCommand->add_option("URI", options->target, "its URI or its name")->required();
    forgetCommand->callback([&code, options] { code = forget(*options); });

    CLI::App* removeCommand =
        servers->add_subcommand("remove", "Delete a named instance and its data; not while it runs");
    removeCommand->add_option("NAME", options->target, "its name or its URI, managed:PRODUCT?name=NAME")->required();
    removeCommand->add_flag("--yes", options->yes, "do not ask");
    removeCommand->callback([&code, options] { code = remove(*options); });

    CLI::App* variablesCommand = servers->add_subcommand("variables", "Variables in force, with their defaults");
    variablesCommand->add_option("URI", options->target, "a server that runs")->required();
    variablesCommand->add_flag("--json", options->json, "print one JSON document");
    variablesCommand->add_flag("--changed", options->changed, "only those that are not at their default");
    variablesCommand->add_option("--option-file", options->optionFile, "file with [client] password=…");
    variablesCommand->callback([&code, options] { code = variables(*options); });
    addChangeCommands(*servers, options, code);
}

} // namespace dyno::cli
