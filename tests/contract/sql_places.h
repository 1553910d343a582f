// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The SQL databases that a test runs on: a file of SQLite, MariaDB where there is one, MySQL 8.0 where
//! DYNO_TEST_MYSQL80 names it, and PostgreSQL where there is one.
#pragma once

#include "driver/driver.h"
#include "engine/managed_test.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"

#include <QTemporaryDir>

#include <memory>
#include <string>
#include <vector>

namespace dyno::test {

struct SqlPlace
{
    std::string name, driver;
    ConnectTarget target;
    std::unique_ptr<Admin> admin;
};

//! Which of them a test is about.
struct SqlProducts
{
    bool sqlite = true;
    bool mysql = true; //!< MySQL 8.0 beside MariaDB
    bool postgresql = true;
    std::vector<std::string> postgresqlSettings = {}; //!< as PostgresqlServerOptions has them
};

//! They run until stop(); places are in the order SQLite, MariaDB, MySQL, PostgreSQL.
class SqlPlaces
{
    QTemporaryDir m_dir;
    MariadbFixture m_mariadb;
    std::unique_ptr<ManagedServer> m_mysql;
    PostgresqlFixture m_postgresql;
    SqlProducts m_products;

public:
    std::vector<SqlPlace> all; //!< last, so that nobody is connected when servers end

    //! Products of the test that take no part, and why; "" when all do.
    [[nodiscard]] std::string missing() const
    {
        std::string text;
        const auto add = [&text](const std::string& why) { text += (text.empty() || why.empty() ? "" : "; ") + why; };
        add(MariadbFixture::whyMissing());
        if (m_products.mysql && basedirIn("DYNO_TEST_MYSQL80").empty())
            add("MySQL 8.0 takes no part: DYNO_TEST_MYSQL80 does not name its folder");
        if (m_products.postgresql)
            add(PostgresqlFixture::whyMissing());
        return text;
    }
    Expected<void> start(const SqlProducts& products)
    {
        m_products = products;
        const Settings quick{{"innodb_flush_log_at_trx_commit", std::int64_t(0)}}; // nothing must outlive a power cut
        Expected<void> done;
        if (products.sqlite)
            done = add("SQLite", *parseUri("sqlite:" + m_dir.filePath("places.db").toStdString()));
        if (done && MariadbFixture::whyMissing().empty()) {
            done = m_mariadb.start(quick);
            if (done)
                done = add("MariaDB", *parseUri(m_mariadb.uriText()));
        }
        if (done && products.mysql && !basedirIn("DYNO_TEST_MYSQL80").empty())
            done = addMysql(quick);
        if (done && products.postgresql && PostgresqlFixture::whyMissing().empty()) {
            done = m_postgresql.start({.settings = products.postgresqlSettings});
            if (done)
                done = add("PostgreSQL", m_postgresql.uri());
        }
        return done;
    }
    void stop()
    {
        all.clear();
        m_mysql.reset();
        m_postgresql.stop();
    }

private:
    Expected<void> addMysql(const Settings& quick)
    {
        auto server = ManagedServer::create(managedUri("mysql", {{"basedir", basedirIn("DYNO_TEST_MYSQL80")}}),
                                            DYNO_TEST_WORK_DIR);
        if (!server)
            return fail(server.error());
        m_mysql = std::move(*server);
        Settings knobs = smallKnobs(quick);
        knobs.insert({{"innodb_flush_method", std::string("nosync")}, {"performance_schema", false}});
        if (auto ready = m_mysql->ensure(knobs); !ready)
            return fail(ready.error());
        return add("MySQL 8.0", m_mysql->connectUri());
    }
    Expected<void> add(const char* name, TargetUri uri)
    {
        SqlPlace place{name, uri.driver, {}, nullptr};
        place.target.uri = std::move(uri);
        Faults faults;
        const Settings wanted = place.driver == "sqlite" ? Settings{{"synchronous", std::string("OFF")}} : Settings();
        place.target.connection = resolve(driverFor(place.driver)->info().connection, wanted, "connection", faults);
        auto admin = driverFor(place.driver)->admin(place.target);
        if (!admin)
            return fail(admin.error());
        place.admin = std::move(*admin);
        all.push_back(std::move(place));
        return {};
    }
};

} // namespace dyno::test

//! In initTestCase(): starts those that the last arguments name (members of SqlProducts), and skips the test where
//! there must be a MariaDB and is none.
#define DYNO_START_PLACES(places, needsMariadb, ...)                                                                   \
    do {                                                                                                               \
        if (const std::string why = dyno::test::MariadbFixture::whyMissing(); (needsMariadb) && !why.empty())          \
            QSKIP(why.c_str());                                                                                        \
        const auto started = (places).start({__VA_ARGS__});                                                            \
        QVERIFY2(started, started ? "" : started.error().text().c_str());                                              \
    } while (false)

//! A test function that is skipped, with the reason, where a product takes no part: what passes was not looked at
//! there.
#define DYNO_TEST_ALL_PLACES(places)                                                                                   \
    do {                                                                                                               \
        if (const std::string missing = (places).missing(); !missing.empty())                                          \
            QSKIP(missing.c_str());                                                                                    \
    } while (false)
