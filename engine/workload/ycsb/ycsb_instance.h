// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"
#include "workload/ycsb/insert_counter.h"
#include "workload/ycsb/key.h"
#include "workload/ycsb/key_chooser.h"
#include "workload/ycsb/statements.h"

#include <optional>

namespace dyno::ycsb {

class YcsbInstance final : public WorkloadInstance
{
public:
    YcsbInstance(const Params& params, Language language, const DriverInfo& driver);

    [[nodiscard]] std::vector<TableSpec> tables() const override;
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] std::vector<std::string> sections() const override { return namesOf(m_ops); }
    [[nodiscard]] StatementSet loaderStatements() const override;
    //! Bulk requests of at most 2 MiB, statements of many records, or prepared ones of one record in a transaction, as
    //! the target likes it.
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;

private:
    //! What a transaction asks for, and what its requests point to; lives in the coroutine's frame. Parameters and
    //! values are in the user's own buffers.
    struct Work
    {
        KeyText key;
        int field = -1; //!< that the first request reads; −1 = all
        Request first, second;
        std::size_t requests = 1;
        std::int64_t inserted = -1; //!< number to acknowledge
    };
    //! True when the rows of the last request, a read or scan, may be used.
    [[nodiscard]] bool verified(Op op, const Work& work, const UserContext& user) const;
    void plan(Op op, UserContext& user, Work& work) const;
    void planWrite(Op op, std::string_view key, UserContext& user, Work& work) const;
    [[nodiscard]] Op drawOp(UserContext& user) const;
    [[nodiscard]] std::int64_t drawLength(Random& random) const;
    [[nodiscard]] std::int64_t drawScanLength(Random& random) const;
    //! The statement of a kind for one field, or for all (−1).
    [[nodiscard]] StatementId statement(Op op, int field) const;
    //! A field to read or write; −1 where the statements of `op` are about all of them.
    [[nodiscard]] int drawField(Op op, Random& random) const;
    [[nodiscard]] bool wholeRecords(Op op) const;

    //! Writes the value of a field of the record with this key; returns its end.
    char* writeField(char* out, std::string_view key, int field, Random& random) const;
    //! Appends the values of all fields, or of one, to `params`; their characters go to `out`, whose new end is
    //! returned.
    char* bindFields(char* out, std::string_view key, int field, Random& random, std::vector<Param>& params) const;
    //! A whole record as one value of a key-value store.
    char* writeRecord(char* out, Random& random) const;
    [[nodiscard]] std::size_t recordBytes() const; //!< at most, without the key
    [[nodiscard]] Random rowRandom(std::uint64_t seed, std::int64_t number) const;
    [[nodiscard]] std::int64_t rowsPerStatement() const;
    [[nodiscard]] std::int64_t rowsPerBulk() const;
    [[nodiscard]] Task<Outcome> loadBulk(UserContext& user, LoadSlice slice) const;
    [[nodiscard]] Task<Outcome> loadRows(UserContext& user, std::int64_t first, std::int64_t rows,
                                         StatementId statement) const;

    Params m_params;
    Language m_language;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    std::vector<Op> m_ops; //!< the sections
    KeyChooser m_keys;
    Zipf m_lengths; //!< of fields and scans that are zipfian
    Zipf::Items m_fieldItems, m_scanItems;
    std::vector<std::string> m_fieldHeads; //!< key-value: what stands before each field of a record, its name
    StatementSet m_statements;
    std::array<std::uint32_t, kOps> m_first{};
    mutable std::optional<InsertCounter> m_inserts; //!< where there are any; shared by all users of the run
};

} // namespace dyno::ycsb
