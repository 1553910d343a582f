// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The boundary between the load engine and a client library. A driver sees this file, base/, coro/ and its own
//! library; nothing above knows which library answers.
//!
//! To add a driver: one folder with a Driver, a Session, an Admin and a UriForm (null/null_driver.cpp is a skeleton
//! with comments); one line in builtin_drivers.cpp and one in uri_forms.cpp; a block in CMake; a row in
//! tst_driver_contract.
#pragma once

#include "driver/instrument_settings.h"
#include "driver/kept_rows.h"
#include "driver/server_snapshot.h"
#include "driver/statement_digest.h"
#include <dyno/catalog.h>
#include <dyno/counter_groups.h>
#include <dyno/event_rules.h>
#include <dyno/main_counters.h>
#include <dyno/preflight.h>
#include <dyno/table_info.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dyno {

//! For the remedies of a refused sign-in.
inline constexpr const char* kWherePasswordsAre =
    "DYNO_PASSWORD is for the first server of a plan, DYNO_PASSWORD_NAME for the server remembered as NAME";

enum class Progress : std::uint8_t { Done, Pending };

//! How an operation ended. The code beside it is the server's or library's own number.
enum class Outcome : std::uint8_t {
    Ok,
    Retryable, //!< deadlock, lock wait, busy: the transaction may be restarted
    Rejected,  //!< the server says no: duplicate key, syntax, missing table
    TimedOut,
    Disconnected, //!< the connection is broken for good; only Connect may follow
};

struct Reply
{
    Outcome outcome = Outcome::Ok;
    std::int32_t code = 0;     //!< 0 when Ok
    std::int64_t rows = 0;     //!< rows fetched
    std::int64_t affected = 0; //!< rows changed
};

//! What a pending session waits for; used by event loops only.
struct IoWait
{
    int fd = -1;
    bool read = false, write = false;
    int timeoutMs = -1; //!< −1 = none
    bool fresh = false; //!< `fd` may be another file than at the last wait, under the same number
};
struct IoEvents
{
    bool read = false, write = false, timeout = false;
};

//! Statements that go to the server in one packet; a part of the sessions that can do so. Same thread as the session.
//! The server runs them in order and stops at the first that fails. Reuses its memory.
class Batch
{
public:
    struct Answer
    {
        Reply reply;
        std::int64_t arrivedNs = 0; //!< on nowNs()'s clock: the last of this statement's rows was here
    };
    virtual ~Batch() = default;
    //! Forgets statements and answers.
    virtual void clear() = 0;
    //! Takes Begin, Commit, Rollback, Execute, or Text that is one statement with one result, without ';' or a comment
    //! at its end. Copies what the request points to and sends nothing; what is wrong with it shows when all is sent.
    virtual void add(const Request& request) = 0;
    //! Like Session::start(). Its reply() is then that of the statement that failed, else of the last one.
    virtual Progress send() = 0;
    //! After send(): one for each statement in order; the first that failed is the last one here.
    [[nodiscard]] virtual std::span<const Answer> answers() const = 0;
};

//! One connection of one virtual user. One thread; at most one request under way.
class Session
{
public:
    virtual ~Session() = default;
    //! Begins `request`. Blocking drivers finish it and answer Done; others may answer Pending, then the executor waits
    //! for ioWait() and calls resume() until it is Done. reply() is valid after Done.
    virtual Progress start(const Request& request) = 0;
    virtual Progress resume(IoEvents /*events*/) { return Progress::Done; }
    [[nodiscard]] virtual IoWait ioWait() const { return {}; }
    //! Where statements whose answers nobody waits for should go instead of start(); nullptr when the connection sends
    //! them one by one. The same for the session's whole life.
    [[nodiscard]] virtual Batch* batch() { return nullptr; }
    //! Makes the request under way end as Disconnected. May be called from another thread.
    virtual void abort() noexcept {}
    //! Text of the last reply that was not Ok; never holds a password. Not for the hot path.
    [[nodiscard]] virtual std::string lastError() const = 0;
    //! How often the library waited for a lock by itself (SQLite's busy handler) since the session was made;
    //! reconnecting does not reset it. Any thread, so that a wait shows while it lasts.
    [[nodiscard]] virtual std::uint64_t busyWaits() const { return 0; }
    [[nodiscard]] const Reply& reply() const { return m_reply; }
    //! Rows of the last request, where its statement says that they are kept. A driver without data (null) keeps none,
    //! whatever reply().rows says. Not for what was posted (UserContext::post()).
    [[nodiscard]] const KeptRows& kept() const { return m_kept; }

protected:
    Reply m_reply;
    KeptRows m_kept;
};

