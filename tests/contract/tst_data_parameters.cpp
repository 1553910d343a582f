// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter that is not said to affect data (OptionSpec::affectsData) does not: whatever its value, tables, their
// rows and the key that tells data apart are the same. Else a run would use rows that were made for another one, and
// its note would not tell.
#include "contract/small_data.h"
#include "plan/plan_order.h"
#include "support/long_form.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QCryptographicHash>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

namespace dyno::tst_data_parameters {
using namespace dyno::test;

namespace {

using Instance = std::shared_ptr<const WorkloadInstance>;

//! A few of its values besides the default; of a text without choices they are unknown here, but for errors' numbers.
std::vector<Value> valuesOf(const OptionSpec& option)
{
    std::vector<Value> values;
    if (std::holds_alternative<bool>(option.defaultValue)) {
        values = {Value(false), Value(true)};
    } else if (std::holds_alternative<std::string>(option.defaultValue)) {
        for (const std::string& choice : option.choices)
            values.emplace_back(choice);
        if (option.name == "ignore_errors")
            values.emplace_back(std::string("1213"));
    } else {
        const bool whole = std::holds_alternative<std::int64_t>(option.defaultValue);
        const double standard =
            whole ? double(std::get<std::int64_t>(option.defaultValue)) : std::get<double>(option.defaultValue);
        const double least = option.minimum.value_or(0), most = option.maximum.value_or(2 * standard + 3);
        for (const double one : {least, std::min(most, 2 * standard + 3), std::min(most, standard / 2 + 1)}) {
            if (one < least)
                continue;
            values.push_back(whole ? Value(std::int64_t(one)) : Value(one));
        }
    }
    return values;
}

//! A workload's parameters with which the load takes a moment.
Settings fewRows(const WorkloadInfo& info)
{
    Settings few = smallData(info.id);
    for (const auto& [name, rows] : {std::pair("table_size", 60),
                                     {"recordcount", 40},
                                     {"initial_rows", 70},
                                     {"documents", 30},
                                     {"nodes", 60},
                                     {"rows", 30},
                                     {"vectors", 30},
                                     {"accounts_per_branch", 50}}) {
        const bool known =
            std::ranges::any_of(info.options, [&](const OptionSpec& option) { return option.name == name; });
        if (known)
            few[name] = std::int64_t(rows);
    }
    return few;
}

//! Tables, what is done to them, and the rows as the load sends them.
std::string dataOf(const Workload& workload, const Instance& instance)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](std::string text) {
        if (const std::size_t grows = text.find("; grows"); grows != std::string::npos)
            text.erase(grows, 7); // of ycsb's table: it tells that runs insert, and the rows of the load are the same
        hash.addData(QByteArray::fromStdString(text + '\n'));
    };
    const StatementSet statements = instance->loaderStatements();
    int number = 0;
    for (const TableSpec& table : instance->tablesFor(2)) {
        ++number;
        add(table.name + ' ' + table.create + ' ' + std::to_string(table.rows));
        for (const std::vector<std::string>* commands : {&table.afterCreate, &table.afterLoad, &table.afterAll}) {
            for (const std::string& command : *commands)
                add(command);
        }
        TestUser user(std::make_unique<RecordingSession>(), workload.info().operations.size(), {UserId(0), 1, 5});
        if (table.rows > 0 &&
            complete(instance->load(user.context, {number, 1, table.rows}), user.context) != Outcome::Ok)
            add("failed");
        for (const Recorded& request : static_cast<RecordingSession*>(user.session.get())->requests) {
            add(request.text + request.value);
            if (request.kind != RequestKind::Execute)
                continue;
            add(statements.at(request.statement).text);
            for (std::size_t i = 0; i < request.params.size(); ++i) {
                const Param& one = request.params[i];
                add(one.type == Param::Type::Text      ? request.texts.at(i)
                    : one.type == Param::Type::Integer ? std::to_string(one.integer)
                    : one.type == Param::Type::Real    ? QByteArray::number(one.real, 'g', 17).toStdString()
                                                       : "null");
            }
        }
    }
    return hash.result().toHex().toStdString();
}

} // namespace

