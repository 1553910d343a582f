// SPDX-License-Identifier: GPL-3.0-or-later
// The door to settings that were changed and not put back, and to a server's variables.
#include "load/target/left_changes.h"

#include <dyno/passwords.h>
#include <dyno/restore.h>
#include <dyno/uri_form.h>

#include "driver/control_calls.h"
#include "driver/driver.h"
#include "load/target/target.h"
#include "server/host/host_knobs.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/variable_states.h"
#include "server/remote/remote_knobs.h"
#include "server/remote/remote_servers.h"
#include "server/remote/settings_lock.h"
#include "store/library/knob_changes.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>

namespace dyno {

namespace {

constexpr const char* kDamagedRecord = "its record in the library is damaged, so the old value is not known: set it "
                                       "yourself, then say `dyno servers forget-changes`";

Expected<std::unique_ptr<Admin>> connectTo(const TargetUri& uri, std::function<bool()> stopped = {})
{
    Driver* driver = driverFor(uri.driver);
    if (!driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver \"{}\"", uri.driver), uri.display(),
                     "`dyno drivers` lists what it has"});
    ConnectTarget target;
    target.uri = uri;
    for (const OptionSpec& option : driver->info().connection)
        target.connection.emplace(option.name, option.defaultValue);
    return controlAdmin(*driver, target, std::move(stopped));
}

//! `filter` as the library writes targets: "" = all.
std::string asWritten(std::string_view filter)
{
    const auto uri = parseUri(filter);
    return uri ? uri->display() : std::string(filter);
}

std::vector<RestoredKnob> allFailed(const std::vector<OpenChange>& changes, const std::string& why)
{
    std::vector<RestoredKnob> results;
    for (const OpenChange& change : changes)
        results.push_back(
            {change.target, change.name, change.oldValue, change.newValue, {}, RestoreOutcome::Failed, why});
    return results;
}

std::vector<KnobChange> asChanges(const std::vector<OpenChange>& open)
{
    std::vector<KnobChange> changes;
    for (const OpenChange& change : open)
        changes.push_back({change.name, change.oldValue, change.newValue});
    return changes;
}

//! How the changes of one target are put back.
struct Manner
{
    std::optional<TargetUri> passwordOwner;
    std::string password; //!< for that one
    bool overwrite = false;
    bool consent = true; //!< production servers and restarts too
    std::function<bool()> stopped = {};
    std::optional<TargetUri> named =
        {}; //!< as a person named it now: its TLS counts where the changes' URI says nothing
};

//! Those that may be why a server does not start: what some edition takes at its start only.
std::vector<KnobChange> restartOnly(const std::string& driver, const std::vector<OpenChange>& open)
{
    std::vector<KnobChange> changes = asChanges(open);
    std::erase_if(changes, [&](const KnobChange& change) {
        const KnobInfo* knob = findKnob(driver, "server", change.name);
        const auto restarts = [](const KnobEdition& one) { return one.restart.value_or(false); };
        return !knob || !(knob->restart || std::any_of(knob->editions.begin(), knob->editions.end(), restarts));
    });
    return changes;
}

//! The TLS of `other` for `uri` of the same server, when that says nothing of TLS.
void takeTls(TargetUri& uri, const TargetUri& other)
{
    const auto isTls = [](const auto& one) { return one.first.starts_with("tls") || one.first == "ssl"; };
    if (!sameServer(uri, other) || std::any_of(uri.query.begin(), uri.query.end(), isTls))
        return;
    std::copy_if(other.query.begin(), other.query.end(), std::inserter(uri.query, uri.query.end()), isTls);
}

