// SPDX-License-Identifier: GPL-3.0-or-later
// The null target: its script. And what each driver says of itself. What all drivers promise is in tst_driver_contract.
#include "base/clock.h"
#include "driver_candidate.h"
#include "support/suite.h"

#include <fmt/format.h>

namespace dyno::tst_null_driver {
using namespace dyno::test;

class TstNullDriver : public QObject
{
    Q_OBJECT

    //! A connected session; fails the test and gives nullptr if there is none.
    static std::unique_ptr<Session> connected(const ConnectTargetPtr& target)
    {
        auto session = driverFor("null")->open(target);
        if (session && step(**session, RequestKind::Connect).outcome == Outcome::Ok)
            return std::move(*session);
        QTest::qFail("the null target does not connect", __FILE__, __LINE__);
        return {};
    }

private slots:
    void driversDescribeThemselves()
    {
        for (Driver* driver : builtinDrivers()) {
            const DriverInfo info = driver->info();
            QCOMPARE(driverFor(info.id), driver);
            QVERIFY(!info.name.empty());
            QVERIFY(!info.uriForm.empty());
            QVERIFY(!info.library.empty());
            for (const OptionSpec& option : info.connection) {
                QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
                const Expected<Value> value = coerce(option, option.defaultValue);
                QVERIFY2(value, value ? "" : value.error().text().c_str());
            }
        }
        QVERIFY(!driverFor("oracle"));
    }

    //! The null target: its script.
    void nullServiceTime()
    {
        for (const std::int64_t serviceUs : {20, 2000}) { // spinning, sleeping
            for (const char* later : {"0", "1"}) {
                const auto session =
                    connected(targetOf(fmt::format("null:?service_us={}&pending={}", serviceUs, later)));
                QVERIFY(session);
                for (int i = 0; i < 5; ++i) {
                    const std::int64_t start = nowNs();
                    VERIFY_REPLY(sql(*session, "x"), *session);
                    QVERIFY(nowNs() - start >= serviceUs * 1000);
                }
            }
        }
    }

    void nullFails()
    {
        const std::pair<const char*, Outcome> kinds[] = {{"retryable", Outcome::Retryable},
                                                         {"rejected", Outcome::Rejected},
                                                         {"timed_out", Outcome::TimedOut},
                                                         {"disconnected", Outcome::Disconnected}};
        for (const auto& [name, outcome] : kinds) {
            const auto session = connected(targetOf(std::string("null:?fail_every=3&fail_as=") + name));
            QVERIFY(session);
            for (int i = 1; i <= 9; ++i) {
                const Reply reply = sql(*session, "x");
                QVERIFY(reply.outcome == (i % 3 == 0 ? outcome : Outcome::Ok));
                QCOMPARE(reply.code != 0, i % 3 == 0);
                if (reply.outcome == Outcome::Disconnected) {
                    QVERIFY(sql(*session, "x").outcome == Outcome::Disconnected);
                    VERIFY_REPLY(step(*session, RequestKind::Connect), *session);
                }
            }
        }
        QVERIFY(!driverFor("null")->open(targetOf("null:?fail_as=never")));
    }

    void nullSpeaksAllModels()
    {
        QCOMPARE(driverFor("null")->info().models.size(), std::size_t(3));
        const auto session = connected(targetOf("null:"));
        QVERIFY(session);
        for (const char* text : {"SELECT 1", R"({"find": "people"})", "get people 1"})
            VERIFY_REPLY(sql(*session, text), *session);
    }
};

} // namespace dyno::tst_null_driver

DYNO_SUITE(tst_null_driver, dyno::tst_null_driver::TstNullDriver)
#include "tst_null_driver.moc"
