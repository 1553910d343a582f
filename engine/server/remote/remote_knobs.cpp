// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/remote/remote_knobs.h"

#include "base/text.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_values.h"
#include "server/knobs/variable_states.h"
#include "server/lifecycle/child_process.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace dyno {

namespace {

using Lines = std::vector<std::pair<std::string, std::string>>; //!< NAME, VALUE

constexpr std::chrono::seconds kCommandPatience{300};
constexpr std::chrono::seconds kRestartPatience{120}; //!< a large buffer pool takes its time
constexpr std::chrono::seconds kStoppedPatience{15};  //!< from the moment when somebody asked to stop

std::string withoutSecret(std::string text, const std::string& secret)
{
    for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos;)
        text.replace(at, secret.size(), "***");
    return text;
}

//! The options of "NAME=VALUE;NAME={NAME=VALUE;NAME=VALUE}": cut only outside braces.
std::vector<std::string_view> optionsIn(std::string_view text)
{
    std::vector<std::string_view> options;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '{')
            ++depth;
        else if (i < text.size() && text[i] == '}')
            depth = std::max(depth - 1, 0);
        if (i < text.size() && (text[i] != ';' || depth > 0))
            continue;
        if (const std::string_view option = trimmed(text.substr(begin, i - begin)); !option.empty())
            options.push_back(option);
        begin = i + 1;
    }
    return options;
}

std::string_view optionName(std::string_view option)
{
    return trimmed(option.substr(0, option.find('=')));
}

//! Runs one of the user's commands with `input` on its standard input.
Expected<void> runUsersCommand(const char* what, const std::string& command, const std::string& input,
                               const RemoteDoor& door)
{
    std::error_code ignored;
    std::string file = (std::filesystem::temp_directory_path(ignored) / "dyno-apply-XXXXXX").string();
    const int fd = ::mkstemp(file.data());
    const bool written = fd >= 0 && ::write(fd, input.data(), input.size()) == ssize_t(input.size());
    if (fd >= 0)
        ::close(fd);
    if (!written)
        return fail({ErrorKind::Storage, "cannot write a temporary file", file, "check TMPDIR"});
    // The command is the user's own shell text, given as $1 so that nothing of it is taken for ours. It comes to its
    // end whatever becomes of us: a restart that is cut off would leave the server down.
    auto done = runCommand({"/bin/sh", "-c", "exec /bin/sh -c \"$1\" < \"$2\"", "sh", command, file}, kCommandPatience,
                           {}, Bond::OutlivesUs, Inherit::AllButOurs);
    std::filesystem::remove(file, ignored);
    if (done)
        return {};
    return fail({ErrorKind::Failed,
                 fmt::format("the {} command of {} failed: {}", what, door.shown,
                             withoutSecret(done.error().message, door.secret)),
                 withoutSecret(command, door.secret), "try it by hand; `dyno servers add` changes it"});
}

