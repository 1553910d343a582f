// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The languages that this build has, and the one in use. GUI thread.
#pragma once

#include <QStringList>

class QCoreApplication;

namespace dyno {

//! Locale names, "en" and those of the translations that are compiled in; sorted.
[[nodiscard]] QStringList shippedLanguages();
//! "Deutsch", in the language itself.
[[nodiscard]] QString languageName(const QString& language);
//! Takes the language and the number format of Preferences::language, else those of the system. Replaces the
//! translations of an earlier call. Before the first window: what is shown by then stays as it is.
void applyLanguage(QCoreApplication& app);

} // namespace dyno
