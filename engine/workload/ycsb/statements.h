// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! YCSB in the languages of the three data models. The parameters of a statement stand in the same order in SQL and in
//! documents, so that whoever binds them need not know which it is; a key-value store has whole records only.
#pragma once

#include "driver/kept_rows.h"
#include "workload/ycsb/params.h"

#include <string>
#include <vector>

namespace dyno::ycsb {

class Language
{
public:
    //! `suffix`: of tableSuffix().
    Language(const Params& params, DataModel model, const SqlDialect& sql, std::string suffix);

    [[nodiscard]] DataModel model() const { return m_model; }
    [[nodiscard]] bool keyValue() const { return m_model == DataModel::KeyValue; }
    //! Makes table or collection. It tells the length and form of the records in a remark, because tables of other
    //! records are other tables; so are those that a run leaves larger than the load made them.
    [[nodiscard]] std::string create() const;
    //! The key's, then those of the fields; lower case. Key-value: that of the whole record.
    [[nodiscard]] std::vector<std::string> columns() const;

    //! Reads a record: (key). `field` < 0: all fields. Rows are kept where values are verified.
    [[nodiscard]] StatementSpec read(int field) const;
    //! Reads records in the order of keys: (first key, greatest number of records). Where values are verified each row
    //! has its key.
    [[nodiscard]] StatementSpec scan(int field) const;
    //! Sets one field or all of them: (value …, key). Key-value: the whole record, (key, value).
    [[nodiscard]] StatementSpec update(int field) const;
    //! New records: (key, value …) for each. Key-value: one, (key, value).
    [[nodiscard]] StatementSpec insert(std::int64_t rows) const;
    //! Whether `rows`, which read(field) or scan(field) gave, hold just what deterministicText() makes. `key`: that was
    //! read; empty for a scan, whose rows say theirs.
    [[nodiscard]] bool verified(const KeptRows& rows, std::string_view key, int field) const;

private:
    [[nodiscard]] bool sql() const { return m_model == DataModel::Sql; }
    [[nodiscard]] std::string field(int number) const;
    [[nodiscard]] StatementSpec reading(std::string text, std::vector<Param::Type> types) const;

    std::string m_table, m_suffix, m_remark;
    DataModel m_model;
    int m_fields;
    std::vector<std::string> m_names; //!< of the fields
    std::size_t m_fieldLength;
    std::string m_textType;
    bool m_verifies;
};

} // namespace dyno::ycsb
