// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/digest.h"
#include "workload/recorded/statement_language.h"
#include "workload/statement_effect.h"
#include "workload/statement_name.h"

namespace dyno::recorded {

namespace {

template<Quoting quoting>
constexpr StatementLanguage kSql{.model = DataModel::Sql,
                                 .digest = [](std::string_view text) { return digestOf(text, quoting); },
                                 .name = statementName,
                                 .opClass = [](std::string_view digest) { return effectOf(digest).opClass; },
                                 .onlyReads = onlyReads,
                                 .step = statementStep};

} // namespace

const StatementLanguage& backquotedSql()
{
    return kSql<Quoting::BackslashAndBackquote>;
}

const StatementLanguage& standardSql()
{
    return kSql<Quoting::Standard>;
}

} // namespace dyno::recorded