//! Everything needed to connect. Immutable while a run lasts; sessions keep a shared pointer to it.
struct ConnectTarget
{
    TargetUri uri;            //!< with the password, if one is needed
    Settings connection;      //!< knobs of the scope "connection", complete with defaults
    Settings connectionExtra; //!< knobs of that scope that the catalogue does not know: set as session variables
    StatementSet statements;
    bool eventLoop = false; //!< sessions live on event loops: they answer Pending instead of waiting
    int busyTimeoutMs = 0;  //!< embedded engines: how long the library may wait for a lock before it says busy
    bool look =
        false; //!< for Admin: changes nothing, sends no SQL of a plan's and opens an embedded engine's file read-only
    bool loader = false; //!< its sessions load data: they block, and RequestKind::Bulk may come
    //! A network lies between, whatever the address says: a proxy of this machine passes everything on to another one.
    bool distant = false;
    bool bulk = false; //!< RequestKind::Bulk may come in a run, too; on sessions that block
};
using ConnectTargetPtr = std::shared_ptr<const ConnectTarget>;
//! No network lies between: isLocal() of its URI, unless it is distant.
[[nodiscard]] inline bool isLocal(const ConnectTarget& target)
{
    return !target.distant && isLocal(target.uri);
}

//! A table's column as the server describes it, for the check "exists with another shape".
struct ColumnShape
{
    std::string name; //!< lower case
    std::string type; //!< lower case, as the server prints it
};
constexpr std::size_t kMostCounters = 1500; //!< of a server; more are not kept
using TextRows = std::vector<std::vector<std::string>>;
using DataNotes = std::map<std::string, std::string>; //!< by table

struct ServerSelf; // driver/server_self.h

//! What a plan needs of a server, over all its points.
struct PreflightNeeds
{
    int users = 1;
    int statementsPerUser = 0; //!< prepared by each connection at the same time
    int tables = 1;
    std::uint64_t dataBytes = 0;      //!< estimated size of the data
    std::uint64_t largestRequest = 0; //!< bytes of the longest statement (multi-row inserts)
    bool creates = false;             //!< tables will be created and loaded
    bool changesGlobals = false;      //!< the plan sets server variables
    bool prepared = true;             //!< statements are prepared
    bool transactions = false;        //!< some are put between a begin and a commit
    bool tcp = false;                 //!< of a managed server: it listens on TCP
    std::vector<std::string> rights;  //!< on the database, as GRANT names them: "SELECT", "CREATE", …
    Settings server;                  //!< variables that every point sets, with the value that leaves the least room
    //! The different values of each variable that some point sets.
    std::map<std::string, std::vector<std::string>> planned;
};

