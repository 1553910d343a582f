// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Workloads of one's own: saved, listed, added from a file, removed and put back; variables with their values.
#include "base/sha256.h"
#include "support/suite.h"
#include "workload/script/script_parser.h"

#include <dyno/own_workloads.h>
#include <dyno/plan.h>
#include <dyno/scripts.h>
#include <dyno/trust.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>
#include <sys/stat.h>

namespace dyno::tst_own_workloads {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOrders =
    "-- Orders of a shop\n\\set id random(1, 1000)\nSELECT state FROM orders WHERE id = :id;\n";
constexpr const char* kTwo = "\\transaction read 9\nSELECT 1;\n\\transaction write 1\nSELECT 2;\n";
constexpr const char* kHead = "+++\n[[checks]]\nsql = \"SELECT 1\"\nexpect = 1\n+++\n-- With a check\nSELECT 3;\n";

//! Of a variable when a run begins.
std::string valueOf(const std::string& variable, const std::string& text, const std::string& definitions)
{
    const auto program = script::parseScripts(text, definitions);
    if (!program)
        return "no script: " + program.error().what;
    std::string value = "unset";
    for (const auto& [slot, given] : program->definitions) {
        if (program->variables[slot] == variable)
            value = given; // as a run sets them: one after the other
    }
    return value;
}

} // namespace

