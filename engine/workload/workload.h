// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A workload: schema, load and transactions, written once for every executor. It never sees a client library.
//!
//! To add one: a folder, one line in builtin_workloads.cpp, one in CMake, a row in tst_workload_contract.
#pragma once

#include "base/ids.h"
#include "base/random.h"
#include "coro/task.h"
#include "driver/driver.h"
#include "workload/user_context.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! A part of the load that one loader session does on its own: rows [firstRow, lastRow] of a table, 1-based.
struct LoadSlice
{
    int table = 1;
    std::int64_t firstRow = 1;
    std::int64_t lastRow = 0;
    bool bulk = false; //!< as RequestKind::Bulk, where TableSpec::bulkRowsPerSlice allows it; else as statements
};

struct TableSpec
{
    std::string name;
    std::string create;                   //!< the whole CREATE TABLE
    std::vector<std::string> columns;     //!< lower case, in order: to recognise another shape
    std::vector<std::string> afterCreate; //!< of the empty table: indexes that CREATE TABLE cannot name in this dialect
    std::vector<std::string> afterLoad;   //!< e.g. CREATE INDEX
    //! When all tables have their rows and what comes after them: foreign keys, rows made by SQL from other tables.
    std::vector<std::string> afterAll;
    std::int64_t rows = 0;            //!< that the load makes
    std::int64_t rowsPerSlice = 2000; //!< size of a LoadSlice
    //! Above 0: so many rows are a part (of a warehouse, say), whose slices one session loads one after the other while
    //! others load other parts. 0: any session loads the next slice.
    std::int64_t rowsPerPart = 0;
    std::string part;                  //!< what a part is, in the singular: "warehouse"
    std::int64_t bulkRowsPerSlice = 0; //!< of one that goes as RequestKind::Bulk; 0 = load() makes statements only
    //! True: a run changes the table so much that the next run must start from a newly loaded one (rows drained, ids
    //! that would repeat).
    bool freshEachRun = false;
    //! True: a run inserts keys that the run before has inserted. Rows of an earlier session are in its way.
    bool keysRepeat = false;
    bool derived = false; //!< `afterAll` makes its rows: how many is not known
};

//! Rough size of what the transactions of a run leave behind.
struct Growth
{
    double bytesPerRow = 0;
    double rowsPerTransaction = 0;
};

//! Something that a server must have for a workload; asked before anything is created.
struct FeatureProbe
{
    std::string query;   //!< SQL whose answer has a row when it is there
    std::string missing; //!< "this server has no storage engine aria"
    std::string remedy;
};

//! A timed step of a workload whose run is a list of them (WorkloadInfo::steps).
struct StepSpec
{
    OpId op{};     //!< index into WorkloadInfo::operations, whose name is the step's
    int times = 1; //!< done so often, each time measured by itself; the first one that fails ends the run as failed
};

//! What a user waits before and after a transaction: in neither its service time nor its response time.
struct Pauses
{
    std::int64_t beforeNs = 0; //!< keying
    std::int64_t afterNs = 0;  //!< thinking
    //! On nowNs()'s clock, with WorkloadInstance::hasDueTimes(): when the transaction should begin. Response time
    //! counts from there.
    std::int64_t dueNs = 0;
};

//! Something that is true of a workload's data at any time, whatever ran on them.
struct DataCheck
{
    std::string name;  //!< what is true
    std::string query; //!< SQL that gives one number: of rows for which it is not
    //! Finds that number where the model has no query that does. Blocking; the thread that directs the run.
    std::function<Expected<std::int64_t>(Admin&)> count = {};
    //! For one that is about a value: what is wrong, such as "5 was expected, and it is 4"; "": nothing. Likewise.
    std::function<Expected<std::string>(Admin&)> fault = {};
};

