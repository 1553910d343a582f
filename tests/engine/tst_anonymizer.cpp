// SPDX-License-Identifier: GPL-3.0-or-later
// Names of hosts and users and addresses do not leave in an anonymous file, wherever they stood.
#include "store/anonymizer.h"
#include "store/session_writer.h"
#include "store_sample.h"
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <fstream>

using namespace dyno;
namespace fs = std::filesystem;

namespace {

template<class T>
T must(Expected<T> value)
{
    if (!value)
        qFatal("%s", value.error().text().c_str());
    return std::move(*value);
}

std::string lowerContentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::ranges::transform(bytes, bytes.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return bytes;
}

} // namespace

class TestAnonymizer : public QObject
{
    Q_OBJECT

private slots:
    void texts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(expected);
        };
        row("", "");
        row("nothing here", "nothing here");
        row("host db7 said", "host anon-host-2 said");
        row("DB7", "anon-host-2");
        row("db77 and xdb7 stay", "db77 and xdb7 stay");
        row("db7.corp.example.org:3306", "anon-host-1:3306");
        row("replica.corp.example.org", "replica.anon-domain-1");
        row("mysql://alice@db7.corp.example.org:3306/sbtest", "mysql://anon-user-1@anon-host-1:3306/sbtest");
        row("/home/alice/data, ~alice", "/home/anon-user-1/data, ~anon-user-1");
        row("/var/lib/db7.pid", "/var/lib/anon-host-2.pid");
        row("'alice'@'10.1.2.3'", "'anon-user-1'@'192.0.2.1'");
        row("10.1.2.3 to 10.1.2.4 to 10.1.2.3", "192.0.2.1 to 192.0.2.2 to 192.0.2.1");
        row("listening on 127.0.0.1, 0.0.0.0, ::1 and ::", "listening on 127.0.0.1, 0.0.0.0, ::1 and ::");
        row("fe80::1c2d:3eff:fe4f:5a6b.", "2001:db8::1.");
        row("at 12:34:56 on 2026-11-22T10:00:00", "at 12:34:56 on 2026-11-22T10:00:00");
        row("00:1a:2b:3c:4d:5e", "2001:db8::1");
        row("MariaDB 10.11.6, 8.0.31-23.1, 5.6.24.1-log", "MariaDB 10.11.6, 8.0.31-23.1, 5.6.24.1-log");
        row("mail Bob.Smith+x@example.org!", "mail anon-mail-1!");
        row("root@localhost", "root@localhost");
        row("std::string a::b", "std::string 2001:db8::1"); // rather too much than too little
        row("\xc3\xa4" "db7", "\xc3\xa4" "db7");
    }
    void texts()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        Anonymizer names;
        names.learnUri("mysql://alice@db7.corp.example.org:3306/sbtest");
        names.learnUri("mysql://root@localhost/sbtest");
        names.learnUser("root");
        names.learnHost("127.0.0.1");
        QCOMPARE(QByteArray::fromStdString(names.replaced(text.toStdString())), expected);
    }

    void severalHostsOfOneUri()
    {
        Anonymizer names;
        names.learnUri("mongodb://carol@rs1.lan:27017,rs2.lan:27018/test?replicaSet=x");
        const std::string text = names.replaced("carol rs1.lan rs2.lan rs2");
        for (const char* name : {"carol", "rs1", "rs2"})
            QVERIFY2(text.find(name) == std::string::npos, text.c_str());
    }

    //! Everywhere: facts, variables, option file, plan, log, notes, tags, events, artefacts. The file is searched byte by byte.
    void nothingOfThemIsInTheFile()
    {
        QTemporaryDir dir;
        const fs::path library = dir.filePath("library.dynolib").toStdString();
        const std::string id = "5e551011-0000-4000-8000-00000000a0a0";
        {
            auto writer = must(SessionWriter::open(library));
            sample::Options options;
            options.id = id;
            options.intervals = 5;
            SessionHeader session = sample::header(options);
            session.title = "On wilma-db3 by fredflint";
            session.host.name = "loadgen9.bedrock.example";
            session.plan.source = "/home/fredflint/plans/cost.toml";
            session.plan.target.uri = "mysql://pebbles@wilma-db3.bedrock.example:3306/shop?socket=/home/fredflint/run/s.sock";
            for (PointSpec& point : session.points)
                point.target.uri = session.plan.target.uri;
            writer->onSessionStarted(session);
            RunHeader run = sample::runHeader(session, 0);
            run.server.variables.insert_or_assign("hostname", std::string("wilma-db3"));
            run.server.variables.insert_or_assign("report_host", std::string("barneyreplica"));
            run.server.variables.insert_or_assign("bind_address", std::string("10.20.30.40"));
            run.server.variables.insert_or_assign("datadir", std::string("/home/dinosaurus/mysql"));
            run.server.variables.insert_or_assign("pid_file", std::string("/run/wilma-db3.pid"));
            run.server.transport = "TCP to wilma-db3.bedrock.example (10.20.30.41)";
            run.optionFile = "[mysqld]\nuser = slate\nbind-address = 10.20.30.40\ndatadir = /home/dinosaurus/mysql\n";
            run.effective.insert_or_assign("report_user", std::string("replpebbles"));
            writer->onRunStarted(run);
            Random random(5);
            for (int i = 0; i < 5; ++i)
                writer->onSample(sample::interval(session, run, i, random, options));
            writer->onEvent({1'000'000'000, 0, EventKind::Server, "wilma-db3 restarted by pebbles@10.20.30.42"});
            RunAftermath after;
            after.server = run.server;
            after.errorLog = "Access denied for 'pebbles'@'fe80::aaaa:1' on WILMA-DB3\n";
            after.dataParts = {{"other", "wilma-db3.err", 10}};
            writer->onRunAftermath(after);
            RunSummary summary;
            summary.point = run.point;
            summary.repeat = run.repeat;
            summary.status = RunStatus::Failed;
            summary.reason = "wilma-db3.bedrock.example does not answer";
            summary.errors[1045] = 1;
            summary.errorTexts[1045] = "Access denied for user 'pebbles'@'loadgen9'";
            writer->onRunFinished(summary);
            QVERIFY(writer->flush());
        }
        auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        QVERIFY(opened->setNotes(id, "asked betty@bedrock.example about WILMA-DB3"));
        QVERIFY(opened->setTags(id, {"wilma-db3", "ssd"}));
        const std::int64_t run = must(opened->session(id)).runs[0].id;
        QVERIFY(opened->annotate(run, 0, "fredflint looked"));
        QVERIFY(opened->setNamedViews(id, {{"of fredflint", "wilma-db3"}}));
        {
            auto database = must(Database::open(library, Database::Access::ReadWrite));
            Statement insert(*database, "INSERT INTO artefact VALUES(1, ?, ?, 'text/plain', ?)");
            for (const auto& [index, content] :
                 {std::pair(0, std::string("host: wilma-db3\nuser: pebbles\nfrom: 10.20.30.43\n")),
                  std::pair(1, std::string("packed\0wilma-db3", 16))}) {
                insert << index << "log-of-wilma-db3.txt";
                insert.blob(content);
                insert.run();
            }
            QVERIFY(database->result());
        }
        const fs::path as = dir.filePath("as.dyno").toStdString(), anonymous = dir.filePath("anonymous.dyno").toStdString();
        QVERIFY(opened->exportSession(id, as));
        QVERIFY(opened->exportSession(id, anonymous, Library::Privacy::Anonymous));
        const std::string before = lowerContentOf(as);
        const std::string bytes = lowerContentOf(anonymous);
        for (const char* name : {"wilma-db3", "fredflint", "pebbles", "loadgen9", "bedrock", "barneyreplica", "10.20.30.",
                                 "dinosaurus", "replpebbles", "fe80::", "betty", "slate"}) {
            QVERIFY2(before.find(name) != std::string::npos, name);
            QVERIFY2(bytes.find(name) == std::string::npos, name);
        }
        // What was measured, and what names nobody, is the same.
        auto read = must(Library::open(anonymous, Library::Mode::ReadOnly));
        QVERIFY(must(read->check()).problems.empty());
        const StoredSession session = must(read->session(id));
        const StoredSession original = must(opened->session(id));
        QCOMPARE(session.info.tags.at(1), std::string("ssd"));
        QCOMPARE(session.header.host.cpu, original.header.host.cpu);
        QCOMPARE(session.runs[0].header.server.version, original.runs[0].header.server.version);
        QCOMPARE(must(read->intervals(session.runs[0].id)).size(), std::size_t(5));
        QVERIFY(session.header.points[0].target.uri.starts_with("mysql://anon-user-"));
        // The same name became the same everywhere.
        const std::string host = textOf(session.runs[0].header.server.variables, "hostname");
        QVERIFY(session.info.title.find(host) != std::string::npos);
        QVERIFY(session.runs[0].aftermath->errorLog.find(host) != std::string::npos);
        QCOMPARE(must(read->search("hostname=" + host)).size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestAnonymizer)
#include "tst_anonymizer.moc"
