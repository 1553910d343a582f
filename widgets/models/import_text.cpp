// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/import_text.h"

#include <QCoreApplication>

namespace dyno {

namespace {

class ImportText
{
    Q_DECLARE_TR_FUNCTIONS(ImportText)
};

} // namespace

Expected<ImportedSessions> importInto(Library& library, const std::string& file)
{
    ImportedSessions sessions;
    auto ids = library.importFile(file, &sessions.left);
    if (!ids)
        return fail(std::move(ids.error()));
    sessions.ids = std::move(*ids);
    return sessions;
}

QString leftText(const ImportedSessions& sessions)
{
    const int left = int(sessions.left.size());
    if (left == 0)
        return {};
    return left == 1
               ? ImportText::tr("1 session was in the library already and was left as it is")
               : ImportText::tr("%n sessions were in the library already and were left as they are", nullptr, left);
}

} // namespace dyno
