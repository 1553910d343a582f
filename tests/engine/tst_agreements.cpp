// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person agreed to once is remembered by its content, in a file that nobody else may read or write.
#include "support/suite.h"

#include <dyno/agreements.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <sys/stat.h>

namespace dyno::tst_agreements {

namespace {

namespace fs = std::filesystem;

Plan planOn(const std::string& uri)
{
    Plan plan;
    plan.target.uri = uri;
    plan.workload.name = "oltp_point_select";
    return plan;
}

const Risk kRisk{"connection.init_sql", "SELECT 1", "send statements"};

QByteArray contentOf(const fs::path& file)
{
    QFile in(QString::fromStdString(file.string()));
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("unreadable");
}

} // namespace

class TestAgreements : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_file;

    bool recalled(const Plan& plan, const Risk& risk) const
    {
        Consent consent;
        recallAgreed(plan, {risk}, consent, m_file);
        return consent.covers(risk);
    }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = fs::path(m_dir->path().toStdString()) / "data" / "agreements";
    }

    void byContentAndTargets()
    {
        const Plan plan = planOn("mysql://ann@db1/test");
        QVERIFY(!recalled(plan, kRisk));
        rememberAgreed(plan, {kRisk}, m_file);
        QVERIFY(recalled(plan, kRisk));
        Plan other = plan; // what is not about the risk
        other.title = "another";
        other.load.users = {1, 2, 4};
        QVERIFY(recalled(other, kRisk));
        // Any change of the content, or of whom it is for, is another thing.
        for (const Risk& changed : {Risk{"connection.init_sql", "SELECT 2", kRisk.wants},
                                    Risk{"table.create_options", "SELECT 1", kRisk.wants},
                                    Risk{kRisk.key, kRisk.value, "send statements, and write into tables"}})
            QVERIFY2(!recalled(plan, changed), changed.value.c_str());
        for (const char* target :
             {"mysql://ann@db2/test", "mysql://bob@db1/test", "mysql://ann@db1/shop", "mysql://ann@db1/test?tls=off"})
            QVERIFY2(!recalled(planOn(target), kRisk), target);
        Plan hidden = plan; // one more server, in one case of many
        hidden.axes.push_back(
            {"server", {{"here", {}, 0}, {"there", {{"target.uri", std::string("mysql://ann@db2/test")}}, 0}}, 0});
        QVERIFY(!recalled(hidden, kRisk));
    }

    //! That one plan may write beside somebody's tables is no agreement to whatever another one would do there.
    void dataForOneDeed()
    {
        Plan plan = planOn("sqlite:/x/app.db");
        plan.workload.params["table_size"] = std::int64_t(100);
        const Risk beside{std::string(kTargetKey), "sqlite:/x/app.db",
                          "write into a file that holds tables (customers)"};
        rememberAgreed(plan, {beside}, m_file);
        QVERIFY(recalled(plan, beside));
        Plan load = plan; // the same under another load
        load.title = "another";
        load.load.users = {1, 64};
        load.set["load.time"] = 5.0;
        QVERIFY(recalled(load, beside));
        std::vector<Plan> others(10, plan);
        others[0].workload.name = "oltp_write_only";
        others[1].workload.params["table_size"] = std::int64_t(1000);
        others[2].workload.prepare = PreparePolicy::Use;
        others[3].workload.cleanup = true;
        others[4].set["connection.journal_mode"] = std::string("DELETE");
        others[5].axes.push_back({"a", {{"x", {}, 0}, {"y", {{"workload.name", std::string("tpcb")}}, 0}}, 0});
        others[6].workload.params["tables"] = std::int64_t(2);
        LoadGroup writes;
        writes.name = "writes";
        others[7].load.groups = {writes};
        others[7].load.groups.front().workload = "oltp_write_only";
        others[8].load.groups = {writes};
        others[9] = others[8];
        others[9].load.groups.front().params["table_size"] = std::int64_t(7);
        for (std::size_t i = 0; i < others.size(); ++i)
            QVERIFY2(!recalled(others[i], beside), std::to_string(i).c_str());
        // What a group does is a deed, in a case too; how fast it does it is load.
        rememberAgreed(others[8], {beside}, m_file);
        Plan faster = others[8];
        faster.load.groups.front().users = 8;
        faster.set["load.group.writes.rate"] = 5.0;
        QVERIFY(recalled(faster, beside));
        // A group without users does nothing: to agree to that is not to agree to what it would do.
        Plan idle = others[7];
        idle.load.groups.front().users = 0;
        rememberAgreed(idle, {beside}, m_file);
        QVERIFY(recalled(idle, beside));
        Plan busy = idle;
        busy.load.groups.front().users = 8;
        QVERIFY(!recalled(busy, beside));
        busy = idle;
        busy.set["load.group.writes.users"] = std::int64_t(8);
        QVERIFY(!recalled(busy, beside));
        for (const auto& [field, value] : {std::pair("workload", Value(std::string("oltp_write_only"))),
                                           {"params.table_size", Value(std::int64_t(7))}}) {
            Plan changed = others[8];
            const Settings set{{std::string("load.group.writes.") + field, value}};
            changed.axes.push_back({"a", {{"x", {}, 0}, {"y", set, 0}}, 0});
            QVERIFY2(!recalled(changed, beside), field);
            Plan whole = others[8];
            whole.set = set;
            QVERIFY2(!recalled(whole, beside), field);
        }
        // How a target is reached is the same for all of them.
        const Risk open{std::string(kTargetKey), "mysql://db1/", "reach it without TLS", true};
        rememberAgreed(plan, {open}, m_file);
        QVERIFY(recalled(others[0], open));
    }

    //! No parts of a text can be moved into the next one.
    void partsDoNotRunTogether()
    {
        const Plan plan = planOn("null:");
        rememberAgreed(plan, {Risk{"a", "b", "c"}}, m_file);
        QVERIFY(recalled(plan, Risk{"a", "b", "c"}));
        for (const Risk& shifted :
             {Risk{"ab", "", "c"}, Risk{"a", "bc", ""}, Risk{"", "ab", "c"}, Risk{"a", "b1:c", ""}})
            QVERIFY(!recalled(plan, shifted));
    }

    //! The window and the command line may name the same file differently.
    void aFileByAnyPath()
    {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_dir->path()));
        rememberAgreed(planOn("sqlite:bench.db"), {kRisk}, m_file);
        const bool same = recalled(planOn("sqlite:" + m_dir->filePath("bench.db").toStdString()), kRisk) &&
                          recalled(planOn("sqlite:x/../bench.db"), kRisk);
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(same);
        QVERIFY(!recalled(planOn("sqlite:/elsewhere/bench.db"), kRisk));
    }

    //! Lines that name files: one that was changed or replaced is another agreement, where the line has no digits of
    //! its content. None is opened for that.
    void filesThatHaveChanged()
    {
        const auto write = [this](const char* name, const char* text) {
            QFile file(m_dir->filePath(QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(text), qint64(strlen(text)));
        };
        write("a.txt", "one");
        write("b.txt", "one");
        write("c.txt", "one");
        const std::string folder = m_dir->path().toStdString();
        const Risk files{"workload.files",
                         "a = " + folder + "/a.txt\nb.txt=" + folder + "/b.txt\nc.txt = 1 " + std::string(64, 'a') +
                             " " + folder + "/c.txt",
                         "read files"};
        const Plan plan = planOn("sqlite:bench.db");
        rememberAgreed(plan, {files}, m_file);
        QVERIFY(recalled(plan, files));
        write("c.txt", "three"); // a load compares it with its digits
        QVERIFY(recalled(plan, files));
        write("b.txt", "three");
        QVERIFY(!recalled(plan, files));
        rememberAgreed(plan, {files}, m_file);
        QVERIFY(recalled(plan, files));
        write("a.txt.new", "one"); // as a program that saves by renaming
        fs::rename(folder + "/a.txt.new", folder + "/a.txt");
        QVERIFY(!recalled(plan, files));
    }
    void tooManyFilesAreAskedAboutEachTime()
    {
        std::string lines;
        for (int i = 0; i < 1001; ++i)
            lines += "f" + std::to_string(i) + " = /nowhere/f\n";
        const Risk files{"workload.files", lines, "read files"};
        const Plan plan = planOn("sqlite:bench.db");
        rememberAgreed(plan, {files}, m_file);
        QVERIFY(!recalled(plan, files));
        const Risk fewer{"workload.files", lines.substr(0, lines.rfind("f1000")), "read files"};
        rememberAgreed(plan, {fewer}, m_file);
        QVERIFY(recalled(plan, fewer));
    }

    void nobodyElseReadsOrWritesIt()
    {
        const Plan plan = planOn("mysql://ann@db1/test");
        rememberAgreed(plan, {kRisk}, m_file);
        struct stat facts
        {
        };
        QCOMPARE(::stat(m_file.c_str(), &facts), 0);
        QCOMPARE(int(facts.st_mode & 07777), 0600);
        QCOMPARE(::stat(m_file.parent_path().c_str(), &facts), 0);
        QCOMPARE(int(facts.st_mode & 07777), 0700);
        QVERIFY(!contentOf(m_file).contains("SELECT") && !contentOf(m_file).contains("db1"));
        const QByteArray once = contentOf(m_file);
        rememberAgreed(plan, {kRisk}, m_file); // it grows by what is new only
        QCOMPARE(contentOf(m_file), once);
        QCOMPARE(::chmod(m_file.c_str(), 0622), 0); // others could have written it
        QVERIFY(!recalled(plan, kRisk));
        rememberAgreed(plan, {Risk{"a", "b", "c"}}, m_file);
        QCOMPARE(contentOf(m_file), once);
    }

    void aLinkIsNotFollowed()
    {
        const fs::path victim = fs::path(m_dir->path().toStdString()) / "victim";
        QVERIFY(fs::create_directories(m_file.parent_path()));
        QFile out(QString::fromStdString(victim.string()));
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write("mine\n") == 5);
        out.close();
        QCOMPARE(::chmod(victim.c_str(), 0600), 0);
        fs::create_symlink(victim, m_file);
        rememberAgreed(planOn("null:"), {kRisk}, m_file);
        QCOMPARE(contentOf(victim), QByteArray("mine\n"));
        QVERIFY(!recalled(planOn("null:"), kRisk));
    }

    //! Half a line, of a full disk or a torn write, is nobody's agreement.
    void half()
    {
        const Plan plan = planOn("null:");
        rememberAgreed(plan, {kRisk}, m_file);
        const QByteArray whole = contentOf(m_file);
        fs::resize_file(m_file, std::uintmax_t(whole.size() - 2));
        QVERIFY(!recalled(plan, kRisk));
        rememberAgreed(plan, {kRisk}, m_file);
        QVERIFY(recalled(plan, kRisk));
    }

    void whatAllowsWhat()
    {
        Consent consent;
        consent.allow(Risk{"target.uri", "mysql://a/", "reach it without TLS"});
        QVERIFY(consent.covers(Risk{"target.uri", "mysql://a/", "reach it without TLS"}));
        QVERIFY(
            !consent.covers(Risk{"target.uri", "mysql://a/", "write into tables of others"})); // same value, other deed
        consent.allow(Risk{"target.uri", "mysql://a/", ""});                                   // typed
        QVERIFY(consent.covers(Risk{"target.uri", "mysql://a/", "write into tables of others"}));
    }

    //! Each size of a recipe is ours, its own settings of servers too.
    void sizesOfRecipes()
    {
        Plan recipe = planOn("managed:mariadb");
        recipe.set["server.sync_binlog"] = std::int64_t(1);
        recipe.sizes.push_back({"quick", {{"server.innodb_log_file_size", "16777216"}}});
        recipe.sizes.push_back({"published", {{"server.innodb_log_file_size", "10737418240"}}});
        const auto words = wordsOfRecipe(recipe);
        QVERIFY(words.contains({"server.sync_binlog", "1"}));
        int sizes = 0;
        for (const auto& [key, value] : words)
            sizes += key == "server.innodb_log_file_size" ? 1 : 0;
        QCOMPARE(sizes, 2);
    }
};

} // namespace dyno::tst_agreements

DYNO_SUITE(tst_agreements, dyno::tst_agreements::TestAgreements)
#include "tst_agreements.moc"