//! All of one target. Results may come in another order.
std::vector<RestoredKnob> restoreTarget(const std::string& target, const std::vector<OpenChange>& open,
                                        const Manner& manner)
{
    if (target.starts_with("host:")) {
        if (target != hostTarget())
            return allFailed(open, fmt::format("it belongs to another machine ({})", target.substr(5)));
        HostKnobs host;
        std::vector<RestoredKnob> results;
        for (const OpenChange& change : open)
            results.push_back(putBack(host, {change.name, change.oldValue, change.newValue}, manner.overwrite));
        for (RestoredKnob& result : results)
            result.target = target;
        return results;
    }
    auto uri = parseUri(target);
    if (!uri)
        return allFailed(open, uri.error().text());
    uri->password = passwordFor(*uri, manner.passwordOwner, manner.password);
    RemoteDoor door;
    door.driver = uri->driver;
    door.shown = target;
    door.secret = uri->password;
    door.mayRestart = manner.consent;
    auto known = remoteServerOf(*uri);
    if (!known && !manner.consent) // it may be a production server
        return allFailed(open, known.error().text());
    if (known && *known)
        door.known = **known;
    if (door.known.production && !manner.consent)
        return allFailed(open, "it is a production server, which is not changed without being asked");
    if (manner.named)
        takeTls(*uri, *manner.named);
    if (const auto remembered = parseUri(door.known.uri))
        takeTls(*uri, *remembered);
    door.connect = [uri = *uri, stopped = manner.stopped] { return connectTo(uri, stopped); };
    auto admin = connectOrRevive(door, restartOnly(door.driver, open));
    if (!admin)
        return allFailed(open, admin.error().text());
    return putBackAll(door, *admin, asChanges(open), {.overwrite = manner.overwrite, .afterCrash = true});
}

//! Puts back what of `open` has no living owner.
Expected<std::vector<RestoredKnob>> restoreAll(const std::filesystem::path& library, std::vector<OpenChange> open,
                                               const std::function<Manner(const std::string&)>& mannerOf)
{
    std::erase_if(open, [](const OpenChange& change) { return change.ownerAlive; });
    // From here on nobody else puts them back, and a session that begins now sees that they are being worked on.
    auto claimed = claimChanges(library, std::move(open));
    if (!claimed)
        return fail(std::move(claimed.error()));
    std::vector<OpenChange> done, rest = std::move(*claimed);
    const auto whole =
        std::stable_partition(rest.begin(), rest.end(), [](const OpenChange& change) { return change.damaged; });
    std::vector<OpenChange> kept(rest.begin(), whole);
    rest.erase(rest.begin(), whole);
    std::vector<RestoredKnob> results = allFailed(kept, kDamagedRecord);
    while (!rest.empty()) {
        const std::string one = rest.front().target;
        const auto others = std::stable_partition(rest.begin(), rest.end(),
                                                  [&](const OpenChange& change) { return change.target == one; });
        const std::vector<OpenChange> mine(rest.begin(), others);
        rest.erase(rest.begin(), others);
        std::vector<RestoredKnob> restored = restoreTarget(one, mine, mannerOf(one));
        for (const OpenChange& change : mine) {
            const bool back = std::any_of(restored.begin(), restored.end(), [&](const RestoredKnob& knob) {
                return knob.name == change.name &&
                       (knob.outcome == RestoreOutcome::Restored || knob.outcome == RestoreOutcome::WasBack);
            });
            (back ? done : kept).push_back(change);
        }
        results.insert(results.end(), std::make_move_iterator(restored.begin()),
                       std::make_move_iterator(restored.end()));
    }
    auto closed = closeChanges(library, done);
    auto released = releaseChanges(library, kept);
    if (!closed)
        return fail(std::move(closed.error()));
    if (!released)
        return fail(std::move(released.error()));
    return results;
}

std::optional<TargetUri> uriIn(std::string_view text)
{
    auto uri = parseUri(text);
    return uri ? std::optional(std::move(*uri)) : std::nullopt;
}

//! The remote server that all of `open` is on, with one user; none when there are several.
std::optional<TargetUri> onlyRemote(const std::vector<OpenChange>& open)
{
    std::optional<TargetUri> only;
    for (const OpenChange& change : open) {
        auto uri = parseUri(change.target);
        if (!uri || uri->kind != TargetKind::Remote)
            continue;
        if (only && !sameAccount(*only, *uri))
            return {};
        only = std::move(*uri);
    }
    return only;
}

