// SPDX-License-Identifier: GPL-3.0-or-later
// With pgbench itself on one PostgreSQL: its runs on our tables, our transactions on its tables, equal schemas and
// rows, and balances that agree after both. Skipped with a message where pgbench or a server is missing.
#include "contract/catalog_of.h"
#include "contract/small_data.h"
#include "load/data/dataset.h"
#include "support/patience.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"
#include "workload/script/evaluator.h"
#include "workload/script/script_parser.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryFile>
#include <QTest>

#include <map>

namespace dyno::tst_pgbench_interop {
using namespace dyno::test;

class TstPgbenchInterop : public QObject
{
    Q_OBJECT

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;

    [[nodiscard]] static QString program()
    {
        return QString::fromStdString((PostgresqlFixture::programs() / "pgbench").string());
    }
    //! What it prints in a run that ends well; fails the test otherwise.
    QString pgbench(const QStringList& more) const
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        const QStringList arguments =
            QStringList{"--host=" + QString::fromStdString(m_server.folder().string()),
                        QString("--port=%1").arg(m_server.port()), QString("--username=") + kPostgresqlUser} +
            more + QStringList{QString::fromStdString(m_server.database())};
        process.start(program(), arguments);
        if (!process.waitForFinished(4 * kPatienceMs) || process.exitCode() != 0) {
            QTest::qFail(process.readAll() + "\nof pgbench " + arguments.join(' ').toUtf8(), __FILE__, __LINE__);
            return {};
        }
        return QString::fromUtf8(process.readAll());
    }
    void loadByPgbench() const { pgbench({"--initialize", "--scale=1", "--quiet"}); }
    void loadByUs() const
    {
        const auto instance = test::bind("tpcb", {}, "postgresql");
        std::vector<std::string> warnings;
        const ConnectTargetPtr target = m_server.target();
        const DatasetJob job{.driver = *driverFor("postgresql"),
                             .admin = *m_admin,
                             .target = *target,
                             .workload = *instance,
                             .policy = PreparePolicy::Always,
                             .seed = 11};
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    }
    void runByUs(const QString& script, int transactions) const
    {
        const auto instance = test::bind("tpcb", {{"script", script.toStdString()}}, "postgresql");
        auto session = driverFor("postgresql")->open(m_server.target(instance->statements()));
        QVERIFY(session);
        TestUser user(std::move(*session), workloadFor("tpcb")->info().operations.size());
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        for (int i = 0; i < transactions; ++i)
            QVERIFY2(user.run(*instance, std::uint64_t(i)) == Outcome::Ok, user.session->lastError().c_str());
    }
    [[nodiscard]] std::string cell(const std::string& query) const
    {
        const auto rows = m_admin->query(query);
        return !rows ? rows.error().text() : rows->empty() ? std::string("(no row)") : rows->front().front();
    }
    [[nodiscard]] std::int64_t number(const std::string& query) const { return std::stoll(cell(query)); }
    //! Of all rows of each table, but for the time in the history.
    [[nodiscard]] std::map<std::string, std::string> contents() const
    {
        std::map<std::string, std::string> sums;
        for (const auto& [table, key] : {std::pair{"pgbench_accounts", "aid"},
                                         {"pgbench_tellers", "tid"},
                                         {"pgbench_branches", "bid"},
                                         {"pgbench_history", "aid"}})
            sums[table] = cell(std::string("SELECT COUNT(*) || ' rows ' || coalesce(md5(string_agg(t::text, '|' ORDER "
                                           "BY ") +
                               key + ")), '') FROM " + table + " t");
        return sums;
    }

private slots:
    void initTestCase()
    {
        DYNO_START_POSTGRESQL(m_server);
        if (!QFile::exists(program()))
            QSKIP("pgbench is not beside the server");
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
    }
    void cleanupTestCase() { m_admin.reset(); }

    //! Columns, keys and fill factors as the catalogue has them, and all rows.
    void tablesAreEqual()
    {
        loadByPgbench();
        const QStringList theirs = catalogOf(*m_admin, "pgbench\\_%");
        const auto theirRows = contents();
        loadByUs();
        QCOMPARE(catalogOf(*m_admin, "pgbench\\_%"), theirs);
        QCOMPARE(contents(), theirRows);
        QVERIFY2(theirs.contains("pgbench_accounts | 4 | filler | character | 84 | YES | "),
                 qPrintable(theirs.join('\n')));
        QVERIFY(theirs.contains("pgbench_accounts | r | p | 100"));
        QVERIFY2(theirRows.at("pgbench_accounts").starts_with("100000 rows "),
                 theirRows.at("pgbench_accounts").c_str());
    }

