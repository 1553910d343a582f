// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A workload like TPC-C (facts from the TPC-C specification 5.11, Percona-Lab/sysbench-tpcc and tpcc-mysql): nine
//! tables, five transactions of an order-entry business, and a sixth that only one profile has. Results are no TPC-C
//! results and must not be called so.
//!
//! A transaction of the workload is one of these, counted and timed as one operation of its kind; the statements that
//! it is made of are not counted apart. One new order in a hundred names an item that does not exist and is rolled
//! back: that is counted as a rollback, not as an error.
//!
//! Profiles: dynobench does what the specification says, with the mix 45, 43, 4, 4, 4 % and a home warehouse for each
//! user; keying and think times, which it asks for, are off unless wanted (Params::keying). sysbench-tpcc and
//! tpcc-mysql do what those programs really do, see Profile. Consistency conditions 1 to 5, 7 to 10 and 12 of the
//! specification: checks().
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"

#include <array>
#include <optional>
#include <span>

namespace dyno::tpcc {

enum class Kind : std::uint8_t { NewOrder, Payment, OrderStatus, Delivery, StockLevel, Purge };
constexpr std::size_t kKinds = std::size_t(Kind::Purge) + 1;

//! What two programs do otherwise than the specification:
//! - both: 10:10:1:1:1 of the kinds, a warehouse drawn for each transaction, NURand's constant drawn at each call, a
//! stock that gets
//!   91 only when its quantity is used up and of which only the quantity changes, a line's amount with taxes and
//!   discount, a count before customers are read by name, no second read of a status's customer, and an order that is
//!   not all local when a line was meant for another warehouse and there is none.
//! - sysbench-tpcc (tpcc_run.lua of the version with `splittable`): no line and no payment is of another warehouse; a
//! status reads
//!   all orders of the customer and lists the lines of the order whose number is that of the district; the item that
//!   does not exist is the last but one; a payment reads what the customer has paid and writes sums that it made
//!   itself, without the number of payments; amounts of payments and new lines are whole, prices and the lines of the
//!   load are real numbers (as cents: what its columns keep); texts are one letter repeated; the customers of the
//!   orders are in the same order in each load; an order that is rolled back is an error; and there are foreign keys,
//!   but in SQLite. Its stock level is the specification's join. Purge (Params::purge, its enable_purge): one more of
//!   24 cards. Not here: `tables`, several sets of the nine tables whose names end in a number; and splittable. It
//!   sends text, which is a setting of the connection (protocol).
//! - tpcc-mysql: kinds are dealt from a shuffled deck of 23, so that each 23 transactions have the mix exactly. Its
//! connections deal
//!   from one deck, without a lock; here each user has its own, and the arrivals of an open loop have one. A new order
//!   reads all ten texts of a stock; its lines are sorted by supplying warehouse and item, so that orders lock stocks
//!   in one sequence; a status finds the greatest order by a subquery, by name that of a customer whose number is
//!   drawn. A delivery is a transaction for each district, which finds the oldest new order by MIN and without a lock:
//!   two deliveries that meet credit an order twice, so that conditions 10 and 12 do not hold and are not checked. A
//!   stock level asks for the stock of each item by itself. Not as there: a payment is added to the paid sum and to
//!   c_data too, where the program adds it to the balance alone.
//! Params::sortedLines, Params::deliversByDistrict and Params::listsItems can be chosen for each profile.
enum class Profile : std::uint8_t { Dynobench, SysbenchTpcc, TpccMysql };

constexpr std::int64_t kDistricts = 10; //!< of a warehouse

//! Clause 5.2.5.7: seconds of keying, which are constant, and the means of thinking, of each kind. With the mix 45, 43,
//! 4, 4, 4 % a user's new orders are then 46.7 s apart at best: ten users of a warehouse do 12.86 a minute.
constexpr std::array<double, kKinds> kKeyingSeconds{18, 3, 2, 2, 2, 0};
constexpr std::array<double, kKinds> kThinkSeconds{12, 12, 10, 5, 5, 0};

struct Params
{
    std::int64_t warehouses = 1;
    std::int64_t customers = 3000; //!< of a district, and orders that the load makes in it
    std::int64_t items = 100'000;
    Profile profile = Profile::Dynobench;
    bool homeWarehouse = true;
    bool foreignKeys = false;
    bool foreignKeysByProfile = true; //!< foreign_keys = default: bind() decides
    bool purge = false;               //!< sysbench-tpcc's enable_purge
    bool sortedLines = false;         //!< of a new order, by supplying warehouse and item
    bool deliversByDistrict = false;  //!< a transaction each, without a lock on the oldest new order
    bool listsItems = false;          //!< a stock level lists distinct items and counts each; else it is one join
    bool historyKey = false;          //!< history has a number of its own, as replication of some kinds needs
    double keying = 0, thinking = 0;  //!< share of the specification's times, 0 … 1; 0: none
    [[nodiscard]] constexpr bool compat() const { return profile != Profile::Dynobench; }
    [[nodiscard]] bool sysbench() const { return profile == Profile::SysbenchTpcc; }
    [[nodiscard]] bool tpccMysql() const { return profile == Profile::TpccMysql; }
    //! Of the other programs' mix: ten, ten, one, one and one of the kinds, and one purge.
    [[nodiscard]] std::int64_t cards() const { return purge ? 24 : 23; }
    //! Orders up to this one are delivered by the load.
    [[nodiscard]] std::int64_t delivered() const { return customers - customers * 3 / 10; }
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Expected<Params> parse(const Settings& settings);

//! Tables in the order in which they may be dropped: those that refer to others come first.
enum Table : std::uint8_t {
    kHistory,
    kNewOrders,
    kOrderLine,
    kOrders,
    kCustomer,
    kDistrict,
    kStock,
    kItem,
    kWarehouse
};
constexpr std::size_t kTables = std::size_t(kWarehouse) + 1;

//! In the order of the StatementSet.
enum Statement : std::uint32_t {
    kCustomerTax,
    kDistrictNext,
    kDistrictCount,
    kAddOrder,
    kAddNewOrder,
    kItemPrice,
    kStockChange,
    kAddLine,
    kWarehousePay,
    kWarehouseAddress,
    kDistrictPay,
    kDistrictAddress,
    kCustomersByName,
    kCustomerForPayment,
    kCustomerData,
    kCustomerPay,
    kCustomerPayData,
    kAddHistory,
    kCustomerStatus,
    kLastOrder,
    kOrderLines,
    kOldestNewOrder,
    kDeleteNewOrder,
    kOrderCustomer,
    kOrderCarrier,
    kLinesDelivered,
    kLinesAmount,
    kCustomerDelivered,
    kDistrictOrders,
    kLowStock,
    kStockOfDistrict,                             //!< one for each district
    kCountByName = kStockOfDistrict + kDistricts, //!< from here on of the other programs' profiles
    kStatusByName,
    kRecentItems,
    kLowStockOf, //!< with Params::listsItems, see listStatement()
    kPurgeBefore = kRecentItems,
    kPurgeOrder,
    kPurgeLines,
    kPurgeOrders,
    kPurgeHistory, //!< sysbench-tpcc's, with Params::purge, see purgeStatement()
};
//! Where kRecentItems and kLowStockOf stand: our own profile has no list of customers before them.
[[nodiscard]] constexpr std::uint32_t listStatement(const Params& params, Statement statement)
{
    return statement - (params.compat() ? 0 : kRecentItems - kCountByName);
}
//! Where those of a purge stand: after the two of a list of items, if there is one.
[[nodiscard]] constexpr std::uint32_t purgeStatement(const Params& params, Statement statement)
{
    return statement + (params.listsItems ? kLowStockOf - kRecentItems + 1 : 0);
}

[[nodiscard]] std::array<TableSpec, kTables> tableSpecs(const Params& params, const SqlDialect& sql,
                                                        const std::string& suffix);
[[nodiscard]] StatementSpec insertSpec(Table table, std::int64_t rows); //!< all columns
//! `order`: how its rows come; as the load has them where it is left out.
[[nodiscard]] RowFacts rowFacts(Table table, const Params& params, std::optional<KeyOrder> order = {});
[[nodiscard]] StatementSet requestStatements(const Params& params, const SqlDialect& sql);

//! Random values as the specification defines them.
class Values
{
public:
    explicit Values(const Params& params);
    //! Customer, item and name numbers. Names have a constant for the load and one for the run, 100 apart (2.1.6.1).
    [[nodiscard]] std::int64_t customer(Random& random) const
    {
        return nonUniform(random, 1023, 1, m_params.customers, kCustomer);
    }
    [[nodiscard]] std::int64_t item(Random& random) const { return nonUniform(random, 8191, 1, m_params.items, kItem); }
    [[nodiscard]] std::int64_t name(Random& random) const { return nameWith(kRunName, random); }
    [[nodiscard]] std::int64_t loadedName(Random& random) const { return nameWith(kLoadName, random); }
    [[nodiscard]] std::int64_t otherWarehouse(Random& random, std::int64_t than) const;
    //! `least` to `most` letters and digits; returns the end. In sysbench-tpcc's profile one letter.
    char* text(char* out, Random& random, std::int64_t least, std::int64_t most) const;
    static char* digits(char* out, Random& random, int count);
    //! Three syllables for a number below 1000; returns the end, 15 letters at most.
    static char* lastName(char* out, std::int64_t number);
    //! Hundredths as a number with two decimals; in sysbench-tpcc's profile whole.
    [[nodiscard]] double money(Random& random, std::int64_t least, std::int64_t most) const;
    //! Of an item and of a line as the load makes them: sysbench-tpcc draws real numbers, which its columns round.
    [[nodiscard]] double price(Random& random) const;
    [[nodiscard]] double lineAmount(Random& random) const;

private:
    static constexpr std::int64_t kLoadName = 123, kRunName = 223;
    static_assert(kRunName - kLoadName >= 65 && kRunName - kLoadName <= 119 && kRunName - kLoadName != 96 &&
                  kRunName - kLoadName != 112);
    static constexpr std::int64_t kCustomer = 389, kItem = 5113;
    [[nodiscard]] std::int64_t nameWith(std::int64_t constant, Random& random) const;
    //! NURand(a, x, y); the profiles of other programs draw their constant at each call.
    [[nodiscard]] std::int64_t nonUniform(Random& random, std::int64_t a, std::int64_t x, std::int64_t y,
                                          std::int64_t constant) const;
    Params m_params;
};

//! The lines of a district's orders as the load makes them.
class OrderPlan
{
public:
    OrderPlan(const Params& params, std::uint64_t seed, std::int64_t district);
    [[nodiscard]] std::int64_t customerOf(std::int64_t order) const; //!< 1 … customers, each once
    //! 5 to 15, for the same order the same in each district.
    [[nodiscard]] static std::int64_t linesOf(const Params& params, std::int64_t order);

private:
    std::int64_t m_customers;
    std::uint64_t m_key;
};

class TpccInstance final : public WorkloadInstance
{
public:
    TpccInstance(const Params& params, const DriverInfo& driver, const std::string& suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override;
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] std::vector<std::string> loaderSessionSetup() const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] bool paces() const override { return m_params.keying > 0 || m_params.thinking > 0; }
    [[nodiscard]] Pauses pauses(UserContext& user) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    [[nodiscard]] Growth growth() const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override;

private:
    //! What a transaction is about, and what came of it; lives in transaction()'s frame.
    struct Work
    {
        std::int64_t warehouse = 1, district = 1;
        std::int64_t affected = 0;
        bool rolledBack = false;
        bool delivered = false; //!< set when the district had a new order
        std::array<char, 20> now;
        std::string_view time;
    };
    //! What a new order's line needs.
    struct Line
    {
        std::int64_t number = 1, item = 0, supplier = 1, quantity = 1, order = 0;
        double charge = 1;    //!< of the price: tax and discount, in the other programs' profiles
        bool missing = false; //!< set when there is no such item
    };
    struct Customer
    {
        std::int64_t warehouse = 1, district = 1, id = 0;
        bool byName = false; //!< set when it was found so
    };
    [[nodiscard]] Kind drawKind(UserContext& user) const;
    //! Draws items and quantities, and puts the lines in the order in which they are written.
    void drawLines(Random& random, std::span<Line> lines, bool rollsBack) const;
    [[nodiscard]] Task<Outcome> newOrder(UserContext& user, Work& work) const;
    [[nodiscard]] Task<Outcome> orderLine(UserContext& user, Work& work, Line& line) const;
    [[nodiscard]] Task<Outcome> payment(UserContext& user, Work& work) const;
    [[nodiscard]] Task<Outcome> payCustomer(UserContext& user, Work& work, Customer customer, double amount) const;
    [[nodiscard]] Task<Outcome> orderStatus(UserContext& user, Work& work) const;
    [[nodiscard]] Task<Outcome> delivery(UserContext& user, Work& work) const;
    [[nodiscard]] Task<Outcome> deliver(UserContext& user, Work& work, std::int64_t district,
                                        std::int64_t carrier) const;
    [[nodiscard]] Task<Outcome> nextTransaction(UserContext& user, Work& work) const; //!< commits and begins
    [[nodiscard]] Task<Outcome> stockLevel(UserContext& user, Work& work) const;
    //! By last name 60 %, by number 40 %; for a status or a payment.
    [[nodiscard]] Task<Outcome> findCustomer(UserContext& user, Customer& customer, bool status) const;
    [[nodiscard]] Task<Outcome> purge(UserContext& user, Work& work) const;
    [[nodiscard]] Task<Outcome> purgeOne(UserContext& user, Work& work) const;
    [[nodiscard]] Task<Outcome> stockOfEach(UserContext& user, const Work& work, std::int64_t next,
                                            std::int64_t threshold) const;
    char* bindRow(char* out, Table table, std::int64_t row, std::uint64_t seed, std::vector<Param>& params) const;
    char* bindParty(char* out, Table table, std::int64_t row, Random& random, std::vector<Param>& params) const;
    char* bindCustomer(char* out, std::int64_t row, Random& random, std::vector<Param>& params) const;
    char* bindStock(char* out, std::int64_t row, Random& random, std::vector<Param>& params) const;
    void bindOrder(std::int64_t row, std::uint64_t seed, Random& random, std::vector<Param>& params) const;
    char* bindLine(char* out, std::int64_t row, Random& random, std::vector<Param>& params) const;
    [[nodiscard]] std::int64_t rowsOf(Table table) const;
    [[nodiscard]] std::int64_t batchOf(Table table) const; //!< rows of an INSERT of the load

    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    Values m_values;
    std::array<TableSpec, kTables> m_tables;
    std::vector<std::int64_t> m_lineEnds; //!< lines of a district's orders up to each one
    StatementSet m_statements;
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::tpcc