class TstDataParameters : public QObject
{
    Q_OBJECT
private slots:
    void otherParametersLeaveDataAlone_data()
    {
        QTest::addColumn<QString>("workload");
        for (const Workload* workload : builtinWorkloads())
            QTest::newRow(workload->info().id.c_str()) << QString::fromStdString(workload->info().id);
    }
    //! Each value of each such parameter, with each value of each parameter that chooses data beside it. Two things are
    //! so on purpose: sysbench's k is drawn by the distribution that the load is told, before the row's texts, and as
    //! with sysbench its tables serve all; and the key of ycsb's data says whether runs insert. In the short form each
    //! value is tried with the defaults, and one value with each other choice.
    void otherParametersLeaveDataAlone()
    {
        QFETCH(QString, workload);
        const Workload& tested = *workloadFor(workload.toStdString());
        const WorkloadInfo& info = tested.info();
        std::vector<Settings> bases{fewRows(info)};
        for (const OptionSpec& option : info.options) {
            const bool chooses = std::holds_alternative<bool>(option.defaultValue) ||
                                 (!option.choices.empty() && option.name != "storage_engine");
            for (const Value& value : chooses ? valuesOf(option) : std::vector<Value>()) {
                bases.push_back(fewRows(info));
                bases.back()[option.name] = value;
            }
        }
        std::map<std::string, int> compared; // per option, with a value that it does not have without being set
        std::set<std::string> wrong;
        for (const char* driver : {"null", "sqlite"}) {
            const auto bound = [&](const Settings& params) {
                try {
                    return test::bind(info.id, params, driver);
                } catch (const std::runtime_error&) {
                    return Instance(); // does not go together
                }
            };
            const auto key = [&](const Settings& params, const Instance& instance) {
                PointSpec point;
                point.workload.name = info.id;
                point.workload.params = params;
                point.load.users = {2};
                return dataKey(point, *instance);
            };
            if (std::ranges::find(info.models, DataModel::Sql) == info.models.end())
                continue;
            for (const Settings& base : bases) {
                const bool all = longForm() || &base == &bases.front();
                const Instance plain = all || driver == std::string("sqlite") ? bound(base) : Instance();
                if (!plain)
                    continue;
                const std::string data = dataOf(tested, plain), plainKey = key(base, plain);
                for (const OptionSpec& option : info.options) {
                    const bool drawsK =
                        info.dataName == "sbtest" && (option.name.starts_with("rand_") || option.name == "profile");
                    const bool inserts =
                        info.id == "ycsb" && (option.name == "workload" || option.name == "insert_proportion");
                    std::vector<Value> values = option.affectsData ? std::vector<Value>() : valuesOf(option);
                    if (!all && values.size() > 1)
                        values = {values.back()};
                    for (const Value& value : values) {
                        Settings other = base;
                        other[option.name] = value;
                        const Instance changed = bound(other);
                        if (!changed)
                            continue;
                        const auto without = base.find(option.name);
                        if (toText(value) != toText(without == base.end() ? option.defaultValue : without->second))
                            ++compared[option.name];
                        if (key(other, changed) != plainKey && !inserts)
                            wrong.insert(option.name + " = " + toText(value) + " has another key");
                        if (!drawsK && dataOf(tested, changed) != data)
                            wrong.insert(option.name + " = " + toText(value) + " has other data");
                    }
                }
            }
        }
        QStringList texts;
        for (const std::string& one : wrong)
            texts << QString::fromStdString(one);
        QVERIFY2(wrong.empty(), qPrintable(texts.join("; ")));
        if (std::ranges::find(info.models, DataModel::Sql) == info.models.end())
            return; // documents: no tables to look at
        QStringList notCompared;
        for (const OptionSpec& option : info.options) {
            if (!option.affectsData && !compared.contains(option.name))
                notCompared << QString::fromStdString(info.id + ' ' + option.name);
        }
        QVERIFY2(notCompared.empty(), qPrintable("not compared with one value: " + notCompared.join(", ")));
    }

    //! An index on k is one of those: tables that a read-write run has loaded are no data for increments, and the note
    //! tells.
    void anIndexIsNoted()
    {
        for (const Workload* workload : builtinWorkloads()) {
            for (const OptionSpec& option : workload->info().options) {
                if (option.name == "create_secondary" || option.name == "secondary" || option.name == "secondary_at" ||
                    option.name == "auto_inc")
                    QVERIFY2(option.affectsData, (workload->info().id + ": " + option.name).c_str());
            }
        }
        const auto noted = [](const char* workload) {
            return dataParams(*workloadFor(workload), {}).at("create_secondary");
        };
        QCOMPARE(noted("oltp_increment"), std::string("false"));
        QCOMPARE(noted("oltp_read_write"), std::string("true"));
        QCOMPARE(workloadFor("oltp_increment")->info().dataName, workloadFor("oltp_read_write")->info().dataName);
    }
};

} // namespace dyno::tst_data_parameters

DYNO_SUITE(tst_data_parameters, dyno::tst_data_parameters::TstDataParameters)
#include "tst_data_parameters.moc"
