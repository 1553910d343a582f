// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What tests of blocking sessions share, whatever the driver: one request after the other.
#pragma once

#include "driver/driver.h"

#include <QTest>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dyno::test {

using SessionPtr = std::unique_ptr<Session>;

//! A session of a driver that is not connected yet; nullptr with a warning when there is none.
inline SessionPtr openSession(std::string_view driver, const ConnectTargetPtr& target)
{
    auto session = driverFor(driver)->open(target);
    if (!session)
        qWarning("%s", session.error().text().c_str());
    return session ? std::move(*session) : nullptr;
}

inline Reply run(Session& session, const Request& request)
{
    if (session.start(request) != Progress::Done)
        qFatal("the blocking driver must answer Done");
    return session.reply();
}

//! A statement in the driver's language, as text.
inline Reply sendText(Session& session, std::string_view text)
{
    return run(session, Request::sql(text));
}
inline Reply sql(Session& session, std::string_view text)
{
    return sendText(session, text);
}

inline Reply execute(Session& session, unsigned statement, std::span<const Param> params = {})
{
    return run(session, Request::execute(StatementId{statement}, params));
}

inline StatementSpec statement(std::string text, std::vector<Param::Type> parameters = {}, bool returnsRows = false)
{
    StatementSpec spec;
    spec.text = std::move(text);
    spec.parameters = std::move(parameters);
    spec.returnsRows = returnsRows;
    return spec;
}

constexpr auto kInteger = Param::Type::Integer;
constexpr auto kReal = Param::Type::Real;
constexpr auto kText = Param::Type::Text;

} // namespace dyno::test

#define COMPARE_OK(session, reply)                                                                                     \
    do {                                                                                                               \
        const dyno::Reply replied = (reply);                                                                           \
        QVERIFY2(replied.outcome == dyno::Outcome::Ok, (session).lastError().c_str());                                 \
    } while (false)
