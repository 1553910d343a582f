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
//! Takes texts and format of numbers of Preferences::language, else of the system. Replaces the translations of an
//! earlier call. After Theme::apply(): English plurals give way to those of a translation that is installed later.
//! Before the first window: what is shown by then stays as it is.
void applyLanguage(QCoreApplication& app);
//! As if `chosen` were the preference; kPseudoLanguage has the system's numbers.
void applyLanguage(QCoreApplication& app, const QString& chosen);

} // namespace dyno