//! Control plane of a target: schema, knobs, facts. Blocking, control thread only. What is added here is added to
//! control_calls.cpp too.
class Admin
{
public:
    virtual ~Admin() = default;
    //! Breaks the connection, so that the call under way ends with an error, where the driver can do so. Any thread.
    virtual void abort() noexcept {}
    virtual Expected<void> execute(std::string_view command) = 0;   //!< DDL and the like
    virtual Expected<TextRows> query(std::string_view command) = 0; //!< small results, as text
    //! Names of what the database holds, views included; none of an embedded engine. Default: none.
    virtual Expected<std::vector<std::string>> tableNames() { return std::vector<std::string>(); }
    //! What the server's other databases hold, as "database.table", its own ones aside. Default: none.
    virtual Expected<std::vector<std::string>> tablesElsewhere() { return std::vector<std::string>(); }
    //! nullopt-like empty vector when the table does not exist.
    virtual Expected<std::vector<ColumnShape>> describe(std::string_view table) = 0;
    //! What tableNames() lists, with columns, keys and rough sizes. The default knows neither keys nor sizes.
    virtual Expected<std::vector<TableInfo>> tableInfos();
    virtual Expected<ServerFacts> facts() = 0;
    //! Current global value as text. An unknown name is an error that names it.
    virtual Expected<std::string> variable(std::string_view name) = 0;
    //! Sets a dynamic global value; the error says when a restart would be needed.
    virtual Expected<void> setVariable(std::string_view name, const Value& value) = 0;
    //! Rows of a table, exactly. The default asks in SQL.
    virtual Expected<std::int64_t> rowCount(std::string_view table);
    //! Removes a table if it is there. The default does it in SQL.
    virtual Expected<void> drop(std::string_view table);
    //! Tables whose load was begun and did not end. Kept by the target itself, so that a half table is known as such
    //! even after Dynobench was killed. The defaults keep them in SQL, in a table "dynobench_loading" that is there
    //! only while something is being loaded.
    virtual Expected<std::vector<std::string>> unfinishedLoads();
    virtual Expected<void> setUnfinishedLoads(const std::vector<std::string>& tables);
    //! What Dynobench remembers of a table beside the data, see load/data/data_note.h: names of tables with a text
    //! each. Kept by the target itself; the defaults keep it in SQL, in a table "dynobench_meta" that is there while it
    //! has a row.
    virtual Expected<DataNotes> dataNotes();
    //! Replaces what is remembered of these tables; an empty text forgets it. Texts are of letters, digits and
    //! !#%&()*+,-./:;<=>?@[]^_{|}~.
    virtual Expected<void> setDataNotes(const DataNotes& notes);
    //! Everything that one cheap request tells while a run lasts, and the present values in that order: counts since
    //! the server's start, or levels. Asked once an interval on a connection of its own. First those that are worth a
    //! look, then, as CounterInfo::hidden, all others; at most kMostCounters. Default: none.
    virtual std::vector<CounterInfo> counters() { return {}; }
    virtual Expected<std::vector<double>> counterValues() { return std::vector<double>(); }
    //! Of all its statements, see Driver::hasDigest(). It switches nothing on in the server; an error says in a
    //! sentence without a full stop why the server tells none. Default: none.
    virtual Expected<std::vector<DigestEntry>> statementDigest() { return std::vector<DigestEntry>(); }
    //! What a person would look at when it hangs: what runs, what waits for what. Changes nothing. A part that this
    //! account may not read says so; an error: nothing could be read. Default: none.
    virtual Expected<std::vector<SnapshotPart>> snapshot() { return std::vector<SnapshotPart>(); }
    //! How the table is made, as the server has it now: a CREATE TABLE, with its indexes; "" where the server does not
    //! say so in one text, which is the default.
    virtual Expected<std::string> tableText(std::string_view /*table*/) { return std::string(); }
    //! Where the server keeps its files, on its machine; "" when it does not say, which is the default.
    virtual std::string dataFolder() { return {}; }
    //! Size on disk in bytes of these tables, or of all that the database holds where none is named; 0 = unknown. A
    //! target that is one file tells its size. Writes nothing.
    virtual std::uint64_t dataBytes(const std::vector<std::string>& /*tables*/) { return 0; }
    //! What the server itself says of the size of its data, part by part: "collection" and "index" with their names,
    //! and "before compression" with a collection's. Brings to disk first what sizes depend on, also where it says
    //! nothing, which is the default.
    virtual std::vector<DataPart> dataParts(const std::vector<std::string>& /*tables*/) { return {}; }
    //! Before every run: a checkpoint, where the target can be asked for one and it costs little. Default: nothing.
    virtual void checkpoint() {}
    //! Waits until what was changed in these tables lies on disk and old versions of rows are gone: what a load or a
    //! run leaves for later is no part of the next measurement then. The default asks for a checkpoint.
    virtual Expected<void> settle(const std::vector<std::string>& /*tables*/)
    {
        checkpoint();
        return {};
    }
    //! Reads these tables and their indexes once from end to end, so that what fits is in the server's memory. The
    //! default counts their rows.
    virtual Expected<void> prewarm(const std::vector<std::string>& tables);
    //! What stands in the way of this load on this server; only what the server itself can tell. The default finds
    //! nothing.
    virtual Expected<PreflightReport> preflight(const PreflightNeeds& /*needs*/) { return PreflightReport(); }
    //! What `level`, which is not none, wants of the server's instruments. It changes nothing. An error of the kind
    //! Refused says in a sentence without a full stop why this server has none that can be switched. Default: that.
    virtual Expected<InstrumentSettings> instruments(InstrumentsLevel level);
    //! Who answers on this connection now, and whether it takes writes: asked at most about once a second, after
    //! counterValues(), so it is one cheap request or none. Default: nothing is known.
    virtual Expected<ServerSelf> self();
};