    void bothRunOnEachOthersTables_data()
    {
        QTest::addColumn<bool>("ours");
        QTest::newRow("our tables") << true;
        QTest::newRow("pgbench's tables") << false;
    }
    //! All scripts, by both programs, one after another: what each leaves is what the others find.
    void bothRunOnEachOthersTables()
    {
        QFETCH(bool, ours);
        if (ours)
            loadByUs();
        else
            loadByPgbench();
        if (QTest::currentTestFailed())
            return;
        constexpr int kEach = 100;
        for (const char* script : {"tpcb-like", "select-only", "simple-update"}) {
            const std::int64_t before = number("SELECT COUNT(*) FROM pgbench_history");
            const QString said = pgbench({"--no-vacuum", "--protocol=prepared", QString("--builtin=") + script,
                                          QString("--transactions=%1").arg(kEach)});
            QVERIFY2(said.contains(QString("actually processed: %1/%1").arg(kEach)), qPrintable(said));
            runByUs(script, kEach);
            if (QTest::currentTestFailed())
                return;
            const bool writes = QString(script) != "select-only";
            QCOMPARE(number("SELECT COUNT(*) FROM pgbench_history") - before, std::int64_t(writes ? 2 * kEach : 0));
            const std::int64_t moved = number("SELECT SUM(delta) FROM pgbench_history");
            QCOMPARE(number("SELECT SUM(abalance) FROM pgbench_accounts"), moved);
            if (QString(script) == "simple-update") // leaves tellers and branches alone
                continue;
            QCOMPARE(number("SELECT SUM(tbalance) FROM pgbench_tellers"), moved);
            QCOMPARE(number("SELECT SUM(bbalance) FROM pgbench_branches"), moved);
            // Not only the sums: those of each account, teller and branch.
            const auto checked =
                checkDataset(*m_admin, *test::bind("tpcb", {{"script", std::string(script)}}, "postgresql"), 1, {});
            QVERIFY(checked && !checked->empty());
            for (const ConditionResult& one : *checked)
                QVERIFY2(one.error.empty() && one.violations == 0, one.name.c_str());
        }
    }

    //! What pgbench's debug() prints of an expression is what ours is.
    void expressionsHaveTheSameValues()
    {
        const QStringList expressions{"hash_fnv1a(-1, 0)",
                                      "hash_fnv1a(9223372036854775807, 77)",
                                      "hash_murmur2(-1, 0)",
                                      "hash(123456789, -5)",
                                      "permute(0, 1000, 1)",
                                      "permute(999, 1000, 1)",
                                      "permute(12345, 1000000007, -3)",
                                      "permute(-7, 9223372036854775807, 5)",
                                      "permute(2, 3, 0)",
                                      "~ 1 + 2",
                                      "~ 1 | 4",
                                      "- 2 + 3 * -4 % 5",
                                      "1 | 6 & 3 # 2",
                                      "1 << 2 + 1",
                                      "-7 / 2",
                                      "-7 % 3",
                                      "7 / -2.0",
                                      "1 - 2 - 3",
                                      "not 1 = 2 and 2 < 3 or false",
                                      "not null is null",
                                      "2 < 3 is true",
                                      "null or true",
                                      "false and null",
                                      "case when null then 1 when 0.5 then 2.5 end",
                                      "int(2.5) + int(3.5) + int(-2.5)",
                                      "1e300 * 1e10",
                                      "1 = 1.0",
                                      "sqrt(2) * pi() - exp(1) / ln(10)",
                                      "greatest(1, 2.5, -3) + least(4, 2)",
                                      "pow(2, 0.5)",
                                      "mod(17, -5)",
                                      "abs(-2.5) <> 2.5"};
        std::string text;
        for (const QString& expression : expressions)
            text += "\\set x debug(" + expression.toStdString() + ")\n";
        text += "SELECT 1;\n";
        QTemporaryFile file;
        QVERIFY(file.open() && file.write(text.data(), qint64(text.size())) > 0 && file.flush());
        const QString said = pgbench({"--no-vacuum", "--transactions=1", "--file=" + file.fileName()});
        static const QRegularExpression printed("debug\\(script=0,command=\\d+\\): (.*)");
        QStringList theirs, ours;
        for (auto it = printed.globalMatch(said); it.hasNext();)
            theirs += it.next().captured(1);
        const auto program = script::parseScripts(text);
        QVERIFY2(program, program ? "" : script::mistakeText(program.error()).c_str());
        for (int i = 0; i < expressions.size(); ++i) {
            const script::Expression& one = program->scripts.front().commands.at(std::size_t(i)).expression;
            const std::span<const script::Instruction> code(program->code.data() + one.begin,
                                                            program->code.data() + one.end);
            Random random(1);
            script::Variables shown(1);
            script::Scalar value;
            QVERIFY2(!script::evaluate(code, shown, random, value), qPrintable(expressions[i]));
            shown.set(0, value);
            std::string number;
            shown.append(0, number);
            const char* const kinds[] = {"null", "boolean ", "int ", "double "};
            const bool null = value.type == script::Scalar::Type::Null;
            ours += QString(kinds[int(value.type)]) + (null ? QString() : QString::fromStdString(number));
        }
        QCOMPARE(ours, theirs);
    }

