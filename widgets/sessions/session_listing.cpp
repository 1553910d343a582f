// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_listing.h"

namespace dyno {

Expected<SessionListing> readListing(Library& library, const std::string& query, bool archived, int known)
{
    SessionListing list;
    list.all = known;
    if (auto removed = library.removed())
        list.removed = std::move(*removed);
    if (query.empty() || known == 0) {
        auto all = library.sessions(archived ? Library::Listing::All : Library::Listing::Current);
        if (!all)
            return fail(all.error());
        list.all = int(all->size());
        if (query.empty()) {
            list.sessions = std::move(*all);
            return list;
        }
    }
    auto found = library.search(archived && query.find("is:") == std::string::npos ? query + " is:any" : query);
    if (found)
        list.sessions = std::move(*found);
    else if (found.error().kind == ErrorKind::BadInput)
        list.wrong = found.error();
    else
        return fail(found.error());
    return list;
}

} // namespace dyno
