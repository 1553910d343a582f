// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of the MongoDB driver share.
#pragma once

#include "session_test.h"
#include "support/mongo_fixture.h"
#include "support/verify.h"

namespace dyno::test {

inline Reply json(Session& session, std::string_view text)
{
    return sendText(session, text);
}

inline SessionPtr openMongoSession(const ConnectTargetPtr& target)
{
    return openSession("mongodb", target);
}

//! A session that has connected; warns when it could not.
inline SessionPtr connectedSession(const ConnectTargetPtr& target)
{
    SessionPtr session = openMongoSession(target);
    if (session && run(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
        qWarning("%s", session->lastError().c_str());
    return session;
}

} // namespace dyno::test
