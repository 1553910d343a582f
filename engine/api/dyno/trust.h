// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan that somebody else wrote may not do before this person has agreed: the one place that the runner, the
//! pre-flight, the command line and the window ask. What no plan may do at all is a fault of checkPlan().
//! Any thread; what looks at files says so.
#pragma once

#include "error.h"
#include "uri.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace dyno {

struct Plan;

//! One thing that needs an agreement.
struct Risk
{
    std::string key;     //!< as in a plan, without the place: "connection.init_sql"; what `--allow` takes
    std::string value;   //!< as the plan has it, never a password
    std::string wants;   //!< completes "This plan wants to …", and says what that could do
    bool atLook = false; //!< a look at the target (preflight()) would do it too, so there is none before
    bool operator==(const Risk&) const = default;
};

//! What the plan wants of that kind: each key with each value once, in the plan's order. Knobs, parameters and options
//! of a URI whose option says so (OptionSpec::risk), programs that a URI names, variables of a remote server, and files
//! of SQLite's that hold tables which Dynobench did not make, are empty, cannot be looked into, or would be new below a
//! hidden folder. Reads such files and changes nothing; any thread but the window's where the plan
//! names one.
[[nodiscard]] std::vector<Risk> risksOf(const Plan& plan);
//! Those of them that are about this target (a URI as the plan has it), or about all.
[[nodiscard]] std::vector<Risk> risksOf(const Plan& plan, std::string_view target);
//! What writing into an embedded target's file risks; nothing where it is Dynobench's own or new in a usual place.
[[nodiscard]] std::optional<Risk> fileRisk(const TargetUri& target);
//! The folder in which an embedded target with a path has its files; whole.
[[nodiscard]] std::filesystem::path folderOfData(const TargetUri& target);
//! A target as risks name it: without a password, a file by its whole path.
[[nodiscard]] std::string riskTarget(const TargetUri& target);

//! What this person has agreed to. Nothing at first.
class Consent
{
public:
    //! All values of a key; "all": everything.
    void allow(std::string key) { m_keys.insert(std::move(key)); }
    //! This value of the key for what it wants; whatever it wants when Risk::wants is empty (it was typed).
    void allow(const Risk& risk) { m_values.emplace(risk.key, risk.value, risk.wants); }
    [[nodiscard]] bool covers(std::string_view key) const { return m_keys.contains("all") || m_keys.contains(key); }
    [[nodiscard]] bool covers(const Risk& risk) const
    {
        return covers(risk.key) || m_values.contains({risk.key, risk.value, risk.wants}) ||
               m_values.contains({risk.key, risk.value, {}});
    }

private:
    std::set<std::string, std::less<>> m_keys;
    std::set<std::tuple<std::string, std::string, std::string>> m_values;
};

//! What of `risks` `consent` does not cover.
[[nodiscard]] std::vector<Risk> uncovered(std::vector<Risk> risks, const Consent& consent);

//! The key of what a target's URI asks for, and of a database that holds what Dynobench did not make.
inline constexpr std::string_view kTargetKey = "target.uri";
//! Keys of what shows only on the server: tables that carry no note of Dynobench's would be dropped.
inline constexpr std::string_view kReplaceTables = "workload.prepare";
inline constexpr std::string_view kDropTables = "workload.cleanup";

//! risksOf() that `consent` does not cover.
[[nodiscard]] std::vector<Risk> unanswered(const Plan& plan, const Consent& consent);
//! What this person typed in a plan that somebody else may have written: `asFile` is the plan as it came (with its size
//! applied), `asRun` the same with what was typed. A typed setting is agreed to with exactly its value, a typed target
//! with what its URI asks for alone, and that a database which it names is written into. What stands in the file too is
//! not, neither the same key with other values, nor what another target makes of it. Looks at files as risksOf() does.
[[nodiscard]] Consent typedIn(const Plan& asFile, const Plan& asRun);
//! What `recipe`, in each of its sizes, sets by itself: it is ours, so none of it needs an agreement on a server that
//! this person typed. Keys with their values as text.
[[nodiscard]] std::set<std::pair<std::string, std::string>> wordsOfRecipe(const Plan& recipe);
//! Why no plan may set this variable of a server or of its sessions, whatever anybody allows; nothing when it may.
[[nodiscard]] std::optional<std::string> whyNever(std::string_view driver, std::string_view name);
//! One line a risk, whole: `connection.init_sql = "…": send …`; what cannot be seen is written out (visibleText()).
[[nodiscard]] std::string toText(const Risk& risk);
//! Why the plan is not run, checked on its server, loaded or cleaned up; nothing when everything is agreed to.
[[nodiscard]] std::optional<Error> refusalOf(const Plan& plan, const Consent& consent);

} // namespace dyno
