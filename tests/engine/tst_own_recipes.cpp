// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Recipes of one's own: saved, renamed, added from a file, removed and put back; nothing of them counts as ours.
#include "support/suite.h"

#include <dyno/own_recipes.h>
#include <dyno/trust.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <sys/stat.h>

namespace dyno::tst_own_recipes {

namespace {

namespace fs = std::filesystem;

Plan smallPlan()
{
    Plan plan;
    plan.title = "A plan";
    plan.target.uri = "sqlite:";
    plan.workload.name = "oltp_point_select";
    plan.load.users = {1, 4};
    plan.views.emplace_back();
    plan.departs = {"Fewer rows."};
    return plan;
}

const RecipeWords kWords{"Flush on NVMe", "What does a flush cost?", "Two lines\nof text with \"quotes\""};

} // namespace

class TestOwnRecipes : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;

    fs::path write(const char* name, const QByteArray& text) const
    {
        QFile file(m_dir->filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write a file of the test");
        return file.fileName().toStdString();
    }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = recipesFolder(fs::path(m_dir->path().toStdString()) / "library.dynolib");
    }

    void theFolderIsBesideTheLibrary()
    {
        QCOMPARE(m_folder.filename().string(), std::string("library.recipes"));
        QVERIFY(ownRecipes(m_folder).empty());
    }

    void savedAndRead()
    {
        const auto id = saveRecipe(m_folder, smallPlan(), kWords);
        QVERIFY2(id, id ? "" : id.error().text().c_str());
        QCOMPARE(*id, std::string("own-flush-on-nvme"));
        const auto all = ownRecipes(m_folder);
        QCOMPARE(all.size(), std::size_t(1));
        const OwnRecipe& one = all.front();
        QVERIFY(one.faults.empty() && one.plan);
        QCOMPARE(one.info.id, *id);
        QCOMPARE(one.info.title, kWords.question);
        QCOMPARE(one.info.summary, kWords.name);
        QCOMPARE(one.plan->description, kWords.description);
        QCOMPARE(one.plan->departs, smallPlan().departs);
        QCOMPARE(one.plan->source, *id);
        QVERIFY(one.info.minutes > 0);
        struct stat facts = {};
        QCOMPARE(::stat((m_folder / (*id + ".toml")).c_str(), &facts), 0);
        QCOMPARE(int(facts.st_mode & 0777), 0600);
        const auto second = saveRecipe(m_folder, smallPlan(), kWords); // the first one stays
        QVERIFY(second);
        QCOMPARE(*second, std::string("own-flush-on-nvme-2"));
        QVERIFY(ownRecipe(m_folder, *id));
    }

    //! A name that is no file name, or that leads out of the folder.
    void names()
    {
        for (const char* name : {"../../x", "Änderung", "…", "CON.toml"}) {
            RecipeWords words = kWords;
            words.name = name;
            const auto id = saveRecipe(m_folder, smallPlan(), words);
            QVERIFY(id);
            QVERIFY2(fs::exists(m_folder / (*id + ".toml")), id->c_str());
            QCOMPARE(ownRecipe(m_folder, *id)->info.summary, std::string(name));
        }
        for (const char* id : {"../x", "own-../x", "durability-sqlite", "own-A", ""}) {
            QVERIFY2(!ownRecipe(m_folder, id), id);
            QVERIFY2(!removeRecipe(m_folder, id), id);
            QVERIFY2(!restoreRecipe(m_folder, id, "title = \"x\""), id);
        }
    }

    void renamed()
    {
        const auto id = saveRecipe(m_folder, smallPlan(), kWords);
        QVERIFY(id);
        QVERIFY(renameRecipe(m_folder, *id, {"Other", "Another question?", ""}));
        const auto one = ownRecipe(m_folder, *id);
        QVERIFY(one && one->plan);
        QCOMPARE(one->info.summary, std::string("Other"));
        QCOMPARE(one->info.title, std::string("Another question?"));
        QCOMPARE(one->plan->load.users, smallPlan().load.users);
    }

