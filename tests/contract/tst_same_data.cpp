// SPDX-License-Identifier: GPL-3.0-or-later
// What reaches a server: a workload's rows are the same on SQLite, MariaDB, MySQL and PostgreSQL for one seed, whatever
// way they take, and so are the answers of the analytic queries over them.
#include "contract/small_data.h"
#include "contract/sql_places.h"
#include "load/data/dataset.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QCryptographicHash>
#include <QTest>

#include <algorithm>
#include <charconv>
#include <map>

namespace dyno::tst_same_data {
using namespace dyno::test;

namespace {

//! Products print the same number in different ways, PostgreSQL pads a CHAR with blanks, and has bytes in hexadecimal.
std::string plainField(std::string field)
{
    if (field.starts_with("\\x"))
        field = QByteArray::fromHex(QByteArray::fromStdString(field.substr(2))).toStdString();
    field.resize(field.find_last_not_of(' ') + 1);
    double number = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (field.find('.') == std::string::npos || problem != std::errc() || end != field.data() + field.size())
        return field;
    return QByteArray::number(number, 'g', 9).toStdString();
}

//! Of all rows of a table, in an order that no collation has a say in; "" and a message when it cannot be read.
QByteArray checksum(Admin& admin, const std::string& table)
{
    const auto rows = admin.query("SELECT * FROM " + table);
    if (!rows)
        return QByteArray::fromStdString(rows.error().text());
    std::vector<std::string> lines;
    for (const auto& row : *rows) {
        std::string& line = lines.emplace_back();
        for (const std::string& field : row)
            line += plainField(field) + '|';
    }
    std::ranges::sort(lines);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const std::string& line : lines)
        hash.addData(QByteArray::fromStdString(line + '\n'));
    return QByteArray::number(qsizetype(lines.size())) + " rows " + hash.result().toHex();
}

//! With the parameters in the places of the question marks.
std::string filled(const std::string& text, const std::vector<std::int64_t>& values)
{
    std::string query;
    std::size_t next = 0;
    for (const char c : text)
        query += c == '?' ? std::to_string(values.at(next++)) : std::string(1, c);
    return query;
}

std::string joined(const TextRows& rows)
{
    std::string text;
    for (const auto& row : rows) {
        for (const std::string& field : row)
            text += field + '|';
        text += '\n';
    }
    return text;
}

//! What an analytic query over the ids first … last must give, from rows (id, k, c, pad): 0 the aggregate, 1 groups by
//! the first two digits of c, 2 the join of k with the ids of another table, 3 the first rows by pad, the greatest
//! before the others.
TextRows answer(std::size_t query, const TextRows& rows, const TextRows& others, std::int64_t first, std::int64_t last,
                std::size_t limit)
{
    std::vector<std::int64_t> k;
    std::int64_t sum = 0, length = 0, matches = 0, matchedSum = 0;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> groups;
    std::map<std::int64_t, std::int64_t> byId;
    std::map<std::string, std::vector<std::string>, std::greater<>> byPad;
    for (const auto& row : others)
        byId[std::stoll(row[0])] = std::stoll(row[1]);
    for (const auto& row : rows) {
        if (std::stoll(row[0]) < first || std::stoll(row[0]) > last)
            continue;
        k.push_back(std::stoll(row[1]));
        sum += k.back();
        length += std::int64_t(row[2].size());
        auto& [count, total] = groups[row[2].substr(0, 2)];
        ++count;
        total += k.back();
        if (const auto match = byId.find(k.back()); match != byId.end()) {
            ++matches;
            matchedSum += match->second;
        }
        byPad[row[3]] = {row[0], row[1], row[2]};
    }
    TextRows found;
    if (query == 0) {
        const auto [least, most] = std::ranges::minmax(k);
        const QByteArray average = QByteArray::number(double(length) / double(k.size()), 'g', 9);
        found.push_back({std::to_string(k.size()), std::to_string(sum), std::to_string(least), std::to_string(most),
                         average.toStdString()});
    } else if (query == 1) {
        for (const auto& [start, group] : groups)
            found.push_back({start, std::to_string(group.first), std::to_string(group.second)});
    } else if (query == 2) {
        found.push_back({std::to_string(matches), std::to_string(matchedSum)});
    } else {
        for (const auto& [pad, row] : byPad) {
            if (found.size() < limit)
                found.push_back(row);
        }
    }
    return found;
}

} // namespace

class TstSameData : public QObject
{
    Q_OBJECT

    using Place = SqlPlace;
    SqlPlaces m_places;

    static void load(Place& place, const WorkloadInstance& instance)
    {
        std::vector<std::string> warnings;
        const DatasetJob job{.driver = *driverFor(place.driver),
                             .admin = *place.admin,
                             .target = place.target,
                             .workload = instance,
                             .policy = PreparePolicy::Always,
                             .seed = 11};
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    }

