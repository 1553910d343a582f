// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How often a server of the MySQL family, or a PostgreSQL with pg_stat_statements, has done each kind of statement, as
//! it counts them itself.
#pragma once

#include "driver/driver.h"

#include <QMetaType>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno::test {

enum Kind : std::size_t {
    Begin,
    Commit,
    Rollback,
    Select,
    Insert,
    Update,
    Delete,
    Alter,
    CreateTable,
    CreateIndex,
    Load
};
constexpr std::array<const char*, 11> kVariables{
    "Com_begin",  "Com_commit",      "Com_rollback",     "Com_select",       "Com_insert", "Com_update",
    "Com_delete", "Com_alter_table", "Com_create_table", "Com_create_index", "Com_load"};

//! How often a server has done each kind of statement.
struct Counts
{
    std::array<std::int64_t, kVariables.size()> of{};
    Counts() = default;
    Counts(std::initializer_list<std::pair<Kind, std::int64_t>> counts)
    {
        for (const auto& [kind, count] : counts)
            of[kind] = count;
    }
    std::int64_t operator[](Kind kind) const { return of[kind]; }
    Counts& operator+=(const Counts& more)
    {
        for (std::size_t i = 0; i < of.size(); ++i)
            of[i] += more.of[i];
        return *this;
    }
    friend Counts operator-(Counts after, const Counts& before)
    {
        for (std::size_t i = 0; i < after.of.size(); ++i)
            after.of[i] -= before.of[i];
        return after;
    }
    //! "begin 1, select 14": those that are not 0.
    [[nodiscard]] QString text() const
    {
        QStringList parts;
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (of[i] != 0)
                parts << QString("%1 %2").arg(kVariables[i] + 4).arg(of[i]);
        }
        return parts.isEmpty() ? "none" : parts.join(", ");
    }
};

//! Between BEGIN and COMMIT.
inline Counts framed(const Counts& inside)
{
    Counts all{{Begin, 1}, {Commit, 1}};
    all += inside;
    return all;
}

//! What a PostgreSQL is started with so that it counts; then the extension is made in the database.
inline const std::vector<std::string>& countingSettings()
{
    static const std::vector<std::string> all{"shared_preload_libraries=pg_stat_statements",
                                              "pg_stat_statements.max=20000"};
    return all;
}

//! PostgreSQL reads all the texts that it knows for each answer: those of other tests take time.
inline void forgetStatements(Admin& admin, std::string_view driver)
{
    if (driver == "postgresql")
        (void)admin.query("SELECT pg_stat_statements_reset()");
}

//! By the words that they begin with.
inline Counts countsOfPostgresql(Admin& admin)
{
    static const std::array<std::string, kVariables.size()> kWords{
        "BEGIN",  "COMMIT",      "ROLLBACK",     "SELECT",       "INSERT", "UPDATE",
        "DELETE", "ALTER TABLE", "CREATE TABLE", "CREATE INDEX", "COPY"};
    const auto rows =
        admin.query("SELECT upper(substring(query FROM '^\\s*(\\w+(?:\\s+(?:TABLE|INDEX))?)')), SUM(calls) FROM "
                    "pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY 1");
    if (!rows)
        throw std::runtime_error(rows.error().text());
    Counts counts;
    for (const auto& row : *rows) {
        if (const auto word = std::ranges::find(kWords, row.front()); word != kWords.end())
            counts.of.at(std::size_t(word - kWords.begin())) = std::stoll(row.back());
    }
    return counts;
}

//! Of all connections since the server was started.
inline Counts statementCounts(Admin& admin, std::string_view driver)
{
    if (driver == "postgresql")
        return countsOfPostgresql(admin);
    std::string names;
    for (const char* variable : kVariables)
        names += (names.empty() ? "'" : ", '") + std::string(variable) + "'";
    const auto rows = admin.query("SHOW GLOBAL STATUS WHERE Variable_name IN (" + names + ")");
    if (!rows || rows->size() != kVariables.size())
        throw std::runtime_error("the server does not say what it counts");
    Counts counts;
    for (const auto& row : *rows)
        counts.of.at(std::size_t(std::ranges::find(kVariables, row.front()) - kVariables.begin())) =
            std::stoll(row.back());
    return counts;
}

} // namespace dyno::test

Q_DECLARE_METATYPE(dyno::test::Counts)
