// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How often a server of the MySQL family has done each kind of statement, as it counts them itself.
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
#include <utility>

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

//! Of all connections since the server was started.
inline Counts statementCounts(Admin& admin)
{
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