    static std::unique_ptr<TestUser> connected(Place& place, const WorkloadInstance& instance, std::size_t operations)
    {
        auto target = std::make_shared<ConnectTarget>(place.target);
        target->statements = instance.statements();
        target->bulk = instance.bulkInRuns();
        if (!instance.makeReady(
                WorkloadInstance::Use::Run, [] { return true; }, 11))
            return nullptr;
        auto session = driverFor(place.driver)->open(target);
        if (!session)
            return nullptr;
        auto user = std::make_unique<TestUser>(std::move(*session), operations, UserPlace{UserId(0), 1, 11});
        const Reply reply = complete(stepOf(user->context, Request::step(RequestKind::Connect)), user->context);
        return reply.outcome == Outcome::Ok ? std::move(user) : nullptr;
    }

private slots:
    void initTestCase() { DYNO_START_PLACES(m_places, true); }
    void cleanupTestCase() { m_places.stop(); }

    void everyProductTakesPart() { DYNO_TEST_ALL_PLACES(m_places); }

    void sameRows_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("params");
        for (const Workload* workload : builtinWorkloads()) {
            const WorkloadInfo& info = workload->info();
            if (!info.vectors && !workload->operationsOfFile() &&
                std::ranges::find(info.models, DataModel::Sql) != info.models.end())
                QTest::newRow(workload->info().id.c_str()) << QString::fromStdString(workload->info().id) << QString();
        }
        for (const auto& [workload, params] : otherData())
            QTest::addRow("%s, %s", workload, params) << workload << params;
    }
    void sameRows()
    {
        QFETCH(QString, workload);
        QFETCH(QString, params);
        const std::string id = workload.toStdString();
        Settings settings = settingsOf(params);
        settings.merge(smallData(id));
        std::map<std::string, QByteArray> first;
        for (Place& place : m_places.all) {
            const auto instance = test::bind(id, settings, place.driver);
            load(place, *instance);
            if (QTest::currentTestFailed())
                return;
            if (!instance->steps().empty()) { // the first one loads
                const auto user = connected(place, *instance, workloadFor(id)->info().operations.size());
                QVERIFY(user && user->run(*instance, 0) == Outcome::Ok);
            }
            for (const TableSpec& table : instance->tables()) {
                if (table.name.ends_with("_text"))
                    continue; // SQLite's index
                const QByteArray sum = checksum(*place.admin, table.name);
                QVERIFY2(sum.contains(" rows "), sum);
                QVERIFY2(table.rows == 0 || sum.startsWith(QByteArray::number(qlonglong(table.rows)) + " "), sum);
                QCOMPARE(sum + " in " + table.name.c_str(),
                         first.try_emplace(table.name, sum).first->second + " in " + table.name.c_str());
            }
            (void)dropDataset(*place.admin, *instance, 1, true);
        }
    }

    void analyticAnswers_data()
    {
        QTest::addColumn<qlonglong>("first");
        QTest::addColumn<qlonglong>("last");
        QTest::newRow("all rows") << 1ll << 1500ll;
        QTest::newRow("some rows") << 401ll << 900ll;
        QTest::newRow("one row") << 77ll << 77ll;
        QTest::newRow("the end") << 1490ll << 1500ll;
    }
    //! The texts that the workload sends, asked of each product: the answers are those that the rows themselves give,
    //! worked out here from all of them.
    void analyticAnswers()
    {
        QFETCH(qlonglong, first);
        QFETCH(qlonglong, last);
        constexpr std::size_t kLimit = 25;
        const Settings params{
            {"table_size", std::int64_t(1500)}, {"tables", std::int64_t(3)}, {"order_limit", std::int64_t(kLimit)}};
        std::map<std::string, TextRows> answers;
        for (Place& place : m_places.all) {
            const auto instance = test::bind("oltp_analytic", params, place.driver);
            load(place, *instance);
            if (QTest::currentTestFailed())
                return;
            std::map<std::string, TextRows> tables;
            for (const TableSpec& table : instance->tables()) {
                TextRows& rows = tables[table.name];
                rows = place.admin->query("SELECT id, k, c, pad FROM " + table.name).value_or(TextRows());
                for (auto& row : rows)
                    std::ranges::transform(row, row.begin(), plainField);
            }
            const StatementSet statements = instance->statements();
            QCOMPARE(statements.size(), std::size_t(12)); // aggregate, group, join and order of each table
            for (std::size_t i = 0; i < statements.size(); ++i) {
                const std::size_t table = i / 4 + 1;
                const TextRows& rows = tables["sbtest" + std::to_string(table)];
                const TextRows& others = tables["sbtest" + std::to_string(table % 3 + 1)];
                QCOMPARE(rows.size(), std::size_t(1500));
                const TextRows wanted = answer(i % 4, rows, others, first, last, kLimit);
                const std::string text = filled(statements[i].text, {first, last});
                auto found = place.admin->query(text);
                QVERIFY2(found, found ? "" : found.error().text().c_str());
                for (auto& row : *found)
                    std::ranges::transform(row, row.begin(), plainField);
                if (i % 4 == 1) // groups come in any order
                    std::ranges::sort(*found);
                QVERIFY2(*found == wanted,
                         (place.name + ": " + text + "\n" + joined(*found) + "instead of\n" + joined(wanted)).c_str());
                QVERIFY2(*found == answers.try_emplace(text, *found).first->second, (place.name + ": " + text).c_str());
            }
            (void)dropDataset(*place.admin, *instance, 1, true);
        }
    }
};

} // namespace dyno::tst_same_data

DYNO_SUITE(tst_same_data, dyno::tst_same_data::TstSameData)
#include "tst_same_data.moc"
