// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/loading.h"
#include "workload/tpcc/tpcc.h"

#include <algorithm>
#include <cstring>

namespace dyno::tpcc {

namespace {

//! Rows have their own random streams, apart from those of the users (which are numbered from 1).
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 40;
constexpr std::size_t kRowBytes = 1024;       //!< texts of the longest row
constexpr std::int64_t kMaxParameters = 3000; //!< of a statement that loads
constexpr std::string_view kLoaded = "2020-01-01 00:00:00";

//! Texts and numbers of a row, one after the other.
class Row
{
public:
    Row(char* out, const Values& values, Random& random, std::vector<Param>& params)
        : m_out(out)
        , m_values(values)
        , m_random(random)
        , m_params(params)
    {
    }
    void number(std::int64_t value) { m_params.push_back(Param::of(value)); }
    void real(double value) { m_params.push_back(Param::of(value)); }
    void null() { m_params.push_back({}); }
    void constant(std::string_view text) { m_params.push_back(Param::of(text)); }
    void text(std::int64_t least, std::int64_t most) { taken(m_values.text(m_out, m_random, least, most)); }
    void name(std::int64_t number) { taken(Values::lastName(m_out, number)); }
    void digits(int count) { taken(Values::digits(m_out, m_random, count)); }
    void zip()
    {
        char* const end = Values::digits(m_out, m_random, 4);
        std::memcpy(end, "11111", 5);
        taken(end + 5);
    }
    //! 26 to 50 letters, one in ten with "ORIGINAL" somewhere.
    void data(bool original)
    {
        char* const end = m_values.text(m_out, m_random, 26, 50);
        constexpr std::string_view kOriginal = "ORIGINAL";
        if (original && m_random.uniform(1, 10) == 1)
            kOriginal.copy(m_out + m_random.uniform(0, end - m_out - std::int64_t(kOriginal.size())), kOriginal.size());
        taken(end);
    }
    void address()
    {
        for (int i = 0; i < 3; ++i)
            text(10, 20); // two streets and a city
        text(2, 2);
        zip();
    }
    [[nodiscard]] char* end() const { return m_out; }

private:
    void taken(char* end)
    {
        m_params.push_back(Param::of(std::string_view(m_out, std::size_t(end - m_out))));
        m_out = end;
    }
    char* m_out;
    const Values& m_values;
    Random& m_random;
    std::vector<Param>& m_params;
};

} // namespace

std::int64_t TpccInstance::batchOf(Table table) const
{
    // a district's rows are whole batches, if there is such a number
    const bool shared = table == kItem || table == kWarehouse;
    const std::int64_t rows = shared ? rowsOf(table) : rowsOf(table) / (m_params.warehouses * kDistricts);
    const std::int64_t most =
        std::clamp<std::int64_t>(kMaxParameters / std::int64_t(insertSpec(table, 1).parameters.size()), 1, rows);
    for (std::int64_t batch = most; batch > most / 2; --batch) {
        if (rows % batch == 0)
            return batch;
    }
    return most;
}

std::int64_t TpccInstance::rowsOf(Table table) const
{
    const std::int64_t districts = m_params.warehouses * kDistricts;
    switch (table) {
    case kItem:
        return m_params.items;
    case kStock:
        return m_params.warehouses * m_params.items;
    case kWarehouse:
        return m_params.warehouses;
    case kDistrict:
        return districts;
    case kOrderLine:
        return districts * m_lineEnds.back();
    case kNewOrders:
        return districts * (m_params.customers - m_params.delivered());
    case kHistory:
    case kOrders:
    case kCustomer:
        break;
    }
    return districts * m_params.customers;
}

char* TpccInstance::bindParty(char* out, Table table, std::int64_t row, Random& random,
                              std::vector<Param>& params) const
{
    Row fields(out, m_values, random, params);
    const double history = 10 * double(m_params.customers); // paid by a district's customers, see condition 8
    if (table == kDistrict) {
        fields.number((row - 1) % kDistricts + 1);
        fields.number((row - 1) / kDistricts + 1);
    } else {
        fields.number(row);
    }
    fields.text(6, 10);
    fields.address();
    fields.real(double(random.uniform(0, 20)) / 100);
    fields.real(table == kDistrict ? history : history * double(kDistricts));
    if (table == kDistrict)
        fields.number(m_params.customers + 1);
    return fields.end();
}

char* TpccInstance::bindCustomer(char* out, std::int64_t row, Random& random, std::vector<Param>& params) const
{
    Row fields(out, m_values, random, params);
    const std::int64_t number = (row - 1) % m_params.customers + 1, district = (row - 1) / m_params.customers;
    fields.number(number);
    fields.number(district % kDistricts + 1);
    fields.number(district / kDistricts + 1);
    fields.text(8, 16);
    fields.constant("OE");
    fields.name(number <= 1000 ? number - 1 : m_values.loadedName(random));
    fields.address();
    fields.digits(16);
    fields.constant(kLoaded);
    fields.constant(random.uniform(1, 10) == 1 ? "BC" : "GC");
    fields.number(50'000);
    fields.real(double(random.uniform(0, 50)) / 100);
    fields.real(-10);
    fields.real(10);
    fields.number(1);
    fields.number(0);
    fields.text(300, 500);
    return fields.end();
}

char* TpccInstance::bindStock(char* out, std::int64_t row, Random& random, std::vector<Param>& params) const
{
    Row fields(out, m_values, random, params);
    fields.number((row - 1) % m_params.items + 1);
    fields.number((row - 1) / m_params.items + 1);
    fields.number(random.uniform(10, 100));
    for (std::int64_t i = 0; i < kDistricts; ++i)
        fields.text(24, 24);
    fields.real(0);
    fields.number(0);
    fields.number(0);
    fields.data(!m_params.sysbench());
    return fields.end();
}

void TpccInstance::bindOrder(std::int64_t row, std::uint64_t seed, Random& random, std::vector<Param>& params) const
{
    const std::int64_t order = (row - 1) % m_params.customers + 1, district = (row - 1) / m_params.customers;
    const OrderPlan plan(m_params, seed, district);
    for (const std::int64_t value :
         {order, district % kDistricts + 1, district / kDistricts + 1, plan.customerOf(order)})
        params.push_back(Param::of(value));
    params.push_back(Param::of(kLoaded));
    const std::int64_t carrier = random.uniform(1, 10);
    params.push_back(order <= m_params.delivered() ? Param::of(carrier) : Param{});
    params.push_back(Param::of(OrderPlan::linesOf(m_params, order)));
    params.push_back(Param::of(std::int64_t(1)));
}

char* TpccInstance::bindLine(char* out, std::int64_t row, Random& random, std::vector<Param>& params) const
{
    Row fields(out, m_values, random, params);
    const std::int64_t lines = m_lineEnds.back(), line = (row - 1) % lines, district = (row - 1) / lines;
    const auto order = std::ranges::upper_bound(m_lineEnds, line) - m_lineEnds.begin();
    const bool delivered = order <= m_params.delivered();
    fields.number(order);
    fields.number(district % kDistricts + 1);
    fields.number(district / kDistricts + 1);
    fields.number(line - m_lineEnds[std::size_t(order - 1)] + 1);
    fields.number(random.uniform(1, m_params.items));
    fields.number(district / kDistricts + 1);
    if (delivered)
        fields.constant(kLoaded);
    else
        fields.null();
    fields.number(5);
    const double amount = m_values.lineAmount(random);
    fields.real(delivered ? 0 : amount);
    fields.text(24, 24);
    return fields.end();
}

char* TpccInstance::bindRow(char* out, Table table, std::int64_t row, std::uint64_t seed,
                            std::vector<Param>& params) const
{
    Random random = Random::forItem(seed, kRowStreams + std::uint64_t(table), std::uint64_t(row));
    Row fields(out, m_values, random, params);
    switch (table) {
    case kHistory: {
        const std::int64_t district = (row - 1) / m_params.customers, d = district % kDistricts + 1,
                           w = district / kDistricts + 1;
        for (const std::int64_t value : {(row - 1) % m_params.customers + 1, d, w, d, w})
            fields.number(value);
        fields.constant(kLoaded);
        fields.real(10);
        fields.text(12, 24);
        return fields.end();
    }
    case kNewOrders: {
        const std::int64_t each = m_params.customers - m_params.delivered(), district = (row - 1) / each;
        fields.number(m_params.delivered() + (row - 1) % each + 1);
        fields.number(district % kDistricts + 1);
        fields.number(district / kDistricts + 1);
        return fields.end();
    }
    case kOrderLine:
        return bindLine(out, row, random, params);
    case kOrders:
        bindOrder(row, seed, random, params);
        return out;
    case kCustomer:
        return bindCustomer(out, row, random, params);
    case kStock:
        return bindStock(out, row, random, params);
    case kItem:
        fields.number(row);
        fields.number(random.uniform(1, 10'000));
        fields.text(14, 24);
        fields.real(m_values.price(random));
        fields.data(!m_params.sysbench());
        return fields.end();
    case kDistrict:
    case kWarehouse:
        break;
    }
    return bindParty(out, table, row, random, params);
}

Task<Outcome> TpccInstance::load(UserContext& user, LoadSlice slice) const
{
    const auto table = Table(slice.table - 1);
    const std::size_t one = m_statements.size() + 2 * std::size_t(table);
    const RowInserts inserts{StatementId(one), StatementId(one + 1), batchOf(table)};
    const auto bind = [this, &user, table](std::int64_t row, std::int64_t count) {
        std::string& texts = user.buffer();
        texts.resize(std::max(texts.size(), std::size_t(count) * kRowBytes));
        char* out = texts.data();
        for (std::int64_t i = 0; i < count; ++i)
            out = bindRow(out, table, row + i, user.seed(), user.params());
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

} // namespace dyno::tpcc
