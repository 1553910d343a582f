// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! For test programs that run whole against each server of MongoDB's protocol that can be had: the one that
//! DYNO_TEST_MONGODB names, a FerretDB of our own, a mongod of our own. They are the rows of initTestCase_data().
#pragma once

#include "support/mongo_fixture.h"

#include <QTest>

#include <array>
#include <memory>

namespace dyno::test {

class MongoServers
{
public:
    //! In initTestCase_data(). `own`: without the one that somebody else started.
    static void addRows(bool own)
    {
        QTest::addColumn<int>("server");
        if (!own && qEnvironmentVariableIsSet("DYNO_TEST_MONGODB"))
            QTest::newRow("given") << 0;
        if (MongoFixture::whyMissing(MongoProduct::Ferretdb).empty())
            QTest::newRow("FerretDB") << 1;
        if (MongoFixture::whyMissing(MongoProduct::Mongod).empty())
            QTest::newRow("mongod") << 2;
        else
            QTest::newRow("no mongod") << -2;
    }

    //! In init(): starts the row's server when it is needed first. nullptr: there is none, and why() says why.
    Expected<void> take(MongoServerOptions options = {})
    {
        QFETCH_GLOBAL(int, server);
        m_server = nullptr;
        if (server < 0)
            return {};
        Place& place = m_places.at(std::size_t(server));
        m_server = &place.fixture;
        if (std::exchange(place.started, true))
            return {};
        options.product = server == 2 ? MongoProduct::Mongod : MongoProduct::Ferretdb;
        if (auto started = server == 0 ? place.fixture.start() : place.fixture.startOwn(options); !started)
            return started;
        auto admin = place.fixture.admin();
        if (!admin)
            return fail(admin.error());
        place.admin = std::move(*admin);
        m_fresh = true;
        return {};
    }
    [[nodiscard]] static std::string why() { return MongoFixture::whyMissing(MongoProduct::Mongod); }
    //! True once for each server, after it was started.
    [[nodiscard]] bool fresh() { return std::exchange(m_fresh, false); }
    [[nodiscard]] MongoFixture* server() const { return m_server; }
    [[nodiscard]] Admin* admin() const
    {
        for (const Place& place : m_places) {
            if (&place.fixture == m_server)
                return place.admin.get();
        }
        return nullptr;
    }

private:
    struct Place
    {
        MongoFixture fixture;
        std::unique_ptr<Admin> admin; //!< goes first
        bool started = false;
    };
    std::array<Place, 3> m_places;
    MongoFixture* m_server = nullptr;
    bool m_fresh = false;
};

} // namespace dyno::test

//! In init(): takes the row's server, or skips the test.
#define DYNO_TAKE_MONGO(servers, ...)                                                                                  \
    do {                                                                                                               \
        const auto takenMongo = (servers).take(__VA_ARGS__);                                                           \
        QVERIFY2(takenMongo, takenMongo ? "" : takenMongo.error().text().c_str());                                     \
        if (!(servers).server())                                                                                       \
            QSKIP(dyno::test::MongoServers::why().c_str());                                                            \
    } while (false)