    void removedAndPutBack()
    {
        const auto id = saveRecipe(m_folder, smallPlan(), kWords);
        QVERIFY(id);
        const auto text = removeRecipe(m_folder, *id);
        QVERIFY(text);
        QVERIFY(ownRecipes(m_folder).empty());
        QVERIFY(!removeRecipe(m_folder, *id));
        QVERIFY(restoreRecipe(m_folder, *id, *text));
        QCOMPARE(ownRecipes(m_folder).size(), std::size_t(1));
        QVERIFY(!restoreRecipe(m_folder, *id, *text)); // it would replace another one
    }

    //! Neither its id nor where it lies makes a stranger's file ours.
    void addedFromOthers()
    {
        Plan plan = smallPlan();
        plan.set["connection.init_sql"] = std::string("DROP TABLE other");
        plan.target.uri = "mysql://root@db.example/test";
        plan.departs.clear();
        const fs::path file = write("gift.toml", QByteArray::fromStdString(writePlan(plan)) +
                                                     "\n[recipe]\nid = \"x\"\nsummary = \"A gift\"\n");
        if (!findDriver("mysql"))
            QSKIP("this build has no driver for the URI");
        QByteArray text;
        QFile in(QString::fromStdString(file.string()));
        QVERIFY(in.open(QIODevice::ReadOnly));
        text = in.readAll();
        const fs::path posing = write("posing.toml", text.replace("id = \"x\"", "id = \"durability-sqlite\""));
        const OwnRecipe shown = readRecipe(posing);
        QVERIFY(shown.plan);
        QCOMPARE(shown.info.id, std::string("durability-sqlite"));
        QCOMPARE(shown.plan->source, std::string());
        QVERIFY(!unanswered(*shown.plan, {}).empty());
        const auto id = addRecipe(m_folder, posing);
        QVERIFY2(id, id ? "" : id.error().text().c_str());
        QCOMPARE(*id, std::string("added-durability-sqlite"));
        const auto one = ownRecipe(m_folder, *id);
        QVERIFY(one && one->plan);
        QCOMPARE(one->plan->source, *id);
        QVERIFY(!recipePlan(*id));
        QVERIFY(!unanswered(*one->plan, {}).empty()); // it is asked about as any stranger's plan
    }

    void noRecipeOfOursBeginsAsTheirs()
    {
        for (const RecipeInfo& recipe : recipes())
            QVERIFY2(!isOwnRecipe(recipe.id), recipe.id.c_str());
    }

    //! The error names the place; nothing is written.
    void badFiles()
    {
        const fs::path bad =
            write("bad.toml", "title = \"x\"\ntarget.uri = \"sqlite:\"\nworkload.name = \"oltp_point_selekt\"\n");
        const auto id = addRecipe(m_folder, bad);
        QVERIFY(!id);
        QVERIFY2(id.error().where.starts_with("bad.toml:3"), id.error().where.c_str());
        QVERIFY(!addRecipe(m_folder, fs::path(m_dir->path().toStdString()) / "none.toml"));
        QVERIFY(!addRecipe(m_folder, fs::path(m_dir->path().toStdString()))); // a folder
        const OwnRecipe plain = readRecipe(write("plan.toml", QByteArray::fromStdString(writePlan(smallPlan()))));
        QVERIFY(plain.plan && plain.info.id.empty() && plain.info.summary.empty() && !plain.described); // a plan
        Plan departing = smallPlan();
        departing.departs = {"Less data"};
        QVERIFY(!readRecipe(write("departs.toml", QByteArray::fromStdString(writePlan(departing)))).described);
        departing.departs.clear(); // else there would be two tables of that name
        QVERIFY(readRecipe(write("tags.toml",
                                 QByteArray::fromStdString(writePlan(departing)) + "\n[recipe]\ntags = [\"x\"]\n"))
                    .described);
        QVERIFY(ownRecipes(m_folder).empty());
        // One that was damaged in the folder is there with its place, and does not hide the others.
        QVERIFY(saveRecipe(m_folder, smallPlan(), kWords));
        QFile broken(QString::fromStdString((m_folder / "own-broken.toml").string()));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("title = ");
        broken.close();
        const auto all = ownRecipes(m_folder);
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(std::ranges::count_if(all, [](const OwnRecipe& one) { return !one.faults.empty(); }), 1);
        QVERIFY(!renameRecipe(m_folder, "own-broken", kWords));
    }

