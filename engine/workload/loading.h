// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a workload's load() sends the rows of a slice as INSERT statements.
#pragma once

#include "workload/workload.h"

#include <fmt/format.h>

namespace dyno {

//! After the load of a table whose rows come with numbers: its key, which counts by itself, goes on after them.
inline void countOn(TableSpec& table, const SqlDialect& sql, std::string_view column)
{
    if (!sql.countOn.empty())
        table.afterLoad.push_back(
            fmt::format(fmt::runtime(sql.countOn), fmt::arg("table", table.name), fmt::arg("column", column)));
}

//! Two statements of WorkloadInstance::loaderStatements() that insert into one table.
struct RowInserts
{
    StatementId one{};        //!< of one row
    StatementId many{};       //!< of `batch` rows
    std::int64_t batch = 1;   //!< rows of `many`; 1: only `one` is used
    bool transactions = true; //!< a slice of several statements is one; false: the database has none
};

//! Loads the slice's rows, all or none where there are transactions: as many whole batches as fit, then one by one.
//! `bind(row, count)` puts the parameters of `count` rows from number `row` on into user.params(), which is empty;
//! texts that they refer to must last until the next call.
template<class Bind>
[[nodiscard]] Task<Outcome> loadRows(UserContext& user, LoadSlice slice, RowInserts inserts, Bind bind)
{
    const bool transaction =
        inserts.transactions && slice.lastRow > slice.firstRow && slice.lastRow - slice.firstRow + 1 != inserts.batch;
    if (transaction) {
        const Request begin = Request::step(RequestKind::Begin);
        const Reply begun = co_await user.step(begin);
        if (begun.outcome != Outcome::Ok)
            co_return begun.outcome;
    }
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        const bool whole = inserts.batch > 1 && slice.lastRow - row + 1 >= inserts.batch;
        const std::int64_t count = whole ? inserts.batch : 1;
        user.params().clear();
        bind(row, count);
        const Request insert = Request::execute(whole ? inserts.many : inserts.one, user.params());
        const Reply reply = co_await user.step(insert);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        row += count;
    }
    if (!transaction)
        co_return Outcome::Ok;
    const Request commit = Request::step(RequestKind::Commit);
    const Reply committed = co_await user.step(commit);
    co_return committed.outcome;
}

} // namespace dyno
