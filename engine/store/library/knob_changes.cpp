// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/knob_changes.h"

#include "store/library/change_notes.h"
#include "store/library/dyno_file.h"
#include "store/library/writer_process.h"
#include "store/session/seals.h"

#include <algorithm>

namespace dyno {

namespace {

namespace fs = std::filesystem;

std::vector<OpenChange> readOpen(Database& database)
{
    std::vector<OpenChange> all;
    const ChangeNotes notes;
    Statement select(database, "SELECT key, target, name, old_value, new_value, changed_ms, writer_pid, writer_start,"
                               " writer_boot FROM knob_change WHERE restored = 0 ORDER BY key");
    while (select.row()) {
        const WriterProcess owner{select.integer(6), select.integer(7), select.text(8)};
        OpenChange change{select.text(1),    select.text(2), select.text(3), select.text(4),
                          select.integer(5), owner.alive(),  false,          {select.integer(0)}};
        change.damaged = !knobChangeHolds(database, select.integer(0));
        change.noted = notes.has(change.target, change.name, change.oldValue, change.newValue);
        const auto earlier = std::find_if(all.begin(), all.end(), [&](const OpenChange& one) {
            return one.target == change.target && one.name == change.name;
        });
        if (earlier == all.end()) {
            all.push_back(std::move(change));
            continue;
        }
        // One session records its first old value every time; one that began where a dead one ended goes on from there.
        // Anything else says that somebody set another value in between: then that is what to go back to.
        if (change.oldValue != earlier->oldValue && change.oldValue != earlier->newValue)
            earlier->oldValue = change.oldValue;
        earlier->newValue = change.newValue;
        earlier->changedMs = change.changedMs;
        earlier->ownerAlive = earlier->ownerAlive || change.ownerAlive;
        earlier->noted = earlier->noted && change.noted;
        earlier->damaged = earlier->damaged || change.damaged;
        earlier->keys.push_back(change.keys.front());
    }
    return all;
}

//! Runs `work` with each key in one transaction.
template<class Work>
Expected<void> withKeys(const fs::path& library, const std::vector<OpenChange>& changes, const Work& work)
{
    if (changes.empty())
        return {};
    auto database = openStore(library, Library::Mode::ReadWrite);
    if (!database)
        return fail(std::move(database.error()));
    // What was put back must not be on the list again after the machine's crash, nor the other way round.
    (*database)->exec("PRAGMA synchronous = FULL");
    Transaction transaction(**database);
    for (const OpenChange& change : changes) {
        for (const std::int64_t key : change.keys)
            work(**database, key);
    }
    return transaction.commit();
}

} // namespace

void markRestored(Database& database, std::int64_t key)
{
    // One that was damaged is never read again, and is not to be reported for ever.
    const bool held = knobChangeHolds(database, key);
    Statement update(database, "UPDATE knob_change SET restored = 1, seal = iif(?, seal, NULL) WHERE key = ?");
    update << (held ? 1 : 0) << key;
    update.run();
    sealKnobChange(database, key);
}

Expected<std::vector<OpenChange>> openChanges(const fs::path& library)
{
    std::error_code ignored;
    if (!fs::exists(library, ignored))
        return std::vector<OpenChange>();
    auto database = openStore(library, Library::Mode::ReadOnly);
    if (!database)
        return fail(std::move(database.error()));
    std::vector<OpenChange> all = readOpen(**database);
    if (auto read = (*database)->result(); !read)
        return fail(std::move(read.error()));
    return all;
}

Expected<std::vector<OpenChange>> claimChanges(const fs::path& library, std::vector<OpenChange> changes)
{
    if (changes.empty())
        return changes;
    auto database = openStore(library, Library::Mode::ReadWrite);
    if (!database)
        return fail(std::move(database.error()));
    (*database)->exec("PRAGMA synchronous = FULL");
    Transaction transaction(**database);
    // Under the write lock: what another process claimed or put back since we looked is seen here.
    const std::vector<OpenChange> now = readOpen(**database);
    std::erase_if(changes, [&](const OpenChange& change) {
        return std::none_of(now.begin(), now.end(), [&](const OpenChange& one) {
            return one.target == change.target && one.name == change.name && one.keys == change.keys && !one.ownerAlive;
        });
    });
    const WriterProcess self = WriterProcess::self();
    for (const OpenChange& change : changes) {
        for (const std::int64_t key : change.keys) {
            Statement update(**database,
                             "UPDATE knob_change SET writer_pid = ?, writer_start = ?, writer_boot = ? WHERE key = ?");
            update << self.pid << self.start << self.boot << key;
            update.run();
        }
    }
    if (auto done = transaction.commit(); !done)
        return fail(std::move(done.error()));
    return changes;
}

Expected<void> closeChanges(const fs::path& library, const std::vector<OpenChange>& changes)
{
    return withKeys(library, changes, markRestored);
}

Expected<void> releaseChanges(const fs::path& library, const std::vector<OpenChange>& changes)
{
    return withKeys(library, changes, [](Database& database, std::int64_t key) {
        Statement update(database, "UPDATE knob_change SET writer_pid = NULL WHERE key = ?");
        update << key;
        update.run();
    });
}

} // namespace dyno
