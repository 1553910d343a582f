// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/language.h"

#include "desktop/pseudo_language.h"
#include "preferences.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace dyno {

namespace {

constexpr const char* kTranslations = ":/i18n";

} // namespace

QStringList shippedLanguages()
{
    QStringList languages{QStringLiteral("en")}; // of the sources
    const QString prefix = QStringLiteral("dynobench_");
    for (QString file : QDir(QLatin1String(kTranslations)).entryList({prefix + QStringLiteral("*.qm")}))
        languages << file.remove(prefix).remove(QStringLiteral(".qm"));
    languages.removeDuplicates();
    languages.sort();
    return languages;
}

QString languageName(const QString& language)
{
    const QLocale locale(language);
    QString name = locale.language() == QLocale::English ? QStringLiteral("English") : locale.nativeLanguageName();
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

void applyLanguage(QCoreApplication& app)
{
    applyLanguage(app, Preferences::instance().get(Preferences::language));
}

void applyLanguage(QCoreApplication& app, const QString& chosen)
{
    // A language that this build does not have (any more) is none.
    if (shippedLanguages().contains(chosen))
        QLocale::setDefault(QLocale(chosen));
    const QString objectName = QStringLiteral("languageTranslator");
    // Each takes itself out.
    qDeleteAll(app.findChildren<QTranslator*>(objectName, Qt::FindDirectChildrenOnly));
    const auto load = [&app, &objectName](const QString& name, const QString& folder) {
        auto* translator = new QTranslator(&app);
        translator->setObjectName(objectName);
        if (translator->load(QLocale(), name, QStringLiteral("_"), folder))
            QCoreApplication::installTranslator(translator);
        else
            delete translator;
    };
    load(QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    load(QStringLiteral("dynobench"), QLatin1String(kTranslations));
    if (chosen != QLatin1String(kPseudoLanguage))
        return;
    auto* pseudo = new PseudoTranslator(&app);
    pseudo->setObjectName(objectName);
    QCoreApplication::installTranslator(pseudo);
}

} // namespace dyno
