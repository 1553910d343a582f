// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Links that somebody else of this machine put where a file of ours is about to be made, in a folder that both may
//! write: what they lead to stays as it was, and our file is one of its own.
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"

#include <dyno/export.h>
#include <dyno/library.h>
#include <dyno/report.h>

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace dyno::tst_planted_links {
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMine = "a file that is none of Dynobench's business";

std::string textOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

} // namespace

class TestPlantedLinks : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder, m_victim;

    //! At the name that a draft of `file` gets in this process.
    void plant(const fs::path& file, const std::string& before = ".part-", const std::string& after = {}) const
    {
        fs::create_symlink(m_victim, fs::path(file) += before + std::to_string(::getpid()) + after);
    }
    static void record(const fs::path& library)
    {
        auto writer = must(SessionWriter::open(library));
        sample::feed(*writer);
    }
    bool spared() const { return textOf(m_victim) == kMine; }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = m_dir->path().toStdString();
        m_victim = m_folder / "victim";
        std::ofstream(m_victim) << kMine;
    }

    void aTextFile()
    {
        const fs::path file = m_folder / "post.md";
        plant(file);
        const auto written = writeTextFile(file, "# Post");
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        QVERIFY(spared());
        QVERIFY(!fs::is_symlink(file));
        QCOMPARE(textOf(file), std::string("# Post"));
        // The file itself is a link: it is replaced, not followed.
        const fs::path other = m_folder / "other.md";
        fs::create_symlink(m_victim, other);
        QVERIFY(writeTextFile(other, "# Other"));
        QVERIFY(spared() && !fs::is_symlink(other));
    }

    void tables()
    {
        const fs::path library = m_folder / "l.dynolib";
        record(library);
        auto opened = must(Library::open(library, Library::Mode::ReadOnly));
        const auto session = must(opened->session(must(opened->resolveId("last"))));
        const fs::path out = m_folder / "out";
        fs::create_directory(out);
        for (const char* name : {"runs.csv", "runs-long.csv", "intervals-1.csv", "run-1-service.hlog"})
            plant(out / name);
        const auto csv = exportCsv(*opened, session, out);
        QVERIFY2(csv, csv ? "" : csv.error().text().c_str());
        const auto hdr = exportHdr(*opened, session, out);
        QVERIFY2(hdr, hdr ? "" : hdr.error().text().c_str());
        QVERIFY(spared());
        for (const fs::directory_entry& entry : fs::directory_iterator(out))
            QVERIFY2(!entry.is_symlink(), entry.path().c_str());
    }

    void sessionsAndLibraries()
    {
        const fs::path library = m_folder / "l.dynolib";
        for (int n = 1; n < 20; ++n)
            plant(library, ".new-", "-" + std::to_string(n));
        record(library);
        QVERIFY(spared() && !fs::is_symlink(library));
        auto opened = must(Library::open(library, Library::Mode::ReadOnly));
        const fs::path file = m_folder / "s.dyno";
        plant(file);
        const auto exported = opened->exportSession(must(opened->resolveId("last")), file);
        QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
        QVERIFY(spared() && !fs::is_symlink(file));
        QVERIFY(Library::open(file, Library::Mode::ReadOnly));
        // A library that is a link to something else is not made into one.
        const fs::path linked = m_folder / "linked.dynolib";
        fs::create_symlink(m_victim, linked);
        QVERIFY(!Library::open(linked, Library::Mode::ReadWrite));
        QVERIFY(spared());
    }
};

} // namespace dyno::tst_planted_links

DYNO_SUITE(tst_planted_links, dyno::tst_planted_links::TestPlantedLinks)
#include "tst_planted_links.moc"
