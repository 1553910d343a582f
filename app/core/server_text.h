// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Servers, their variables and settings that were left changed, as tables and as JSON.
#pragma once

#include <dyno/servers.h>

#include <string>
#include <vector>

namespace dyno {

[[nodiscard]] std::string serverTable(const std::vector<ServerProgram>& installed);
[[nodiscard]] std::string instanceTable(const std::vector<ServerInstance>& instances);
[[nodiscard]] std::string remoteTable(const std::vector<RemoteServer>& servers);
//! {"installed": [{"product", "name", "version", "build", "program", "basedir", "uri"}],
//!  "instances": [{"uri", "name", "product", "version", "state", "bytes"}],
//!  "remote": [{"uri", "name", "production", "apply", "restart"}]}; the last two with cost_per_hour, currency and watts
//! where they are known.
[[nodiscard]] std::string serversJson(const std::vector<ServerProgram>& installed,
                                      const std::vector<ServerInstance>& instances,
                                      const std::vector<RemoteServer>& remote);

[[nodiscard]] std::string variableTable(const std::vector<VariableState>& variables);
//! {"target", "variables": [{"name", "value", "default", "knob", "dynamic"}]}
[[nodiscard]] std::string variablesJson(const std::string& target, const std::vector<VariableState>& variables);

[[nodiscard]] std::string leftTable(const std::vector<LeftChange>& left);
//! {"left": [{"target", "name", "old", "ours", "changed_ms", "owner_alive"}]}
[[nodiscard]] std::string leftJson(const std::vector<LeftChange>& left);

//! "restored", "was-back", "others-value", "failed"
[[nodiscard]] const char* toText(RestoreOutcome outcome);
//! One line for a person: what was put back, or what to do about what was not.
[[nodiscard]] std::string restoredText(const RestoredKnob& knob);
//! {"restored": [{"target", "name", "outcome", "old", "ours", "found", "text"}]}
[[nodiscard]] std::string restoredJson(const std::vector<RestoredKnob>& knobs);

} // namespace dyno
