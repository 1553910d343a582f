// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! YCSB in the languages of the three data models. The parameters of a statement stand in the same order in SQL and in
//! documents, so that whoever binds them need not know which it is; a key-value store has whole records only.
#pragma once

#include "driver/request.h"
#include "workload/ycsb/params.h"

#include <string>
#include <vector>

namespace dyno::ycsb {

class Language
{
public:
    //! `suffix`: of tableSuffix().
    Language(const Params& params, DataModel model, std::string suffix);

    [[nodiscard]] DataModel model() const { return m_model; }
    [[nodiscard]] bool keyValue() const { return m_model == DataModel::KeyValue; }
    //! Makes table or collection. It tells the length and form of the records in a remark, because tables of other
    //! records are other tables; so are those that a run leaves larger than the load made them.
    [[nodiscard]] std::string create() const;
    //! The key's, then those of the fields; lower case.
    [[nodiscard]] std::vector<std::string> columns() const;

    //! Reads a record: (key). `field` < 0: all fields.
    [[nodiscard]] StatementSpec read(int field) const;
    //! Reads records in the order of keys: (first key, greatest number of records).
    [[nodiscard]] StatementSpec scan(int field) const;
    //! Sets one field or all of them: (value …, key). Key-value: the whole record, (key, value).
    [[nodiscard]] StatementSpec update(int field) const;
    //! New records: (key, value …) for each. Key-value: one, (key, value).
    [[nodiscard]] StatementSpec insert(std::int64_t rows) const;

private:
    [[nodiscard]] bool sql() const { return m_model == DataModel::Sql; }
    [[nodiscard]] std::string field(int number) const;

    std::string m_table, m_suffix, m_remark;
    DataModel m_model;
    int m_fields;
    bool m_longFields;
};

} // namespace dyno::ycsb