//! Takes the locks of what is changed, each target's, and takes out of `open` what another process holds; returns
//! those.
Expected<std::vector<OpenChange>> lockAll(std::vector<OpenChange>& open, const std::filesystem::path& workDir,
                                          std::vector<SettingsLock>& locks)
{
    std::map<std::string, bool> mine;  // by target
    std::map<std::string, bool> names; // one server may have several
    const auto take = [&](const LockedThing& thing) -> Expected<bool> {
        if (const auto known = names.find(thing.name); known != names.end())
            return known->second;
        auto lock = SettingsLock::attempt(thing, workDir, {}, {});
        if (!lock)
            return fail(std::move(lock.error()));
        const bool held = names[thing.name] = lock->held();
        if (held)
            locks.push_back(std::move(*lock));
        return held;
    };
    for (const OpenChange& change : open) {
        if (mine.contains(change.target))
            continue;
        const auto uri = parseUri(change.target);
        const std::size_t before = locks.size();
        auto held = take(uri ? LockedThing::ofServer(*uri) : LockedThing::ofMachine());
        if (held && *held && uri && locks.size() > before && !locks.back().identity().empty())
            held = take(LockedThing::ofServer(std::string(locks.back().identity()), *uri));
        if (!held)
            return fail(std::move(held.error()));
        mine[change.target] = *held;
    }
    const auto theirs =
        std::stable_partition(open.begin(), open.end(), [&](const OpenChange& change) { return mine[change.target]; });
    std::vector<OpenChange> busy(theirs, open.end());
    open.erase(theirs, open.end());
    return busy;
}

//! Whether a change's target is the server that `wanted` (as the library writes targets) names.
bool isOn(const std::string& target, const std::string& wanted)
{
    if (target == wanted)
        return true;
    const auto uri = parseUri(target);
    const auto wantedUri = parseUri(wanted);
    return uri && wantedUri && sameServer(*uri, *wantedUri);
}

} // namespace

Expected<std::vector<LeftChange>> leftChanges(const std::filesystem::path& library)
{
    auto open = openChanges(library);
    if (!open)
        return fail(std::move(open.error()));
    std::vector<LeftChange> left;
    for (OpenChange& change : *open)
        left.push_back({std::move(change.target), std::move(change.name), std::move(change.oldValue),
                        std::move(change.newValue), change.changedMs, change.ownerAlive});
    return left;
}

Expected<std::vector<RestoredKnob>> restoreLeftChanges(const std::filesystem::path& library, std::string_view target,
                                                       const std::string& password, bool overwrite)
{
    auto open = openChanges(library);
    if (!open)
        return fail(std::move(open.error()));
    const std::optional<TargetUri> owner = target.empty() || password.empty() ? onlyRemote(*open) : uriIn(target);
    if (!target.empty())
        std::erase_if(*open,
                      [wanted = asWritten(target)](const OpenChange& change) { return !isOn(change.target, wanted); });
    return restoreAll(library, std::move(*open),
                      [&](const std::string&) { return Manner{owner, password, overwrite, true, {}, uriIn(target)}; });
}

