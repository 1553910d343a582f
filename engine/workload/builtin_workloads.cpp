// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/brokerage/brokerage.h"
#include "workload/columntypes/column_types.h"
#include "workload/fulltext/fulltext.h"
#include "workload/iibench/iibench.h"
#include "workload/largevalues/large_values.h"
#include "workload/linkbench/linkbench.h"
#include "workload/lua/lua_workload.h"
#include "workload/oltp/oltp.h"
#include "workload/randomtransaction/random_transaction.h"
#include "workload/recorded/recorded_workload.h"
#include "workload/script/script_workload.h"
#include "workload/sensordata/sensordata.h"
#include "workload/tpcb/tpcb.h"
#include "workload/tpcc/tpcc.h"
#include "workload/vectors/vector_search.h"
#include "workload/workload.h"
#include "workload/ycsb/ycsb.h"

#include <dyno/catalog.h>
#include <dyno/operation_reads.h>

#include <algorithm>

namespace dyno {

const std::vector<const Workload*>& builtinWorkloads()
{
    static const std::vector<const Workload*> list = [] {
        std::vector<const Workload*> all;
        for (const auto& family :
             {oltp::workloads(), ycsb::workloads(), iibench::workloads(), linkbench::workloads(), tpcc::workloads(),
              tpcb::workloads(), script::workloads(), recorded::workloads(), lua::workloads(),
              randomtransaction::workloads(), fulltext::workloads(), largevalues::workloads(), sensordata::workloads(),
              brokerage::workloads(), columntypes::workloads(), vectors::workloads()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    return list;
}

const Workload* workloadFor(std::string_view id)
{
    for (const Workload* workload : builtinWorkloads()) {
        if (workload->info().id == id)
            return workload;
    }
    return nullptr;
}

std::vector<OperationReads> operationReads(std::string_view workload, std::string_view driver, const Settings& params)
{
    const auto& exact = columntypes::workloads();
    const bool known =
        std::ranges::any_of(exact, [workload](const Workload* one) { return one->info().id == workload; });
    const DriverInfo* info = findDriver(driver);
    return known ? columntypes::readsOf(params, info && info->appendsOnly) : std::vector<OperationReads>();
}

} // namespace dyno
