// SPDX-License-Identifier: GPL-3.0-or-later
// YCSB's data integrity on real targets: data that somebody changes behind the run's back is seen and counted.
#include "config.h"
#include "load/data/dataset.h"
#include "support/workload_harness.h"
#include "workload/ycsb/key.h"

#if DYNO_HAVE_MYSQL
#include "support/mariadb_fixture.h"
#endif
#if DYNO_HAVE_MONGODB
#include "support/mongo_fixture.h"
#include "support/suite.h"
#endif

#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_ycsb_integrity {
using namespace dyno::test;

namespace {

constexpr std::int64_t kRecords = 60;

std::string keyOf(std::int64_t number)
{
    ycsb::KeyText text;
    return std::string(ycsb::writeKey(text, number, ycsb::KeyForm::Hashed, 1));
}

Settings paramsFor(const char* share, bool whole)
{
    return {{"workload", std::string("custom")},
            {share, 1.0},
            {"dataintegrity", true},
            {"readallfields", whole},
            {"writeallfields", true},
            {"recordcount", kRecords},
            {"fieldcount", std::int64_t(3)},
            {"fieldlength", std::int64_t(70)},
            {"requestdistribution", std::string("sequential")},
            {"minscanlength", std::int64_t(1)},
            {"maxscanlength", std::int64_t(1)}};
}

} // namespace

class TstYcsbIntegrity : public QObject
{
    Q_OBJECT

    struct Place
    {
        Driver* driver = nullptr;
        ConnectTarget target;
        std::unique_ptr<Admin> admin;
        bool documents = false;
    };
    void open(Place& place, const QString& driver)
    {
        place.driver = driverFor(driver.toStdString());
        if (!place.driver)
            QSKIP("this build has no such driver");
#if DYNO_HAVE_MYSQL
        if (driver == "mysql") {
            if (const std::string why = MariadbFixture::whyMissing(); !why.empty())
                QSKIP(why.c_str());
            const auto started = m_mariadb.start({});
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            place.target = *m_mariadb.target();
        }
#endif
#if DYNO_HAVE_MONGODB
        if (driver == "mongodb") {
            if (const std::string why = MongoFixture::whyMissing(); !why.empty())
                QSKIP(why.c_str());
            const auto started = m_mongo.start();
            QVERIFY2(started, started ? "" : started.error().text().c_str());
            place.target = *m_mongo.target();
            place.documents = true;
        }
#endif
        if (driver == "sqlite") {
            Faults faults;
            place.target.uri = *parseUri("sqlite:" + m_folder.filePath("y.db").toStdString());
            place.target.connection =
                resolve(place.driver->info().connection, {{"synchronous", std::string("OFF")}}, "connection", faults);
        }
        auto admin = place.driver->admin(place.target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        place.admin = std::move(*admin);
    }

    //! How many of the records are wrong for transactions of this kind.
    std::map<std::int32_t, int> errorsOf(const Place& place, const char* share, bool whole)
    {
        const auto instance = test::bind("ycsb", paramsFor(share, whole), place.driver->info().id);
        auto target = std::make_shared<ConnectTarget>(place.target);
        target->statements = instance->statements();
        TestUser user(std::move(place.driver->open(target).value()), workloadFor("ycsb")->info().operations.size(),
                      {UserId(0), 1, 3});
        std::map<std::int32_t, int> errors;
        if (complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome != Outcome::Ok)
            return {{1, 1}};
        for (std::uint64_t i = 0; i < std::uint64_t(kRecords); ++i) {
            if (user.run(*instance, i) != Outcome::Ok)
                ++errors[user.context.lastCode()];
        }
        return errors;
    }

    QTemporaryDir m_folder;
#if DYNO_HAVE_MYSQL
    MariadbFixture m_mariadb;
#endif
#if DYNO_HAVE_MONGODB
    MongoFixture m_mongo;
#endif

private slots:
    void corruptionIsSeen_data()
    {
        QTest::addColumn<QString>("driver");
        for (const char* driver : {"sqlite", "mysql", "mongodb"})
            QTest::newRow(driver) << driver;
    }
    void corruptionIsSeen()
    {
        QFETCH(QString, driver);
        Place place;
        open(place, driver);
        if (!place.admin)
            return; // skipped or failed above
        const auto instance = test::bind("ycsb", paramsFor("read_proportion", true), place.driver->info().id);
        std::vector<std::string> warnings;
        const auto loaded =
            ensureDataset({*place.driver, *place.admin, place.target, *instance, PreparePolicy::Always}, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        using Errors = std::map<std::int32_t, int>;
        const std::array<const char*, 3> kinds{"read_proportion", "scan_proportion", "read_modify_write_proportion"};
        for (const char* share : kinds) {
            QCOMPARE(errorsOf(place, share, true), Errors());
            QCOMPARE(errorsOf(place, share, false), Errors());
        }
        // One value is another record's, one is null.
        const std::string one = keyOf(7), other = keyOf(8);
        const auto change = [&](const std::string& key, const std::string& value) {
            const auto done = place.admin->execute(
                place.documents ? R"({"update":"usertable","updates":[{"q":{"_id":")" + key +
                                      R"("},"u":{"$set":{"field1":)" + value + "}}}]}"
                                : "UPDATE usertable SET FIELD1 = " + value + " WHERE YCSB_KEY = '" + key + "'");
            QVERIFY2(done, done ? "" : done.error().text().c_str());
        };
        change(one, place.documents ? "\"" + other + ":field1\"" : "'" + other + ":field1'");
        change(other, place.documents ? "null" : "NULL");
        QCOMPARE(errorsOf(place, kinds[0], true), (Errors{{-409, 2}}));
        QCOMPARE(errorsOf(place, kinds[1], true), (Errors{{-409, 2}}));
        // Reads of one field see it where they look at that field.
        const Errors some = errorsOf(place, kinds[0], false);
        QVERIFY(some.empty() || (some.size() == 1 && some.contains(-409) && some.at(-409) <= 2));
        // A read-modify-write of all fields sees it and then puts it right.
        QCOMPARE(errorsOf(place, kinds[2], true), (Errors{{-409, 2}}));
        for (const char* share : kinds)
            QCOMPARE(errorsOf(place, share, true), Errors());
    }
};

} // namespace dyno::tst_ycsb_integrity

DYNO_SUITE(tst_ycsb_integrity, dyno::tst_ycsb_integrity::TstYcsbIntegrity)
#include "tst_ycsb_integrity.moc"
