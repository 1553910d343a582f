// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The figures of a run, a row each. Stored summaries, intervals in the store and how they add up to a run, the list of
//! measures, run documents and columns of CSV follow from these rows: a new count is a member of RunSummary (and of
//! IntervalSample, where intervals hold it), a row in run_fields.cpp, and the code that counts. Called on any thread;
//! the rows never change.
#pragma once

#include "report.h"
#include "samples.h"

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dyno {

inline constexpr double kSecondsPerMinute = 60;
//! Not a number where no transaction was done.
[[nodiscard]] inline double errorsPerMillion(double errors, std::uint64_t transactions)
{
    return transactions > 0 ? errors / static_cast<double>(transactions) * 1e6
                            : std::numeric_limits<double>::quiet_NaN();
}

//! One figure of LatencySummary.
struct LatencyField
{
    const char* id;      //!< in measures, documents and stored summaries: "p999"
    const char* label;   //!< of "service time": "p99.9 {}"
    const char* heading; //!< of a column of CSV: "p99.9"; "" = none
    double percentile;   //!< 0 = the shortest, 100 = the longest; below 0: the mean
    double LatencySummary::*member;
    std::vector<double> IntervalColumns::Latency::*column; //!< nullptr: columns do not hold it
};
//! In the order of documents and columns.
[[nodiscard]] std::span<const LatencyField> latencyFields();

//! Where an interval holds a figure, and what becomes of it.
struct IntervalField
{
    enum class Fold { Sum, Last, Largest }; //!< Largest: of all intervals; else of the measured ones

    std::variant<std::monostate, std::uint64_t IntervalSample::*, int IntervalSample::*, std::uint64_t ClientHealth::*,
                 int ClientHealth::*, double ClientHealth::*>
        member;
    const char* column = "";  //!< of the library's table `interval`: "lock_waits"
    const char* heading = ""; //!< of its column of CSV: "lock waits"; "" = none, or told in another way
    int decimals = 0;         //!< there
    Fold fold = Fold::Sum;    //!< into RunField::count
    int since = 1;            //!< version of the library that has it first

    [[nodiscard]] bool isThere() const { return member.index() != 0; }
    [[nodiscard]] bool ofClient() const { return member.index() >= 3; }
    //! Calls `use` with a reference to the figure of this interval.
    template<class Sample, class Use>
    void with(Sample& sample, Use use) const
    {
        std::visit(
            [&](auto place) {
                if constexpr (requires { sample.*place; })
                    use(sample.*place);
                else if constexpr (requires { sample.client.*place; })
                    use(sample.client.*place);
            },
            member);
    }
};

struct RunField
{
    //! Columns of runs.csv stand where they were first: what is new comes last.
    enum class Column { First, Later, Last };
    enum class Parts {
        None,
        Operations,
        ErrorCodes,
        Counters,
        Rows,
        Processes,
        Columns,
        Formula
    }; //!< of a measure: see findMeasure()
    //! What a measure is about: lists of measures keep those of a topic together, in this order.
    enum class Topic { Throughput, ServiceTime, ResponseTime, Stalls, Errors, Counts, Resources, Data, Cost, Server };

    //! Its id is the row's, also in stored summaries; without a label it is no measure.
    MeasureInfo info = {};
    Topic topic = Topic::Counts;
    // One of these; none of what only intervals tell, and of what lies in intervals alone.
    std::uint64_t RunSummary::*count = nullptr;
    double RunSummary::*real = nullptr;
    std::optional<double> RunSummary::*maybe = nullptr;
    LatencySummary RunSummary::*times = nullptr; //!< with `latency`
    const LatencyField* latency = nullptr;
    double (*derived)(const RunSummary& run, const RunSetting& setting) = nullptr;

    bool zeroIsUnknown = false;    //!< a run cannot have none of it
    bool storedWhereThere = false; //!< the stored summary has no 0 of it
    const char* of = "";           //!< the figure that tells this one, of other tools' runs and where some have none
    Parts parts = Parts::None;
    bool inDocument = false;      //!< with the count, among the figures of a run's document
    const char* heading = "";     //!< of the count in runs.csv; "" = none, or told in another way
    Column column = Column::Last; //!< with `heading`
    const char* longName = "";    //!< of the count in runs-long.csv; "" = no line
    IntervalField interval = {};

    //! Not a number where nothing is known of it.
    [[nodiscard]] double figure(const RunSummary& run, const RunSetting& setting) const;
};

//! What a kind of operation, or each one where `operation` is "", read in a second of its own time: rows or bytes of
//! setting.reads. Not a number where nothing says what it reads, or none was done.
[[nodiscard]] double readRate(const RunSummary& run, const RunSetting& setting, double OperationReads::*what,
                              std::string_view operation = {});

//! In the order of measures().
[[nodiscard]] const std::vector<RunField>& runFields();
//! nullptr when there is none of that id.
[[nodiscard]] const RunField* findRunField(std::string_view id);
//! Those that intervals hold: by version of the library, and of one version what is not the generator's own health
//! first.
[[nodiscard]] const std::vector<const RunField*>& intervalFields();

} // namespace dyno