//! A workload with its parameters, bound to a driver's data model. Immutable and shared by all users of a run; every
//! member may be called from any thread.
class WorkloadInstance
{
public:
    virtual ~WorkloadInstance() = default;
    [[nodiscard]] virtual std::vector<TableSpec> tables() const = 0;
    //! Tables that runs with up to `users` users need: differs from tables() only where each user has its own table.
    [[nodiscard]] virtual std::vector<TableSpec> tablesFor(int users) const;
    [[nodiscard]] virtual StatementSet statements() const = 0;
    //! What the sessions that load() use have instead of statements(): begins with those, and adds what only the load
    //! needs. Kept apart because a driver may judge a transaction by its statements (SQLite: whether it will write).
    [[nodiscard]] virtual StatementSet loaderStatements() const { return statements(); }
    //! What is too dear for binding, as a plan is bound many times before it runs, and would be a stall within a slice
    //! or a transaction. Called by the thread that directs a load or a run, before its sessions begin; nothing to do
    //! the second time. `seed`: of the load or run. False: goOn() said no before it was done.
    enum class Use : std::uint8_t { Load, Run };
    [[nodiscard]] virtual bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const;
    //! Variables of the sessions of a run, as ConnectTarget::connectionExtra has them.
    [[nodiscard]] virtual Settings sessionVariables() const { return {}; }
    //! Names of what a transaction does one of, as UserContext::sectionSums() has their weights; empty: there is but
    //! one.
    [[nodiscard]] virtual std::vector<std::string> sections() const { return {}; }
    //! True: transactions send RequestKind::Bulk, so sessions must take it in a run.
    [[nodiscard]] virtual bool bulkInRuns() const { return false; }
    //! Loads one slice. The rows are a function of (seed, table, row number) alone.
    [[nodiscard]] virtual Task<Outcome> load(UserContext& user, LoadSlice slice) const = 0;
    //! Tables that a run makes for itself and drops before it ends, also where it is stopped or fails; one that was
    //! killed or lost its connection leaves them, and they go with the loaded ones.
    [[nodiscard]] virtual std::vector<std::string> scratchTables() const { return {}; }
    //! Commands that every loader session runs once before its first slice (relaxed checks, larger buffers).
    [[nodiscard]] virtual std::vector<std::string> loaderSessionSetup() const { return {}; }
    //! True: its tables refer to each other or are made from each other, so all of them are loaded or none.
    [[nodiscard]] virtual bool loadsTogether() const { return !beforeDrop().empty(); }
    //! One unit of work. A reply that is not Ok ends it at once with that outcome; the user then rolls back. What it
    //! posted (UserContext::post()) is sent at its end.
    [[nodiscard]] virtual Task<Outcome> transaction(UserContext& user) const = 0;
    //! True (the default): transaction() does nothing that can be seen but to send requests, so that one without a
    //! server tells which.
    [[nodiscard]] virtual bool onlySends() const { return true; }
    //! True: pauses() is asked before each transaction. A closed loop's alone: with an open loop the plan is refused.
    [[nodiscard]] virtual bool paces() const { return false; }
    //! Those of the transaction that comes next. random() stands where transaction() will find it again; retries wait
    //! for nothing.
    [[nodiscard]] virtual Pauses pauses(UserContext& user) const;
    //! True: pauses() has due times, so a closed loop's response times differ from its service times.
    [[nodiscard]] virtual bool hasDueTimes() const { return false; }
    //! True: isOver() is asked before each transaction of a closed loop.
    [[nodiscard]] virtual bool ends() const { return false; }
    //! The user has done all that there is for it; the run ends when this is true of every user.
    [[nodiscard]] virtual bool isOver(UserContext& user) const;
    //! Not empty: a run is this list, done once by one user. The transaction number n (UserContext::sequence()) is the
    //! n-th of all the times; see StepsInstance.
    [[nodiscard]] virtual const std::vector<StepSpec>& steps() const;
    //! With steps(): each user does the list, at the same time; else the first one does it alone. Of a run.
    [[nodiscard]] virtual bool stepsForAll() const { return false; }
    //! Called once per user after its last transaction, to send what it buffered; of steps after the list, also where
    //! it was stopped or failed, unless the connection is gone. Default: nothing.
    [[nodiscard]] virtual Task<Outcome> finish(UserContext& user) const;
    //! True when a transaction that met `code` must end the run at once (sysbench 1.0.20 profile).
    [[nodiscard]] virtual bool fatal(Outcome outcome, std::int32_t code) const;
    //! True when `code` (with any outcome but Disconnected) means: roll back and restart the transaction.
    [[nodiscard]] virtual bool retryable(Outcome outcome, std::int32_t code) const;
    //! True (the default): a transaction's service time begins with its first attempt and holds all rollbacks. False:
    //! it is that of the attempt that succeeded; the others are counted as retries only. The response time of an open
    //! loop begins with the arrival either way.
    [[nodiscard]] virtual bool retriesInSample() const { return true; }
    //! True: values of its rows may lie outside of them, and a run tells how much does, where its target can.
    [[nodiscard]] virtual bool keepsLongValues() const { return false; }
    //! Empty: any server that the driver speaks to will do.
    [[nodiscard]] virtual std::vector<FeatureProbe> probes() const { return {}; }
    //! True: with so many users, some ask for rows or delete them by numbers that this instance counts. It does not
    //! know of rows that users of another instance add or delete.
    [[nodiscard]] virtual bool countsRows(int /*users*/) const { return false; }
    //! For its model; empty: it has none.
    [[nodiscard]] virtual std::vector<DataCheck> checks() const { return {}; }
    //! True: they are asked after each run that measured something, also where no sink wants them.
    [[nodiscard]] virtual bool checksEachRun() const { return false; }
    //! SQL that is sent before the tables are dropped.
    [[nodiscard]] virtual std::vector<std::string> beforeDrop() const { return {}; }
    //! Of the tables of tablesFor(users).
    [[nodiscard]] virtual std::vector<DataCheck> checksFor(int /*users*/) const { return checks(); }
    //! What a run's result holds beside the plan, by names without the scope "workload". Default: nothing.
    [[nodiscard]] virtual Settings ofResult() const { return {}; }
    //! With Workload::operationsOfFile(), once makeReady() was called for a run.
    [[nodiscard]] virtual std::vector<OperationInfo> operationsOfRun() const { return {}; }
    //! Sentences about the last run, for its events. Called after its users have ended. Default: none.
    [[nodiscard]] virtual std::vector<std::string> notesOfRun() const { return {}; }
    //! Rough size of the loaded data in bytes, for the preview.
    [[nodiscard]] virtual std::uint64_t estimatedBytes() const = 0;
    //! What a run needs beside it for a while and drops again (copies of tables), in bytes.
    [[nodiscard]] virtual std::uint64_t scratchBytes() const { return 0; }
    //! What a run adds to it; nothing by default.
    [[nodiscard]] virtual Growth growth() const { return {}; }
};