class Driver
{
public:
    virtual ~Driver() = default;
    [[nodiscard]] virtual DriverInfo info() const = 0;
    //! Connection knobs that this driver settles by itself, with what they are for sessions of `target`. Default: none.
    [[nodiscard]] virtual Settings inForce(const ConnectTarget& /*target*/) const { return {}; }
    //! From ServerFacts::variables what no other server has, however it is reached; "" when they say too little, which
    //! is the default.
    [[nodiscard]] virtual std::string serverIdentity(const Settings& /*variables*/) const { return {}; }
    //! Which of what Admin::counters() and the servers' processes tell is looked at first; see mainCounters(). Default:
    //! none.
    [[nodiscard]] virtual std::vector<MainCounter> mainCounters() const { return {}; }
    //! See moveReadings() of main_counters.h. Default: none.
    [[nodiscard]] virtual std::vector<MoveReading> moveReadings() const { return {}; }
    //! What counters() tell of events; names that a server does not have are of no use. Default: none.
    [[nodiscard]] virtual std::vector<EventRule> eventRules() const { return {}; }
    //! See counterGroups() of counter_groups.h. Default: none.
    [[nodiscard]] virtual std::vector<CounterGroup> counterGroups() const { return {}; }
    //! What keeps an embedded engine's database open while it lives, if it is open: caches stay warm between those who
    //! use it. Default: nothing, for engines that keep nothing in this process.
    [[nodiscard]] virtual std::shared_ptr<void> hold(const TargetUri& /*uri*/) { return {}; }
    //! The statement that makes the server tell how it would run this one, without running it; "" where there is none,
    //! which is the default.
    [[nodiscard]] virtual std::string explaining(std::string_view /*statement*/) const { return {}; }
    //! A row of the answer to it.
    [[nodiscard]] virtual PlanStep planStep(const KeptRows& /*answer*/, std::size_t /*row*/) const { return {}; }
    //! Some servers of it count their statements by kind: Admin::statementDigest(). Default: none does.
    [[nodiscard]] virtual bool hasDigest() const { return false; }
    //! A session that is not connected yet.
    [[nodiscard]] virtual Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) = 0;
    //! Connects the control plane.
    [[nodiscard]] virtual Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) = 0;
    //! For counters(), counterValues(), statementDigest() and snapshot() alone while users are there. Of an embedded
    //! engine it opens nothing: another connection to the file could be in its users' way. Default: admin().
    [[nodiscard]] virtual Expected<std::unique_ptr<Admin>> watcher(const ConnectTarget& target)
    {
        return admin(target);
    }
};

//! Explicit list, see builtin_drivers.cpp. nullptr when this build has no such driver.
[[nodiscard]] Driver* driverFor(std::string_view id);
[[nodiscard]] const std::vector<Driver*>& builtinDrivers();

} // namespace dyno
