// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What this build can do: drivers, workloads, knobs, recipes. Plain values; any thread.
#pragma once

#include "plan.h"
#include "samples.h"
#include "uri.h"

#include <optional>
#include <string>
#include <vector>

namespace dyno {

struct DriverInfo
{
    std::string id;          //!< "sqlite"
    std::string name;        //!< "SQLite (embedded)"
    std::string uriForm;     //!< "sqlite:PATH"
    std::string library;     //!< client library and its version, "SQLite 3.40.1"
    OptionSpecs connection;  //!< knobs of the scope "connection"
    bool concurrentWriters = true; //!< false: one writer at a time (SQLite), the loader uses one session
    bool eventLoop = false;        //!< can run on event loops
};

struct WorkloadInfo
{
    std::string id;          //!< "oltp_read_write"
    std::string name;        //!< "OLTP read/write"
    std::string description; //!< what it measures, two or three sentences
    std::string source;      //!< where it is defined: "sysbench 1.0.20, oltp_read_write.lua"
    OptionSpecs options;
    std::vector<OperationInfo> operations;
    std::vector<std::string> dialects; //!< driver ids it can speak to
};

//! Where a knob exists and how it differs there.
struct KnobEdition
{
    std::string product;      //!< "mariadb", "mysql"
    std::string since, until; //!< first version that has it, first that has it no more; "" = no such limit
    std::string name;         //!< what it is called there, "" = as in KnobInfo::option
    std::optional<bool> restart;        //!< where it differs from KnobInfo::restart
    std::optional<Value> defaultValue;  //!< where it differs from the option's
};

//! A knob of the scopes server, connection, table, client, host; data from resources/knobs/*.toml.
struct KnobInfo
{
    std::string driver;  //!< driver id
    std::string scope;   //!< "server", "connection", "table", …
    OptionSpec option;
    bool restart = false;        //!< needs a restart of the server
    bool initialisation = false; //!< only when the data folder or file is made
    std::string safety;          //!< what it costs in safety, "" if nothing
    std::string manual;          //!< section of the manual, by name
    std::vector<KnobEdition> editions; //!< none: every server of the driver has it alike
    std::vector<std::string> values;   //!< worth trying, as text: what an axis of it begins with
    std::string replacement;     //!< knob to use where this one is gone
};
//! The edition that fits a server ("MariaDB" or "mariadb", "10.11.19-MariaDB…"), complete: name, restart and default
//! filled in. nullopt when that server does not have the knob.
[[nodiscard]] std::optional<KnobEdition> editionFor(const KnobInfo& knob, std::string_view product,
                                                    std::string_view version);

struct RecipeInfo
{
    std::string id;       //!< "durability-sqlite"
    std::string title;    //!< the question
    std::string summary;  //!< one line
    std::string needs;    //!< "embedded SQLite"
    double minutes = 0;   //!< estimated at its default size, without loading
    std::vector<std::string> tags;
    std::vector<std::string> sizes; //!< "quick", "laptop", "published": what applySize() takes
    std::string toml;     //!< the plan
};

[[nodiscard]] std::vector<DriverInfo> drivers();
[[nodiscard]] std::vector<WorkloadInfo> workloads();
[[nodiscard]] const WorkloadInfo* findWorkload(std::string_view id); //!< nullptr if there is none
[[nodiscard]] const DriverInfo* findDriver(std::string_view id);
[[nodiscard]] std::vector<KnobInfo> knobs(std::string_view driver = {});
[[nodiscard]] std::vector<RecipeInfo> recipes();
[[nodiscard]] Expected<Plan> recipePlan(std::string_view id);

//! What a target says of itself.
struct ServerFacts
{
    std::string product;   //!< "MariaDB", "SQLite"
    std::string version;   //!< "10.11.19-MariaDB-0+deb12u1"
    std::string transport; //!< "Unix socket", "TCP", "in process"
    std::string cipher;    //!< TLS cipher in force, "" for none
    double roundTripMs = 0;
    Settings variables;    //!< all of them, as text
};
//! Connects, asks, disconnects; makes nothing: a SQLite file that is not there yet is not created, and a managed target
//! is answered for by its server program (version only), which is not started. Blocks for up to 10 s: never call it on the GUI thread.
[[nodiscard]] Expected<ServerFacts> inspectTarget(const TargetUri& target);

//! Version of Dynobench, "0.1.0".
[[nodiscard]] const char* softwareVersion();

} // namespace dyno