//! Base of workloads that are a list of timed steps. A step may be many statements, made by UserContext::step(): it is
//! recorded as one operation with the time of all of them.
class StepsInstance : public WorkloadInstance
{
public:
    [[nodiscard]] const std::vector<StepSpec>& steps() const final { return m_steps; }
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const final;

protected:
    explicit StepsInstance(std::vector<StepSpec> steps)
        : m_steps(std::move(steps))
    {
    }
    //! Does steps()[step] for the time number `round`, from 0.
    [[nodiscard]] virtual Task<Outcome> runStep(UserContext& user, std::size_t step, int round) const = 0;

private:
    std::vector<StepSpec> m_steps;
};

class Workload
{
public:
    virtual ~Workload() = default;
    [[nodiscard]] virtual const WorkloadInfo& info() const = 0;
    //! With these parameters, those that are not there at their defaults. Where they depend on the parameters, info()
    //! has those of the defaults. Default: always info()'s.
    [[nodiscard]] virtual std::vector<OperationInfo> operations(const Settings& params) const;
    [[nodiscard]] virtual bool operationsVary() const { return false; }
    //! Those of its instance with these parameters, in which a fault may be: then none.
    [[nodiscard]] virtual std::vector<std::string> sections(const Settings& /*params*/) const { return {}; }
    //! What shapes its rows beyond the parameters with OptionSpec::affectsData: names and values, for notes of the data
    //! and for comparing points.
    [[nodiscard]] virtual std::map<std::string, std::string> moreOfData(const Settings& /*params*/) const { return {}; }
    //! Adds to `own`, the parameters of a group of users, what it takes over without saying so from `loader`, the
    //! plan's workload, which loads the tables of all groups with `params`. `said`: what the group says itself.
    //! Default: nothing.
    virtual void joinTables(Settings& own, const Settings& said, const Workload& loader, const Settings& params) const;
    //! True: a file of the user's says what the operations are. It is read when a run begins, and not before somebody
    //! has agreed: WorkloadInstance::operationsOfRun() has them then. Not for groups of users.
    [[nodiscard]] virtual bool operationsOfFile() const { return false; }
    //! `params` are complete (resolve() was called); the two have a model in common (commonModel()). Faults are found
    //! before by checkPlan(); an error here is about a combination of parameters.
    [[nodiscard]] virtual Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& params, const DriverInfo& driver, const Settings& tableKnobs) const = 0;
};

//! Explicit list, see builtin_workloads.cpp.
[[nodiscard]] const std::vector<const Workload*>& builtinWorkloads();
[[nodiscard]] const Workload* workloadFor(std::string_view id);

} // namespace dyno
