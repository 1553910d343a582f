// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/ycsb/ycsb.h"

#include "workload/model.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"
#include "workload/ycsb/ycsb_instance.h"

namespace dyno::ycsb {

namespace {

class YcsbWorkload final : public Workload
{
public:
    YcsbWorkload()
    {
        m_info.id = "ycsb";
        m_info.name = "YCSB";
        m_info.purpose = WorkloadPurpose::Mixed;
        m_info.summary = "Reads, updates, inserts and scans by key: SQL, documents and key-value alike";
        m_info.description =
            "Reads, updates, inserts and scans of records by their keys, in the mixes that cloud stores are "
            "compared by. Runs on SQL, document and key-value databases alike, so that they can be laid side "
            "by side.";
        m_info.source = "YCSB 0.17, CoreWorkload, workloada to workloadf";
        m_info.options = options();
        m_info.operations = {{"read", OpClass::Read},
                             {"update", OpClass::Write},
                             {"insert", OpClass::Write},
                             {"scan", OpClass::Read},
                             {"read_modify_write", OpClass::Write}};
        m_info.models = {DataModel::Sql, DataModel::Document, DataModel::KeyValue};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }
    [[nodiscard]] std::vector<std::string> sections(const Settings& settings) const override
    {
        const auto params = parse(settings);
        return params ? namesOf(opsOf(*params)) : std::vector<std::string>();
    }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const auto params = parse(settings);
        if (!params)
            return tl::unexpected(params.error());
        const DataModel model = modelFor(m_info, driver);
        if (params->dataIntegrity && model == DataModel::KeyValue)
            return wrongParameter("the values of key-value records cannot be verified yet", "dataintegrity",
                                  "use a SQL or document target, or leave dataintegrity out");
        auto suffix = tableSuffix(driver.sql, model, tableKnobs, "KEY (YCSB_KEY)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const YcsbInstance>(*params, Language(*params, model, driver.sql, std::move(*suffix)),
                                                    driver);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const YcsbWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::ycsb