//! Connects until the server answers again.
Expected<std::unique_ptr<Admin>> connectPatiently(const RemoteDoor& door)
{
    auto until = std::chrono::steady_clock::now() + kRestartPatience;
    bool stopped = false;
    while (true) {
        auto admin = door.connect();
        const auto now = std::chrono::steady_clock::now();
        // Interrupted: one try was given up because somebody wants us to end; a server that was restarted is owed more.
        const bool silent =
            !admin && (admin.error().kind == ErrorKind::Unreachable || admin.error().kind == ErrorKind::Interrupted);
        if (!silent || now > until)
            return admin;
        if (!stopped && door.stopped && door.stopped()) {
            stopped = true;
            until = std::min(until, now + kStoppedPatience);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

//! Whether the server has these values.
Expected<void> checkInForce(const RemoteDoor& door, Admin& admin, const Lines& lines)
{
    for (const auto& [name, value] : lines) {
        const auto now = admin.variable(name);
        if (!now)
            return fail(now.error());
        if (!sameSetting(Value(value), *now)) {
            Error error = notTaken(name, Value(value), *now);
            error.where = door.shown;
            error.remedy = "see what the apply command writes and whether the server reads it";
            return fail(std::move(error));
        }
    }
    return {};
}

//! Writes the lines where the server will read them at its next start.
Expected<void> writeDown(const RemoteDoor& door, const Lines& lines)
{
    std::string input;
    for (const auto& [name, value] : lines) {
        if (std::string unfit = unfitText(name, value); !unfit.empty()) // a value that the server had before
            return fail({ErrorKind::BadInput, std::move(unfit), door.shown,
                         fmt::format("nothing was written; set {} in the server's own option file by hand", name)});
    }
    for (const auto& [name, value] : lines)
        input += fmt::format("{}={}\n", name, value);
    return runUsersCommand("apply", door.known.apply, input, door);
}

//! Writes the lines where the server will read them, restarts it, and reads them back. `admin` is empty when the server
//! does not answer afterwards.
Expected<void> restartWith(const RemoteDoor& door, std::unique_ptr<Admin>& admin, const Lines& lines)
{
    if (auto applied = writeDown(door, lines); !applied)
        return applied;
    admin.reset(); // its connection would be cut
    auto restarted = runUsersCommand("restart", door.known.restart, {}, door);
    auto again = connectPatiently(door);
    if (again)
        admin = std::move(*again);
    if (!restarted)
        return restarted;
    if (!again)
        return fail({again.error().kind, fmt::format("does not answer after its restart: {}", again.error().message),
                     door.shown, "look at the server's own log"});
    return checkInForce(door, *admin, lines);
}

bool hasCommands(const RemoteDoor& door)
{
    return door.mayRestart && !door.known.apply.empty() && !door.known.restart.empty();
}

Lines oldValuesOf(const std::vector<KnobChange>& changes)
{
    Lines lines;
    for (const KnobChange& change : changes)
        lines.emplace_back(change.name, change.oldValue);
    return lines;
}

//! Restarts the server with the values from before the first change. True when they are in force.
Expected<void> restartWithOld(RemoteDoor door, std::unique_ptr<Admin>& admin, const std::vector<KnobChange>& changes)
{
    const Lines lines = oldValuesOf(changes);
    door.stopped = {}; // the server must come back, also when somebody wants us to end
    auto done = restartWith(door, admin, lines);
    // The restart command may have complained about a server that was down.
    if (!done && admin && checkInForce(door, *admin, lines))
        return {};
    return done;
}

} // namespace

std::string textWithOptions(std::string_view text, std::string_view options)
{
    std::vector<std::string_view> all = optionsIn(text);
    for (const std::string_view option : optionsIn(options)) {
        const auto same = std::ranges::find(all, optionName(option), optionName);
        if (same == all.end())
            all.push_back(option);
        else
            *same = option;
    }
    return fmt::format("{}", fmt::join(all, ";"));
}

//! One wanted setting as this server has it.
struct RemoteKnobs::Knob
{
    std::string asked; //!< name in the plan
    std::string name;  //!< on this server
    Value value;
    std::string now;
    bool restart = false;
    std::string stays = {}; //!< what the server decided from it when it started: "innodb_log_file_buffering is OFF"
    [[nodiscard]] bool right() const { return sameSetting(value, now); }
};

RemoteKnobs::RemoteKnobs(RemoteDoor door, KnobGuard::Announce announce)
    : m_door(std::move(door))
    , m_announce(announce)
    , m_guard(std::move(announce))
{
}

Expected<std::vector<RemoteKnobs::Knob>> RemoteKnobs::look(Admin& admin, const Settings& ofPlan) const
{
    std::vector<Knob> knobs;
    if (ofPlan.empty())
        return knobs;
    const auto joined = joinedParts(m_door.driver, ofPlan);
    if (!joined)
        return fail(joined.error());
    const Settings& wanted = *joined;
    const auto facts = admin.facts();
    if (!facts)
        return fail(facts.error());
    const auto named = serverNames(m_door.driver, wanted, facts->product, facts->version);
    if (!named)
        return fail(named.error());
    for (const auto& [asked, value] : wanted) {
        // It becomes a line for the apply command.
        if (std::string unfit = unfitText("server." + asked, toText(value)); !unfit.empty())
            return fail({ErrorKind::BadInput, std::move(unfit), m_door.shown, "correct this knob, or leave it out"});
        const KnobInfo* info = findKnob(m_door.driver, "server", asked);
        if (info && info->initialisation)
            return fail({ErrorKind::BadInput,
                         fmt::format("{} is fixed when a data folder is made; {} has one already", asked, m_door.shown),
                         "server." + asked, "use a managed: target, or leave it out here"});
        auto edition = serverEdition(m_door.driver, "server", asked, facts->product, facts->version);
        if (!edition)
            return fail(std::move(edition.error()));
        auto now = admin.variable(edition->name);
        if (!now)
            return fail(std::move(now.error()));
        Knob knob{asked, edition->name, value, std::move(*now)};
        const auto restarted = std::ranges::find(m_restarted, knob.name, &KnobChange::name);
        if (!ofPlan.contains(asked)) { // put together of parts: what else was in the server's text stays
            knob.value =
                textWithOptions(restarted == m_restarted.end() ? knob.now : restarted->oldValue, toText(value));
            if (std::string unfit = unfitText("server." + asked, toText(knob.value)); !unfit.empty())
                return fail({ErrorKind::BadInput, std::move(unfit), m_door.shown,
                             fmt::format("remove the knobs that are options in {}", knob.name)});
        }
        // Only then: the server is asked, and it may not be needed.
        if (!knob.right())
            knob.restart = needsRestart(admin, m_door.driver, knob.name, *facts).value_or(false);
        // An earlier point may have changed it already; then the server started with another value still.
        const auto earlier = std::ranges::find(m_guard.changes(), knob.name, &KnobChange::name);
        if (!sameSetting(knob.value, earlier == m_guard.changes().end() ? knob.now : earlier->oldValue)) {
            for (const std::string& one :
                 decidedAtStart(m_door.driver, knob.name, *named, facts->product, facts->version)) {
                if (const auto decided = admin.variable(one))
                    knob.stays += fmt::format("{}{} is {}", knob.stays.empty() ? "" : ", ", one, *decided);
            }
        }
        knobs.push_back(std::move(knob));
    }
    return knobs;
}

Expected<void> RemoteKnobs::applyWithRestart(std::unique_ptr<Admin>& admin, const std::vector<Knob>& knobs)
{
    std::vector<std::string> names;
    for (const Knob& knob : knobs) {
        if (knob.restart)
            names.push_back(knob.name);
    }
    // What an earlier point changed and this one does not want goes back with the same restart.
    const bool back = std::any_of(m_restarted.begin(), m_restarted.end(), [&](const KnobChange& change) {
        return std::none_of(knobs.begin(), knobs.end(), [&](const Knob& knob) { return knob.name == change.name; }) &&
               change.oldValue != change.newValue;
    });
    if (names.empty() && !back)
        return {};
    if (!hasCommands(m_door))
        return fail({ErrorKind::Refused,
                     fmt::format("{} {} a restart, and {} is not started by Dynobench; nothing was changed",
                                 fmt::join(names, ", "), names.size() == 1 ? "needs" : "need", m_door.shown),
                     m_door.shown,
                     "use a managed: target, set it in the server's own option file, or give the commands that do so: "
                     "dyno servers add URI --apply COMMAND --restart COMMAND"});
    for (const Knob& knob : knobs) {
        if (!knob.restart)
            continue;
        const auto earlier = std::find_if(m_restarted.begin(), m_restarted.end(),
                                          [&](const KnobChange& change) { return change.name == knob.name; });
        KnobChange change{knob.name, earlier == m_restarted.end() ? knob.now : earlier->oldValue,
                          printedLike(knob.value, knob.now)};
        if (m_announce) {
            if (auto noted = m_announce(change); !noted)
                return noted;
        }
        if (earlier == m_restarted.end())
            m_restarted.push_back(std::move(change));
        else
            *earlier = std::move(change);
    }
    Lines lines;
    for (KnobChange& change : m_restarted) {
        const auto wanted =
            std::find_if(knobs.begin(), knobs.end(), [&](const Knob& knob) { return knob.name == change.name; });
        if (wanted == knobs.end())
            change.newValue = change.oldValue;
        lines.emplace_back(change.name, change.newValue);
    }
    auto done = restartWith(m_door, admin, lines);
    if (done)
        return done;
    if (auto old = restartWithOld(m_door, admin, m_restarted)) {
        m_restarted.clear();
        done.error().message += "; it has its old values again";
    } else {
        done.error().message += fmt::format("; its old values could not be put back: {}", old.error().message);
    }
    return done;
}

Expected<Settings> RemoteKnobs::apply(std::unique_ptr<Admin>& admin, const Settings& wanted)
{
    m_stayed.clear();
    const auto knobs = look(*admin, wanted);
    if (!knobs)
        return fail(knobs.error());
    if (auto applied = applyWithRestart(admin, *knobs); !applied)
        return fail(std::move(applied.error()));
    Settings dynamic;
    for (const Knob& knob : *knobs) {
        const bool restarted = std::any_of(m_restarted.begin(), m_restarted.end(),
                                           [&](const KnobChange& change) { return change.name == knob.name; });
        if (!knob.restart && !restarted)
            dynamic.emplace(knob.name, knob.value);
    }
    const auto set = m_guard.apply(*admin, dynamic);
    if (!set)
        return fail(set.error());
    Settings inForce;
    for (const Knob& knob : *knobs) {
        if (!knob.stays.empty() && !knob.restart)
            m_stayed.push_back(fmt::format("{} was changed while the server runs; what the server decides from it when "
                                           "it starts stayed as it was ({}), so a server that starts with it may "
                                           "answer faster or slower",
                                           knob.name, knob.stays));
        if (const auto found = set->find(knob.name); found != set->end()) {
            inForce.emplace(knob.asked, found->second);
            continue;
        }
        auto now = admin->variable(knob.name);
        if (!now)
            return fail(std::move(now.error()));
        inForce.emplace(knob.asked, std::move(*now));
    }
    return inForce;
}

Expected<void> RemoteKnobs::restore(std::unique_ptr<Admin>& admin)
{
    m_notRestored.clear();
    std::optional<Error> first;
    // The restart first: it takes dynamic values with it, and those that it does not are put back after it.
    if (!m_restarted.empty()) {
        for (RestoredKnob& knob : putBackAll(m_door, admin, m_restarted)) {
            auto problem = problemOf(knob);
            if (!problem)
                continue;
            m_notRestored.push_back(knob.name);
            if (!first)
                first = std::move(problem);
        }
        m_restarted.clear();
    }
    if (!admin) {
        for (const KnobChange& change : m_guard.changes())
            m_notRestored.push_back(change.name);
    } else {
        auto restored = m_guard.restore(*admin);
        if (!restored && !first)
            first = std::move(restored.error());
    }
    if (first)
        return fail(std::move(*first));
    return {};
}

std::vector<std::string> RemoteKnobs::notRestored() const
{
    std::vector<std::string> names = m_notRestored;
    names.insert(names.end(), m_guard.notRestored().begin(), m_guard.notRestored().end());
    return names;
}

Expected<std::unique_ptr<Admin>> connectOrRevive(const RemoteDoor& door, const std::vector<KnobChange>& changes)
{
    auto admin = door.connect();
    if (admin || changes.empty() || !hasCommands(door))
        return admin;
    // Interrupted: no answer in the time that is left after a stop.
    if (admin.error().kind != ErrorKind::Unreachable && admin.error().kind != ErrorKind::Interrupted)
        return admin;
    std::unique_ptr<Admin> revived;
    auto done = restartWithOld(door, revived, changes);
    if (!revived)
        return fail(std::move(done.error()));
    return revived;
}

std::vector<RestoredKnob> putBackAll(const RemoteDoor& door, std::unique_ptr<Admin>& admin,
                                     const std::vector<KnobChange>& changes, const PutBackManner& manner)
{
    std::vector<RestoredKnob> results;
    std::vector<KnobChange> dynamic, written;      //!< written: goes into the owner's file
    std::vector<std::size_t> restarted, unchanged; //!< indexes into results of what is written
    const auto facts = admin->facts();
    for (std::size_t i = changes.size(); i-- > 0;) {
        const KnobChange& change = changes[i];
        const bool restart = facts && needsRestart(*admin, door.driver, change.name, *facts).value_or(false);
        auto now = restart ? admin->variable(change.name) : Expected<std::string>(std::string());
        if (!restart || !now) {
            dynamic.push_back(change);
            continue;
        }
        RestoredKnob& result = results.emplace_back(
            RestoredKnob{{}, change.name, change.oldValue, change.newValue, *now, RestoreOutcome::Failed, {}});
        if (sameSetting(Value(change.oldValue), *now)) {
            result.outcome = RestoreOutcome::WasBack;
            if (manner.afterCrash && hasCommands(door)) {
                unchanged.push_back(results.size() - 1);
                written.push_back(change);
            } else if (manner.afterCrash && !door.known.apply.empty()) {
                result.outcome = RestoreOutcome::Failed;
                result.text =
                    "it is in force, but its owner's file, which is not written without being asked, may hold "
                    "the other value";
            }
        } else if (!manner.overwrite && !sameSetting(Value(change.newValue), *now)) {
            result.outcome = RestoreOutcome::OthersValue;
        } else if (!door.mayRestart) {
            result.text = "it needs a restart of the server, which is not done without being asked";
        } else if (!hasCommands(door)) {
            result.text = "it needs a restart; set it in the server's own option file";
        } else {
            restarted.push_back(results.size() - 1);
            written.push_back(change);
        }
    }
    // The restart first: it takes dynamic values with it.
    if (!written.empty()) {
        const auto done =
            restarted.empty() ? writeDown(door, oldValuesOf(written)) : restartWithOld(door, admin, written);
        for (const std::size_t index : restarted)
            results[index].outcome = RestoreOutcome::Restored;
        restarted.insert(restarted.end(), unchanged.begin(), unchanged.end());
        for (const std::size_t index : restarted) {
            if (done)
                continue;
            results[index].outcome = RestoreOutcome::Failed;
            results[index].text = done.error().text();
        }
    }
    for (const KnobChange& change : dynamic) {
        if (admin)
            results.push_back(putBack(*admin, change, manner.overwrite));
        else
            results.push_back({{},
                               change.name,
                               change.oldValue,
                               change.newValue,
                               {},
                               RestoreOutcome::Failed,
                               "the server does not answer after its restart"});
    }
    for (RestoredKnob& result : results)
        result.target = door.shown;
    return results;
}

} // namespace dyno