class TestOwnWorkloads : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;

    fs::path write(const char* name, const QByteArray& text) const
    {
        QFile file(m_dir->filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write a file of the test");
        return file.fileName().toStdString();
    }
    [[nodiscard]] std::vector<std::string> names() const
    {
        std::vector<std::string> all;
        for (const OwnWorkload& one : ownWorkloads(m_folder))
            all.push_back(one.name);
        return all;
    }

    void put(const char* name, const QByteArray& text) const //!< into the folder, past the program
    {
        fs::create_directories(m_folder);
        QFile file(QString::fromStdString((m_folder / name).string()));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write a file of the test");
    }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = workloadsFolder(fs::path(m_dir->path().toStdString()) / "library.dynolib");
    }

    void theFolderIsBesideTheLibrary()
    {
        QCOMPARE(m_folder.filename().string(), std::string("library.workloads"));
        QVERIFY(ownWorkloads(m_folder).empty());
    }

    void savedAndRead()
    {
        const auto name = saveWorkload(m_folder, "Orders of the Shop!", kOrders);
        QVERIFY2(name, name ? "" : name.error().text().c_str());
        QCOMPARE(*name, std::string("orders-of-the-shop"));
        const auto own = ownWorkload(m_folder, *name);
        QVERIFY(own);
        QCOMPARE(own->text, std::string(kOrders));
        QCOMPARE(own->summary, std::string("Orders of a shop"));
        QVERIFY(own->fault.empty());
        struct stat about = {};
        QCOMPARE(::stat((m_folder / "orders-of-the-shop.workload").c_str(), &about), 0);
        QCOMPARE(about.st_mode & 0777, mode_t(0600));
    }

    //! They are copied to where the head names them, so that the workload runs without the first ones.
    void filesGoWithTheirWorkload()
    {
        const QByteArray text =
            "+++\n[[tables]]\nname = \"t\"\nrows = 2\n[tables.columns]\na = { type = \"VARCHAR(9)\", "
            "words = \"lists/w.txt\" }\n+++\nSELECT 1;\n";
        fs::create_directories(fs::path(m_dir->path().toStdString()) / "lists");
        write("lists/w.txt", "one\n");
        const auto name = addWorkload(m_folder, write("Own.workload", text));
        QVERIFY2(name, name ? "" : name.error().text().c_str());
        const auto own = ownWorkload(m_folder, *name);
        QVERIFY2(own && own->fault.empty(), own ? own->fault.c_str() : "");
        const fs::path copy = m_folder / "lists/w.txt";
        QCOMPARE(textOf(own->params, kFilesParam),
                 "lists/w.txt = 1 " + sha256Of("one\n") + " " + fs::canonical(copy).string());
        struct stat about = {};
        QCOMPARE(::stat(copy.c_str(), &about), 0);
        QCOMPARE(about.st_mode & 0777, mode_t(0600));
        // Another one with the same content takes it too; one with other content stays out, and so does its script.
        QVERIFY(addWorkload(m_folder, write("second.workload", text)));
        write("lists/w.txt", "two\n");
        const auto other = addWorkload(m_folder, write("third.workload", text));
        QVERIFY(!other);
        QVERIFY2(other.error().text().find("with other content lies beside") != std::string::npos,
                 other.error().text().c_str());
        QVERIFY(!ownWorkload(m_folder, "third"));
        // As the window saves one: from where the plan says that they lie.
        const std::string files = "lists/w.txt = " + copy.string();
        QVERIFY(saveWorkload(m_folder, "fourth", text.toStdString(), {}, false, files));
        // A copy has the content that was shown and agreed to.
        const fs::path elsewhere = write("else.txt", "three\n");
        const QByteArray ofElse = QByteArray(text).replace("lists/w.txt", "else.txt");
        const std::string digits = "else.txt = 1 " + std::string(64, 'a') + " " + elsewhere.string();
        QVERIFY(!saveWorkload(m_folder, "sixth", ofElse.toStdString(), {}, false, digits));
        QVERIFY(!ownWorkload(m_folder, "sixth") && !fs::exists(m_folder / "else.txt"));
        // Where a file cannot be written, there is no workload that cannot run.
        put("blocked", "a file");
        const QByteArray blocked = QByteArray(text).replace("lists/w.txt", "blocked/w.txt");
        QVERIFY(!saveWorkload(m_folder, "seventh", blocked.toStdString(), {}, false,
                              "blocked/w.txt = " + elsewhere.string()));
        QVERIFY(!ownWorkload(m_folder, "seventh"));
        fs::remove(copy);
        const auto gone = ownWorkload(m_folder, *name);
        QVERIFY(gone && gone->params.empty());
        QVERIFY2(gone->fault.find("lists/w.txt cannot be read") != std::string::npos, gone->fault.c_str());
        fs::remove(fs::path(m_dir->path().toStdString()) / "lists/w.txt");
        QVERIFY(!addWorkload(m_folder, write("fifth.workload", text)));
    }

    void whatItIsAbout_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("summary");
        QTest::newRow("first comment") << QByteArray(kOrders) << QStringLiteral("Orders of a shop");
        QTest::newRow("transactions") << QByteArray(kTwo) << QStringLiteral("read, write");
        QTest::newRow("behind the head") << QByteArray(kHead) << QStringLiteral("With a check");
        QTest::newRow("nothing said") << QByteArray("SELECT 1;") << QString();
    }
    void whatItIsAbout()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, summary);
        const auto name = saveWorkload(m_folder, "x", text.toStdString());
        QVERIFY2(name, name ? "" : name.error().text().c_str());
        QCOMPARE(QString::fromStdString(ownWorkload(m_folder, *name)->summary), summary);
    }

    void aTakenNameIsRefusedOrReplaced()
    {
        QVERIFY(saveWorkload(m_folder, "shop", kOrders));
        const auto again = saveWorkload(m_folder, "Shop", kTwo);
        QVERIFY(!again);
        QVERIFY(again.error().message.find("\"shop\"") != std::string::npos);
        QCOMPARE(ownWorkload(m_folder, "shop")->text, std::string(kOrders));
        QVERIFY(saveWorkload(m_folder, "Shop", kTwo, {}, true));
        QCOMPARE(ownWorkload(m_folder, "shop")->text, std::string(kTwo));
    }

    void aBuiltInNameIsRefused()
    {
        const auto name = saveWorkload(m_folder, "tpcc", kOrders);
        QVERIFY(!name);
        QVERIFY(name.error().message.find("built-in") != std::string::npos);
        QVERIFY(names().empty());
    }

    void aMistakeIsRefusedWithItsPlace()
    {
        const auto name = saveWorkload(m_folder, "wrong", "SELECT 1;\n\\set x random(1\n");
        QVERIFY(!name);
        QVERIFY2(name.error().message.find("line 2") != std::string::npos, name.error().message.c_str());
        QVERIFY(!saveWorkload(m_folder, "empty", " \n"));
        QVERIFY(names().empty());
    }

    void valuesOfVariablesGoAlong()
    {
        const char* script = "SELECT :a + :b;";
        const auto name = saveWorkload(m_folder, "sum", script, "a=1; b=2");
        QVERIFY2(name, name ? "" : name.error().text().c_str());
        const auto own = ownWorkload(m_folder, *name);
        QVERIFY(own && own->fault.empty());
        QVERIFY(own->text.starts_with("+++\ndefine = 'a=1; b=2'\n+++\n"));
        QVERIFY(own->text.ends_with(script + std::string("\n")));
        // What a plan defines counts more.
        QCOMPARE(valueOf("b", own->text, {}), std::string("2"));
        QCOMPARE(valueOf("b", own->text, "b=5"), std::string("5"));
        // Into a head that is there; not twice.
        const std::string withHead = "+++\n[think_time]\nscript = { constant = 1 }\n+++\nSELECT :a;";
        const auto more = saveWorkload(m_folder, "head", withHead, "a=7");
        QVERIFY2(more, more ? "" : more.error().text().c_str());
        const auto again = saveWorkload(m_folder, "again", ownWorkload(m_folder, *more)->text, "a=8");
        QVERIFY(!again);
        QCOMPARE(again.error().where, std::string("define"));
    }

    void whatItNeedsToRun()
    {
        const auto name = saveWorkload(m_folder, "shop", kOrders);
        const Settings params = ownWorkload(m_folder, *name)->params;
        QCOMPARE(toText(params.at(kScriptsParam)), std::string(kOrders));
        QCOMPARE(toText(params.at("schema")), std::string("none"));
        // It is nobody's word for its statements.
        Plan plan;
        plan.target.uri = "sqlite:x.db";
        plan.workload.name = kScriptWorkload;
        plan.workload.params = params;
        const auto risks = risksOf(plan);
        QVERIFY(std::ranges::any_of(risks, [](const Risk& one) { return one.key == "workload.scripts"; }));
    }

    void addedRemovedAndPutBack()
    {
        const auto file = write("My Orders.sql", kOrders);
        const auto name = addWorkload(m_folder, file);
        QVERIFY2(name, name ? "" : name.error().text().c_str());
        QCOMPARE(*name, std::string("my-orders"));
        QVERIFY(fs::exists(file));
        QVERIFY(!addWorkload(m_folder, file)); // there is one
        const auto text = removeWorkload(m_folder, *name);
        QVERIFY(text);
        QVERIFY(names().empty());
        QVERIFY(restoreWorkload(m_folder, *name, *text));
        QCOMPARE(names(), std::vector<std::string>{"my-orders"});
        QVERIFY(!restoreWorkload(m_folder, *name, *text)); // another may lie there by now
    }

    void namesLeadOutOfNoFolder()
    {
        write("secret.workload", kOrders);
        fs::create_directories(m_folder);
        for (const char* name : {"../secret", "..", "", "a/b"}) {
            QVERIFY2(!ownWorkload(m_folder, name), name);
            QVERIFY2(!removeWorkload(m_folder, name), name);
        }
        for (const char* name : {"../secret", "", "a/b"}) {
            QVERIFY2(!restoreWorkload(m_folder, name, kOrders), name);
            QVERIFY2(!restoreWorkload(m_folder, name, kOrders, true), name);
        }
        QVERIFY(fs::exists(m_dir->filePath(QStringLiteral("secret.workload")).toStdString()));
    }

    void aFileThatCannotRunIsListedWithItsFault()
    {
        put("broken.workload", "+++\nnothing\n");
        const auto all = ownWorkloads(m_folder);
        QCOMPARE(all.size(), std::size_t(1));
        QVERIFY2(all.front().fault.find("line 1") != std::string::npos, all.front().fault.c_str());
        QVERIFY(all.front().params.empty());
    }

    void whatCannotBeReadIsNotRemoved()
    {
        put("large.workload", QByteArray(5 << 20, ' '));
        const auto all = ownWorkloads(m_folder);
        QVERIFY(all.size() == 1 && all.front().fault.find("too large") != std::string::npos);
        QVERIFY(!removeWorkload(m_folder, "large"));
        QVERIFY(!saveWorkload(m_folder, "large", kOrders, {}, true)); // nor replaced
        QVERIFY(fs::exists(m_folder / "large.workload"));
    }

    void aNameThatCannotBeIsTold()
    {
        put("My Shop.workload", kOrders);
        put("tpcc.workload", kOrders);
        const auto all = ownWorkloads(m_folder);
        QCOMPARE(all.size(), std::size_t(2));
        for (const OwnWorkload& own : all)
            QVERIFY2(own.fault.find("rename its file") != std::string::npos && own.params.empty(), own.fault.c_str());
        QVERIFY(!ownWorkload(m_folder, "tpcc"));
        for (const char* name : {"tpcc", "My Shop"}) {
            const auto text = removeWorkload(m_folder, name);
            QVERIFY2(text, name);
            QVERIFY(restoreWorkload(m_folder, name, *text));
        }
    }

    void aLongLineIsCutBetweenCharacters()
    {
        const std::string letter = "\xd0\xb6"; // two bytes
        std::string comment = "-- x";
        for (int i = 0; i < 100; ++i)
            comment += letter;
        QVERIFY(saveWorkload(m_folder, "long", comment + "\nSELECT 1;\n"));
        const std::string summary = ownWorkload(m_folder, "long")->summary;
        QCOMPARE(summary.size(), std::size_t(119)); // 120 would cut one
        QVERIFY(summary.ends_with(letter));
    }
};

} // namespace dyno::tst_own_workloads

DYNO_SUITE(tst_own_workloads, dyno::tst_own_workloads::TestOwnWorkloads)
#include "tst_own_workloads.moc"
