// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite files of sessions' own: gone with their session, swept when it was killed, never taken from the living; and
// the data folders that servers start from.
#include "base/data_folder.h"
#include "load/target/private_data.h"
#include "server/lifecycle/data_template.h"
#include "support/suite.h"

#include <dyno/servers.h>

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_private_data {
namespace fs = std::filesystem;

namespace {

void fill(const fs::path& file, std::size_t bytes = 8192)
{
    std::ofstream(file, std::ios::binary) << std::string(bytes, 'x');
}

std::size_t filesIn(const fs::path& folder)
{
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        count += entry.path().filename().string().starts_with('.') ? 0 : 1;
    return count;
}

//! A process with private files of its own, which it holds until it is ended.
class Owner
{
public:
    explicit Owner(const fs::path& work)
    {
        int ends[2];
        if (::pipe(ends) != 0)
            qFatal("no pipe");
        m_pid = ::fork();
        if (m_pid == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a suite that is killed leaves none behind
            auto made = PrivateData::create(work);
            if (made) {
                const std::string name = made->file().string();
                for (const char* end : {"", "-wal", "-shm", ".loaded-a1B2c3"})
                    fill(name + end);
                const ssize_t written = ::write(ends[1], name.data(), name.size());
                static_cast<void>(written);
            }
            ::close(ends[1]);
            for (;;)
                ::pause();
        }
        ::close(ends[1]);
        char buffer[4096];
        for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
            m_file.append(buffer, std::size_t(got));
        ::close(ends[0]);
    }
    ~Owner() { kill(); }
    void kill()
    {
        if (m_pid <= 0)
            return;
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
        m_pid = 0;
    }
    [[nodiscard]] fs::path file() const { return m_file; }

private:
    pid_t m_pid = 0;
    std::string m_file;
};

} // namespace

class TestPrivateData : public QObject
{
    Q_OBJECT
private slots:
    void goesWithItsOwner()
    {
        const QTemporaryDir dir;
        const fs::path work = dir.path().toStdString();
        {
            auto one = PrivateData::create(work);
            auto two = PrivateData::create(work);
            QVERIFY(one && two && one->file() != two->file());
            for (const char* end : {"", "-wal", "-shm", "-journal", ".loaded-a1B2c3"})
                fill(one->file().string() + end);
            fill(two->file());
            const fs::path kept = two->file();
            PrivateData moved = std::move(*one);
            QVERIFY(fs::exists(moved.file()) && fs::exists(kept));
        }
        QCOMPARE(filesIn(work / "sqlite"), std::size_t(0));
    }

    //! Engines that keep their data in a folder.
    void foldersToo()
    {
        const QTemporaryDir dir;
        const fs::path work = dir.path().toStdString();
        {
            auto own = PrivateData::create(work);
            QVERIFY(own);
            fs::create_directories(own->file());
            fill(own->file() / "000001.sst");
        }
        QCOMPARE(filesIn(work / "sqlite"), std::size_t(0));
        Owner dying(work);
        fs::remove(dying.file());
        fs::create_directories(dying.file());
        fill(dying.file() / "000001.sst");
        dying.kill();
        QVERIFY(leftSpace(work).bytes > 0);
        QVERIFY(removeLeftSpace(work).files > 0);
        QVERIFY(!fs::exists(dying.file()));
        QVERIFY(leftSpace(work).empty());
    }

    //! Of an engine that keeps its data in one: an empty one, and one with nothing but our mark, are as good as none.
    void dataFoldersAreEmptiedWhenTheyAreOurs()
    {
        const QTemporaryDir dir;
        const fs::path work = dir.path().toStdString(), mine = work / "mine", ours = work / "ours",
                       link = work / "link";
        QVERIFY(!holdsData(mine, true) && !holdsData(mine, false));
        fs::create_directories(mine);
        QVERIFY(!holdsData(mine, true));
        fill(mine / "letter");
        QVERIFY(holdsData(mine, true) && holdsData(mine / "letter", false));
        QVERIFY(holdsData(mine / "letter", true)); // a file in the place of a folder is somebody's
        emptyDataFolder(mine);
        QVERIFY(fs::exists(mine / "letter"));

        fs::create_directories(ours); // of a person, who made it for this
        fs::create_directory_symlink(ours, link);
        QVERIFY(markDataFolder(link).has_value());
        QVERIFY(!holdsData(link, true));
        fs::create_directories(ours / "log");
        fill(ours / "log" / "000001.log");
        QVERIFY(holdsData(link, true));
        emptyDataFolder(link);
        QVERIFY(fs::is_symlink(link) && fs::is_empty(ours));
        QCOMPARE(lookAtDataFolder(link), FileLook::State::Missing);
    }

    void filesOfTheKilledAreSweptAndThoseOfTheLivingStay()
    {
        const QTemporaryDir dir;
        const fs::path work = dir.path().toStdString();
        Owner living(work), dying(work);
        QVERIFY(!living.file().empty() && !dying.file().empty());
        auto own = PrivateData::create(work);
        QVERIFY(own);
        fill(own->file());
        fill(work / "sqlite" / "mine.db"); // of a person
        fill(work / "sqlite" / "session-notes.txt");
        QCOMPARE(leftSpace(work).files, 0);
        QVERIFY(leftSpace(work).empty());

        dying.kill();
        const LeftSpace left = leftSpace(work);
        QCOMPARE(left.files, 4);
        QVERIFY(left.bytes > 0);
        QVERIFY(fs::exists(dying.file())); // a look removes nothing

        // The next session sweeps, whoever it is.
        auto next = PrivateData::create(work);
        QVERIFY(next);
        QVERIFY(!fs::exists(dying.file()));
        QVERIFY(!fs::exists(dying.file().string() + "-wal"));
        for (const fs::path& file :
             {living.file(), own->file(), work / "sqlite" / "mine.db", work / "sqlite" / "session-notes.txt"})
            QVERIFY2(fs::exists(file), file.c_str());
        QVERIFY(leftSpace(work).empty());
    }

    //! They have no lock: the number in their name is all there is.
    void filesOfOlderVersions()
    {
        const QTemporaryDir dir;
        const fs::path work = dir.path().toStdString();
        fs::create_directories(work / "sqlite");
        constexpr pid_t gone = 2'147'483'000; // no system gives such a number
        const fs::path dead = work / "sqlite" / ("session-" + std::to_string(gone) + "-1.db");
        const fs::path alive = work / "sqlite" / ("session-" + std::to_string(::getppid()) + "-1.db");
        fill(dead);
        fill(dead.string() + "-wal");
        fill(alive);
        QCOMPARE(removeLeftSpace(work).files, 2);
        QVERIFY(!fs::exists(dead) && fs::exists(alive));
    }

    void templatesAreFreedUnlessTheyAreALink()
    {
        const QTemporaryDir dir, other;
        const fs::path work = dir.path().toStdString(), shared = other.path().toStdString();
        QVERIFY(removeLeftSpace(work).empty()); // nothing was ever made there
        for (const fs::path& place : {work / "templates", shared}) {
            fs::create_directories(place / "mariadb-1");
            fill(place / "mariadb-1" / "ibdata1");
        }
        QCOMPARE(leftSpace(work).templates, 1);
        QVERIFY(leftSpace(work).templateBytes > 0);
        QCOMPARE(removeLeftSpace(work).templates, 1);
        QVERIFY(leftSpace(work).empty());
        QVERIFY(!fs::exists(work / "templates" / "mariadb-1"));

        fs::remove_all(work / "templates");
        fs::create_directory_symlink(shared, work / "templates");
        QCOMPARE(leftSpace(work).templates, 0);
        QCOMPARE(removeLeftSpace(work).templates, 0);
        QVERIFY(fs::exists(shared / "mariadb-1" / "ibdata1"));
    }

    //! Who copies one shares the lock meanwhile.
    void templatesInUseStay()
    {
        const QTemporaryDir dir;
        const fs::path work = dir.path().toStdString();
        fs::create_directories(work / "templates" / "mariadb-1");
        {
            const auto copying = FileLock::share(work / "templates" / ".in-use");
            const auto another = FileLock::share(work / "templates" / ".in-use");
            QVERIFY(copying && another && another->held());
            QCOMPARE(removeTemplates(work).folders, 0);
        }
        QCOMPARE(removeTemplates(work).folders, 1);
    }
};

} // namespace dyno::tst_private_data

DYNO_SUITE(tst_private_data, dyno::tst_private_data::TestPrivateData)
#include "tst_private_data.moc"
