// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! oltp_insert: one single-row INSERT a transaction, always as text, never prepared; or one document.
#include "workload/oltp/oltp.h"

#include "workload/oltp/digits.h"
#include "workload/oltp/documents.h"

#include <fmt/format.h>

#include <span>

namespace dyno::oltp {

namespace {

class InsertInstance final : public OltpInstance
{
public:
    explicit InsertInstance(Binding binding)
        : OltpInstance(std::move(binding), {})
        , m_omitsId(params().autoInc && (documents() || !sql().zeroCounts))
    {
        m_firstInsert = addStatements(std::size_t(params().tables), [this](std::size_t place) {
            using enum Param::Type;
            const int table = int(place) + 1;
            StatementSpec spec;
            if (documents())
                spec = m_omitsId ? documentInsertWithoutId(table) : documentInsert(table, 1);
            else if (m_omitsId)
                spec = {fmt::format("INSERT INTO {} (k, c, pad) VALUES (?, ?, ?)", tableName(table)),
                        {Integer, Text, Text}};
            else
                spec = {fmt::format("INSERT INTO {} (id, k, c, pad) VALUES (?, ?, ?, ?)", tableName(table)),
                        {Integer, Integer, Text, Text}};
            spec.preparable = false;
            return spec;
        });
    }

    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] Growth growth() const override
    {
        const KeyOrder ids = params().autoInc ? KeyOrder::Rising : KeyOrder::Any; // else the clients make them
        return {sizes().row(rowFacts(ids, KeyOrder::Any)), 1};
    }

protected:
    //! Ids that the load would take could meet ids that the clients make.
    [[nodiscard]] bool loadsRows() const override { return params().autoInc; }
    //! The clients make the same ids in each run of the same seed.
    [[nodiscard]] bool freshEachRun() const override { return !params().autoInc; }
    //! Under a secondary index they may be there twice.
    [[nodiscard]] bool keysRepeat() const override { return !params().autoInc && (documents() || !params().secondary); }

private:
    [[nodiscard]] std::int64_t newId(const UserContext& user) const;

    bool m_omitsId; //!< the target assigns an id that is not given; else one that is 0
    StatementId m_firstInsert{};
};

std::int64_t InsertInstance::newId(const UserContext& user) const
{
    if (params().autoInc)
        return 0;
    // One sequence for all users: user u takes the places u, u + users, u + 2·users … A retry takes the same place
    // again. The unsigned values 0…2^32 − 1 become the range of an INTEGER.
    const UniqueSequence sequence(user.seed());
    const auto place = static_cast<std::uint32_t>(user.sequence() * user.everyone() + user.number());
    return std::int64_t(sequence.at(place)) - 2147483648ll;
}

Task<Outcome> InsertInstance::transaction(UserContext& user) const
{
    Random& random = user.random();
    std::array<char, kCLength> c;
    std::array<char, kPadLength> pad;
    std::array<Param, 4> row;
    const int table = drawTable(random);
    row[0] = Param::of(newId(user));
    row[1] = Param::of(ids().draw(random));
    writeDigitGroups(c.data(), kCGroups, random);
    writeDigitGroups(pad.data(), kPadGroups, random);
    row[2] = Param::of(std::string_view(c.data(), c.size()));
    row[3] = Param::of(std::string_view(pad.data(), pad.size()));
    const auto statementId = StatementId(indexOf(m_firstInsert) + std::size_t(table - 1));
    const std::span<const Param> bound = std::span<const Param>(row).subspan(m_omitsId ? 1 : 0);
    const Request request = Request::execute(statementId, bound);
    const Reply reply = co_await user.execute(id(Op::Insert), request);
    co_return reply.outcome;
}

} // namespace

Expected<InstancePtr> makeInsert(std::string_view workload, Binding binding)
{
    if (binding.model == DataModel::Sql && binding.sql.keyIsRowId && binding.params.secondary && binding.params.autoInc)
        return fail({ErrorKind::BadInput, fmt::format("{}: this database assigns ids only to a primary key", workload),
                     "workload.secondary", "set secondary = false, or auto_inc = false"});
    return std::make_shared<const InsertInstance>(std::move(binding));
}

} // namespace dyno::oltp