Expected<std::vector<RestoredKnob>> restoreUnasked(const std::filesystem::path& library, const UnaskedRestore& what)
{
    std::vector<std::string> own;
    RunnerOptions options;
    options.confirmed = what.confirmed;
    for (const std::string& target : what.targets) {
        own.push_back(asWritten(target));
        const auto uri = parseUri(target);
        if (auto refusal = uri ? makeTarget({.uri = *uri, .options = options})->refusal() : std::optional<Error>())
            return fail(std::move(*refusal));
    }
    auto open = openChanges(library);
    if (!open)
        return fail(std::move(open.error()));
    const auto isOwn = [&own](const std::string& target) {
        return std::any_of(own.begin(), own.end(), [&](const std::string& one) { return isOn(target, one); });
    };
    if (!what.others)
        std::erase_if(*open, [&](const OpenChange& change) { return !isOwn(change.target); });
    // A library may be somebody else's: its list is not obeyed, only shown.
    const auto foreign = std::stable_partition(open->begin(), open->end(),
                                               [](const OpenChange& change) { return change.noted || change.damaged; });
    std::vector<OpenChange> strangers(foreign, open->end());
    open->erase(foreign, open->end());
    std::erase_if(strangers, [](const OpenChange& change) { return change.ownerAlive; });
    // A session of another library may be changing the same server now: what it set is not taken for what was left.
    std::vector<SettingsLock> locks;
    std::vector<OpenChange> busy;
    std::erase_if(*open, [](const OpenChange& change) { return change.ownerAlive; });
    if (!what.haveLocks) {
        auto taken = lockAll(*open, what.workDir, locks);
        if (!taken)
            return fail(std::move(taken.error()));
        busy = std::move(*taken);
    }
    auto restored = restoreAll(library, std::move(*open), [&](const std::string&) {
        return Manner{what.passwordOwner, what.password, false, what.confirmed, what.stopped};
    });
    if (!restored)
        return restored;
    for (RestoredKnob& knob :
         allFailed(strangers, "only this library records the change; it is restored only on request"))
        restored->push_back(std::move(knob));
    for (RestoredKnob& knob : allFailed(busy, "a session that runs now changes settings of the same server"))
        restored->push_back(std::move(knob));
    for (SettingsLock& lock : locks)
        lock.release(lock.libraries()); // as before, so that the next process finds what is left there
    return restored;
}

Expected<void> forgetLeftChanges(const std::filesystem::path& library, std::string_view target)
{
    auto open = openChanges(library);
    if (!open)
        return fail(std::move(open.error()));
    const std::string wanted = asWritten(target);
    std::erase_if(*open, [&](const OpenChange& change) { return !isOn(change.target, wanted); });
    if (open->empty())
        return fail({ErrorKind::BadInput,
                     fmt::format("nothing is left changed on {}", redactUri(wanted)),
                     {},
                     "`dyno servers left` lists what is"});
    std::erase_if(*open, [](const OpenChange& change) { return change.ownerAlive; });
    if (open->empty())
        return fail({ErrorKind::Refused,
                     fmt::format("a session that is running will put the settings of {} back", redactUri(wanted)),
                     {},
                     "wait for its end"});
    return closeChanges(library, *open);
}

Expected<std::vector<VariableState>> serverVariables(const TargetUri& target)
{
    if (auto there = makeTarget({.uri = target, .options = {}})->isThere(); !there)
        return fail(std::move(there.error()));
    auto admin = connectTo(target);
    if (!admin)
        return fail(std::move(admin.error()));
    return variableStates(**admin, target.driver);
}

constexpr std::size_t kLongestIdentity = 4096;

std::string askIdentity(const TargetUri& target, std::function<bool()> stopped)
{
    auto admin = connectTo(target, std::move(stopped));
    if (!admin)
        return {};
    const auto facts = (*admin)->facts();
    const Driver* driver = driverFor(target.driver);
    std::string identity = facts && driver ? driver->serverIdentity(facts->variables) : std::string();
    // It is written into a file line by line, and a server may answer anything.
    const bool plain = identity.size() <= kLongestIdentity && std::ranges::none_of(identity, [](char c) {
                           return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
                       });
    return plain ? identity : std::string();
}

std::string toText(const RestoredKnob& knob)
{
    const std::string what = fmt::format("{} of {}", knob.name, knob.target);
    const std::string before = fmt::format("a Dynobench that ended early had left it at {}", knob.ourValue);
    switch (knob.outcome) {
    case RestoreOutcome::Restored:
        return fmt::format("{} put back to {} ({})", what, knob.oldValue, before);
    case RestoreOutcome::WasBack:
        return fmt::format("{} is {} again ({})", what, knob.oldValue, before);
    case RestoreOutcome::OthersValue:
        return fmt::format("{} left alone: somebody else set it to {}, it was {} once ({})", what, knob.foundValue,
                           knob.oldValue, before);
    case RestoreOutcome::Failed:
        break;
    }
    if (knob.text == kDamagedRecord)
        return fmt::format("{} was not put back: {}", what, knob.text);
    return fmt::format("{} was not put back to {} ({}): {}; `dyno servers restore \"{}\"` does so", what, knob.oldValue,
                       before, knob.text, knob.target);
}

} // namespace dyno
