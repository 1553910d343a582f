// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/import_text.h"

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
    auto ids = library.importFile(file, &sessions.left, &sessions.damaged);
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

QString damageText(const ImportedSessions& sessions)
{
    QStringList parts;
    for (const auto& [session, damage] : sessions.damaged) {
        for (const std::string& part : damage)
            parts += QString::fromStdString(part);
    }
    return parts.isEmpty() ? QString()
                           : ImportText::tr("imported with damage: %1").arg(parts.join(QStringLiteral("; ")));
}

} // namespace dyno
