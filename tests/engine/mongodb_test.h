// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of the MongoDB driver share.
#pragma once

#include "driver/driver.h"
#include "support/mongo_fixture.h"

#include <QtTest>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dyno::test {

using SessionPtr = std::unique_ptr<Session>;

inline Reply run(Session& session, const Request& request)
{
    if (session.start(request) != Progress::Done)
        qFatal("the blocking driver must answer Done");
    return session.reply();
}

inline Reply json(Session& session, std::string_view text)
{
    return run(session, Request::sql(text));
}

inline Reply execute(Session& session, unsigned statement, std::span<const Param> params = {})
{
    return run(session, Request::execute(StatementId{statement}, params));
}

//! A session that is not connected yet.
inline SessionPtr openSession(const ConnectTargetPtr& target)
{
    auto session = driverFor("mongodb")->open(target);
    if (!session)
        qWarning("%s", session.error().text().c_str());
    return session ? std::move(*session) : nullptr;
}

//! A session that has connected; warns when it could not.
inline SessionPtr connectedSession(const ConnectTargetPtr& target)
{
    SessionPtr session = openSession(target);
    if (session && run(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
        qWarning("%s", session->lastError().c_str());
    return session;
}

} // namespace dyno::test

#define COMPARE_OK(session, reply)                                                                                     \
    do {                                                                                                               \
        const dyno::Reply replied = (reply);                                                                           \
        QVERIFY2(replied.outcome == dyno::Outcome::Ok, (session).lastError().c_str());                                 \
    } while (false)
#define VERIFY_DONE(expected)                                                                                          \
    do {                                                                                                               \
        const auto& doneResult = (expected);                                                                           \
        QVERIFY2(doneResult, doneResult ? "" : doneResult.error().text().c_str());                                     \
    } while (false)