    //! All that pgbench sends for its built-in scripts, with other numbers and without the semicolons. What we send is
    //! recorded, as it is bound for each driver: no server of MySQL's kind is here.
    void builtinScriptsSendTheSame()
    {
        loadByUs();
        const auto withoutNumbers = [](QString text) {
            static const QRegularExpression number("-?\\b\\d+\\b");
            return text.replace(number, "N").remove(QRegularExpression(";$"));
        };
        for (const char* name : {"tpcb-like", "simple-update", "select-only"}) {
            const QString said = pgbench({"--debug", "--no-vacuum", "--transactions=2", QString("--builtin=") + name});
            static const QRegularExpression sending("client 0 sending (.*)");
            QStringList theirs, ours;
            for (auto it = sending.globalMatch(said); it.hasNext();)
                theirs += withoutNumbers(it.next().captured(1));
            QVERIFY(theirs.size() >= 2);
            for (const char* driver : {"postgresql", "mysql"}) {
                if (!driverFor(driver))
                    continue;
                ours.clear();
                const auto instance = test::bind("script", {{"builtin", std::string(name)}}, driver);
                TestUser user(std::make_unique<RecordingSession>(), 16);
                for (const std::uint64_t transaction : {0, 1})
                    QVERIFY(user.run(*instance, transaction) == Outcome::Ok);
                for (const Recorded& one : static_cast<RecordingSession&>(*user.session).requests)
                    ours += withoutNumbers(QString::fromStdString(one.text));
                QCOMPARE(ours, theirs);
            }
        }
    }

    //! Answers of the server as variables, by name, in both protocols; a table named by a variable in the simple one.
    void scriptsReadWhatTheServerAnswers()
    {
        QVERIFY(m_admin->execute("CREATE TABLE script_rows (id bigint PRIMARY KEY, word text, even boolean)"));
        const std::string text =
            "SELECT coalesce(max(id), 0) AS top, 'it''s' AS word, true AS yes, NULL AS nothing, 1.5::float8 AS half "
            "FROM script_rows \\gset last_\n"
            "\\set next :last_top + int(:last_half * 2) - 2\n"
            "\\if :last_yes and :last_nothing is null\n"
            "BEGIN;\nINSERT INTO script_rows VALUES (:next, 'a' || :last_top::text, :next % 2 = 0);\nEND;\n\\endif\n"
            "SELECT 1 AS one \\; SELECT id AS seen FROM script_rows ORDER BY id \\aset\n"
            "SELECT :seen = :next AND :one = 1 AS same \\gset\n"
            "\\if not :same\nSELECT 1 / 0;\n\\endif\n";
        for (const char* protocol : {"simple", "prepared"}) {
            QVERIFY(m_admin->execute("DELETE FROM script_rows"));
            const auto instance = test::bind(
                "script", {{"scripts", text}, {"schema", std::string("none")}, {"protocol", std::string(protocol)}},
                "postgresql");
            auto session = driverFor("postgresql")->open(m_server.target(instance->statements()));
            QVERIFY(session);
            TestUser user(std::move(*session), 16);
            QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                    Outcome::Ok);
            for (std::uint64_t i = 0; i < 5; ++i)
                QVERIFY2(user.run(*instance, i) == Outcome::Ok, user.context.errorText().c_str());
            QCOMPARE(cell("SELECT string_agg(id || ' ' || word || ' ' || even, ', ' ORDER BY id) FROM script_rows"),
                     std::string("1 a0 false, 2 a1 true, 3 a2 false, 4 a3 true, 5 a4 false"));
        }
        QVERIFY(m_admin->execute("DROP TABLE script_rows"));
    }
};

} // namespace dyno::tst_pgbench_interop

DYNO_SUITE(tst_pgbench_interop, dyno::tst_pgbench_interop::TstPgbenchInterop)
#include "tst_pgbench_interop.moc"
