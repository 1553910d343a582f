// SPDX-License-Identifier: GPL-3.0-or-later
// A data folder is replaced by another one: whenever we are stopped, the next start finds a whole one.
#include "server/lifecycle/data_swap.h"
#include "server/lifecycle/private_folder.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fstream>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_data_swap {
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>; //!< path, text

const Files kOld{{"ibdata1", "old"}, {"shop/orders.ibd", "old orders"}};
const Files kNew{{"ibdata1", "new"}, {"shop/orders.ibd", "new orders"}, {"shop/more.ibd", "more"}};

void write(const fs::path& folder, const Files& files)
{
    for (const auto& [name, text] : files) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    }
}

Files filesIn(const fs::path& folder)
{
    Files files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file())
            continue;
        std::ifstream in(entry.path());
        files[entry.path().lexically_relative(folder).string()] = {std::istreambuf_iterator<char>(in),
                                                                   std::istreambuf_iterator<char>()};
    }
    return files;
}

Expected<void> fillNew(const fs::path& into)
{
    write(into, kNew);
    return {};
}

struct Stopped
{
};

} // namespace

class TestDataSwap : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_folder;

    QStringList names() const
    {
        return QDir(QString::fromStdString(m_folder.string()))
            .entryList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name);
    }

private slots:
    void init()
    {
        m_folder = fs::path(m_dir.path().toStdString()) / QTest::currentTestFunction();
        fs::remove_all(m_folder);
        write(m_folder / kDataFolder, kOld);
    }

    void theNewOneIsInPlace()
    {
        QVERIFY(swapData(m_folder, fillNew));
        QCOMPARE(filesIn(m_folder / kDataFolder), kNew);
        QCOMPARE(names(), QStringList{"data"});
        QVERIFY(recoverData(m_folder).value_or(false));
        QCOMPARE(filesIn(m_folder / kDataFolder), kNew);
    }

    //! An exception stands for the end of the process: nothing after it happens.
    void stoppedAtEachStep_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("isNew");
        QTest::newRow("filled") << int(SwapStep::Filled) << false;
        QTest::newRow("old aside") << int(SwapStep::OldAside) << true;
        QTest::newRow("in place") << int(SwapStep::InPlace) << true;
        QTest::newRow("removed") << int(SwapStep::Removed) << true;
    }
    void stoppedAtEachStep()
    {
        QFETCH(int, step);
        QFETCH(bool, isNew);
        QVERIFY_THROWS_EXCEPTION(Stopped, static_cast<void>(swapData(m_folder, fillNew, [step](SwapStep now) {
                                     if (int(now) == step)
                                         throw Stopped();
                                 })));
        QVERIFY(mayHoldData(m_folder));
        QVERIFY(recoverData(m_folder).value_or(false));
        QCOMPARE(filesIn(m_folder / kDataFolder), isNew ? kNew : kOld);
        QCOMPARE(names(), QStringList{"data"});
        QVERIFY(swapData(m_folder, fillNew)); // and again, as if nothing had been
        QCOMPARE(filesIn(m_folder / kDataFolder), kNew);
    }

    //! The same with a process that is really killed.
    void killedAtEachStep_data() { stoppedAtEachStep_data(); }
    void killedAtEachStep()
    {
        QFETCH(int, step);
        QFETCH(bool, isNew);
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            static_cast<void>(swapData(m_folder, fillNew, [step](SwapStep now) {
                if (int(now) == step)
                    ::raise(SIGKILL);
            }));
            ::_exit(1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        QVERIFY(recoverData(m_folder).value_or(false));
        QCOMPARE(filesIn(m_folder / kDataFolder), isNew ? kNew : kOld);
        QCOMPARE(names(), QStringList{"data"});
    }

    void stoppedWhileCopying()
    {
        const auto half = [](const fs::path& into) -> Expected<void> {
            write(into, {{"ibdata1", "ha"}});
            throw Stopped();
        };
        QVERIFY_THROWS_EXCEPTION(Stopped, static_cast<void>(swapData(m_folder, half)));
        QVERIFY(recoverData(m_folder).value_or(false));
        QCOMPARE(filesIn(m_folder / kDataFolder), kOld);
        QCOMPARE(names(), QStringList{"data"});
    }

    void stoppedWhileRemoving()
    {
        QVERIFY_THROWS_EXCEPTION(Stopped, static_cast<void>(swapData(m_folder, fillNew, [this](SwapStep now) {
                                     if (now != SwapStep::InPlace)
                                         return;
                                     fs::remove(m_folder / kDataOld / "ibdata1");
                                     throw Stopped();
                                 })));
        QVERIFY(recoverData(m_folder).value_or(false));
        QCOMPARE(filesIn(m_folder / kDataFolder), kNew);
        QCOMPARE(names(), QStringList{"data"});
    }

    void aFillThatFailsChangesNothing()
    {
        const auto failing = [](const fs::path& into) -> Expected<void> {
            write(into, {{"ibdata1", "ha"}});
            return fail({ErrorKind::Storage, "the disk is full", into.string(), {}});
        };
        const auto done = swapData(m_folder, failing);
        QVERIFY(!done);
        QVERIFY(done.error().text().find("the disk is full") != std::string::npos);
        QCOMPARE(filesIn(m_folder / kDataFolder), kOld);
        QCOMPARE(names(), QStringList{"data"});
    }

    //! The names are files here, which a folder cannot be renamed to; nothing goes.
    void aNameThatCannotBeTakenKeepsTheOldOne()
    {
        const auto done = swapData(m_folder, fillNew, [this](SwapStep now) {
            if (now == SwapStep::OldAside)
                std::ofstream(m_folder / kDataFolder) << "in the way";
        });
        QVERIFY(!done);
        QVERIFY2(done.error().text().find("the data are kept") != std::string::npos, done.error().text().c_str());
        QCOMPARE(filesIn(m_folder / kDataOld), kOld);
        QCOMPARE(filesIn(m_folder / kDataBack), kNew);
        fs::remove(m_folder / kDataFolder);
        QVERIFY(recoverData(m_folder).value_or(false));
        QCOMPARE(filesIn(m_folder / kDataFolder), kNew);
    }

    void nothingThere()
    {
        fs::remove_all(m_folder / kDataFolder);
        QVERIFY(!mayHoldData(m_folder));
        const auto recovered = recoverData(m_folder);
        QVERIFY(recovered && !*recovered);
        bool filled = false;
        QVERIFY(!swapData(m_folder, [&filled](const fs::path&) -> Expected<void> {
            filled = true;
            return {};
        }));
        QVERIFY(!filled);
    }

    //! The folder of a named server goes with its last user where it never came to be, and only there.
    void theFolderStaysWhileThereAreData()
    {
        const fs::path work = fs::path(m_dir.path().toStdString()) / "work";
        for (const char* name : {kDataFolder, kDataBack, kDataOld}) {
            {
                auto opened = PrivateFolder::openNamed(work, "shop");
                QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
                write(opened->path() / name, kOld);
            }
            QCOMPARE(filesIn(work / "instances/shop" / name), kOld);
            fs::remove_all(work / "instances/shop");
        }
        {
            const auto opened = PrivateFolder::openNamed(work, "shop");
            QVERIFY(opened);
        }
        QVERIFY(!fs::exists(work / "instances/shop"));
    }
};

} // namespace dyno::tst_data_swap

DYNO_SUITE(tst_data_swap, dyno::tst_data_swap::TestDataSwap)
#include "tst_data_swap.moc"