    void noSecretIsWritten()
    {
        Plan plan = smallPlan();
        plan.target.uri = "sqlite:";
        plan.set["server.report_password"] = std::string("hunter2");
        const auto id = saveRecipe(m_folder, plan, kWords);
        QVERIFY(!id);
        QCOMPARE(id.error().where, std::string("server.report_password"));
        QVERIFY(id.error().text().find("hunter2") == std::string::npos);
        const auto added =
            addRecipe(m_folder, write("secret.toml", "[target]\nuri = \"mysql://localhost/t\"\n[workload]\nname = "
                                                     "\"oltp_point_select\"\n[set]\n"
                                                     "\"server.report_password\" = \"hunter2\"\n"));
        QVERIFY(!added);
        QVERIFY(added.error().text().find("server.report_password") != std::string::npos);
        QVERIFY(added.error().text().find("hunter2") == std::string::npos);
        QVERIFY(ownRecipes(m_folder).empty());
        plan = smallPlan();
        plan.target.uri = "mysql://root:hunter2@host/db";
        const auto withUri = saveRecipe(m_folder, plan, kWords);
        QVERIFY(!withUri);
        QVERIFY(withUri.error().text().find("hunter2") == std::string::npos);
    }

    //! Figures of each point, by the rule of tables; whose they are and when.
    void ownResult()
    {
        StoredSession session;
        session.info.title = "Night run";
        session.info.startedMs = 1'795'000'000'000; // 18 November 2026
        session.header.plan = smallPlan();
        session.header.points = expand(smallPlan()).points;
        for (int point = 0; point < 2; ++point) {
            for (int repeat = 1; repeat <= 2; ++repeat) {
                StoredRun& run = session.runs.emplace_back();
                run.id = point * 2 + repeat;
                run.header.point = point;
                run.header.repeat = repeat;
                run.summary.status = point == 1 && repeat == 2 ? RunStatus::Failed : RunStatus::Done;
                run.summary.seconds = 10;
                run.summary.transactions = std::uint64_t(1000 * (point + 1) * repeat);
                run.summary.tps = double(run.summary.transactions) / 10;
            }
        }
        const std::vector<Published> result = resultOf(session, "Ada");
        QCOMPARE(result.size(), std::size_t(1));
        const Published& one = result.front();
        QCOMPARE(one.date, std::string("2026-11-18"));
        QVERIFY2(one.source.find("Ada") != std::string::npos && one.source.find("Night run") != std::string::npos,
                 one.source.c_str());
        QCOMPARE(one.values.size(), std::size_t(2));
        QCOMPARE(one.values[0].value, 150.0);
        QCOMPARE(one.values[1].value, 200.0); // of the run that is done
        Plan plan = smallPlan();
        plan.published = result;
        QVERIFY(saveRecipe(m_folder, plan, kWords)); // it reads back
        QCOMPARE(ownRecipes(m_folder).front().plan->published.front().values[1].value, 200.0);
        QVERIFY(resultOf(StoredSession(), {}).empty());
    }
};

} // namespace dyno::tst_own_recipes

DYNO_SUITE(tst_own_recipes, dyno::tst_own_recipes::TestOwnRecipes)
#include "tst_own_recipes.moc"
