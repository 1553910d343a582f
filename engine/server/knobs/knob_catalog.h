// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads knob catalogues. The format is described at the top of resources/knobs/mysql.toml.
#pragma once

#include <dyno/catalog.h>
#include <dyno/server_variables.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What a catalogue file says about a knob that a driver describes itself.
struct KnobNote
{
    std::string driver, scope, name;
    bool restart = false, initialisation = false;
    std::string safety, manual;
    std::vector<std::string> values;
    std::string topic, meaning;
    std::vector<std::pair<std::string, std::string>> means;
    double scale = 0;
    bool waits = false;
    std::string onlyWith;
    int line = 0;
};

//! Server variables that a plan must not set.
struct NeverRule
{
    std::string driver;
    std::string reason;                     //!< the end of "cannot be set: …"
    std::vector<std::string> names, except; //!< in lower case, with '_' for '-'; '*' stands for any characters
};

//! A server that is given a value of `set` beyond that of `moved` changes both.
struct MovedVariable
{
    std::string set, moved;
    bool above = false; //!< what "beyond" is; else below
    double factor = 1;  //!< of the new value: what `moved` becomes
};
[[nodiscard]] const std::vector<MovedVariable>& movedVariables();

//! A knob that is no variable but one of the options in a variable's text, "NAME=VALUE;NAME=VALUE".
struct KnobPart
{
    std::string driver, knob; //!< of the scope "server"
    std::string variable;     //!< that holds it
    std::string name;         //!< of the option in that text
};
[[nodiscard]] const std::vector<KnobPart>& knobParts();

struct KnobFile
{
    std::vector<KnobInfo> knobs;
    std::vector<KnobPart> parts;
    std::vector<KnobNote> notes;
    std::vector<NeverRule> never;
    std::vector<ServerVariables> variables; //!< at most one
    std::vector<MovedVariable> moves;
};

//! Reads one file; everything that is wrong is added to `faults` with its line, the rest is kept.
[[nodiscard]] KnobFile parseKnobFile(std::string_view toml, std::string_view name, Faults& faults);
//! The whole catalogue: `files` and the connection knobs of the drivers of this build, with the notes applied.
[[nodiscard]] std::vector<KnobInfo> buildKnobCatalog(const std::vector<KnobFile>& files, Faults& faults);
//! What a server calls a knob and whether it takes it while it runs. `name`: scope "server" or "table", as in a plan;
//! one that the catalogue does not know is passed on as it is. A knob that the server does not have is an error that
//! says which versions have it and what to use instead.
[[nodiscard]] Expected<KnobEdition> serverEdition(std::string_view driver, std::string_view scope,
                                                  std::string_view name, std::string_view product,
                                                  std::string_view version);
//! Variables that a server with these settings decides from `name` at its start alone, and that none of `settings`
//! sets: KnobEdition::decides. All names are the server's, as serverNames() makes them.
[[nodiscard]] std::vector<std::string> decidedAtStart(std::string_view driver, std::string_view name,
                                                      const Settings& settings, std::string_view product,
                                                      std::string_view version);
//! Settings of the scope "server" under the names that this server has, parts joined: what goes into its option file or
//! into SET GLOBAL. All knobs that it does not have are in one error. Unknown product or version: names stay as they
//! are.
[[nodiscard]] Expected<Settings> serverNames(std::string_view driver, const Settings& wanted, std::string_view product,
                                             std::string_view version);
//! Settings of the scope "server" with those that are options in a variable's text (KnobPart) put together into
//! that text, in the order of their names. Each has passed its own limits, so that nothing else comes into the text. An
//! error where the text is set too, or a value does not fit.
[[nodiscard]] Expected<Settings> joinedParts(std::string_view driver, const Settings& wanted);
//! Why a plan must not set this server variable to this value, whoever runs the server; nullopt when it may. Never:
//! what loads code, names files or folders, listens, chooses users or is SQL that the server runs by itself.
[[nodiscard]] std::optional<std::string> neverAllowed(std::string_view driver, std::string_view name,
                                                      const Value& value);
//! The same by its name alone, for a variable of a session too.
[[nodiscard]] std::optional<std::string> neverNamed(std::string_view driver, std::string_view name);
//! The rules of neverAllowed() about names, of all drivers.
[[nodiscard]] const std::vector<NeverRule>& neverRules();
//! What was wrong with the files that are compiled in; empty, or a test fails.
[[nodiscard]] const Faults& knobCatalogFaults();

} // namespace dyno
