// SPDX-License-Identifier: GPL-3.0-or-later
// What is installed for the file manager: which files are ours, and that a double click opens them.
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <QDir>
#include <QFile>
#include <QMimeDatabase>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

namespace dyno::tst_desktop_files {
using namespace Qt::StringLiterals;

const QString kSession = u"application/vnd.dynobench.session"_s, kPlan = u"application/vnd.dynobench.plan"_s;

QString resource(const QString& name)
{
    return QStringLiteral(DYNO_SOURCE_DIR "/resources/") + name;
}

class TestDesktopFiles : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    [[nodiscard]] QString typeOf(const QString& file) const { return QMimeDatabase().mimeTypeForFile(file).name(); }
    [[nodiscard]] QString written(const char* name, const std::string& text) const
    {
        const QString path = m_dir.filePath(QLatin1String(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()))
            qFatal("cannot write %s", name);
        return path;
    }

private slots:
    void initTestCase()
    {
        // As a desktop has it after the installation, on one that knows no other types.
        QVERIFY(QDir(m_dir.path()).mkpath(u"data/mime/packages"_s));
        const QString data = m_dir.filePath(u"data"_s);
        QVERIFY(QFile::copy(resource(u"org.dynobench.Dynobench.mime.xml"_s),
                            data + u"/mime/packages/org.dynobench.Dynobench.xml"_s));
        qputenv("XDG_DATA_HOME", data.toUtf8());
        qputenv("XDG_DATA_DIRS", data.toUtf8());
        QVERIFY(QMimeDatabase().mimeTypeForName(kPlan).isValid());
    }
    void sessionsAndPlansAreKnown()
    {
        QCOMPARE(typeOf(written("one.dyno", "SQLite format 3")), kSession);
        const QDir recipesDir(resource(u"recipes"_s));
        const QStringList files = recipesDir.entryList({u"*.toml"_s});
        QVERIFY(files.size() > 20);
        for (const QString& file : files)
            QCOMPARE(typeOf(recipesDir.filePath(file)) + u' ' + file, kPlan + u' ' + file);
        QCOMPARE(typeOf(written("saved.toml", writePlan(*recipePlan("durability-sqlite")))), kPlan);
    }
    //! A double click on another program's settings does not come here.
    void otherFilesAreNotTaken()
    {
        QCOMPARE(typeOf(written("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\n")), u"application/toml"_s);
        QCOMPARE(typeOf(written("target.toml", "[target]\nuri = \"x\"\n")), u"application/toml"_s);
        QCOMPARE(typeOf(written("empty.toml", "")), u"application/toml"_s);
    }
    //! The starter, the description of the types and that of the program name the same types.
    void theFilesAgree()
    {
        QFile desktop(resource(u"org.dynobench.Dynobench.desktop"_s));
        QVERIFY(desktop.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(desktop.readAll());
        QVERIFY(text.contains(u"\nExec=dynobench %f\n"_s));
        const auto types = QRegularExpression(u"\nMimeType=(.*);\n"_s).match(text).captured(1).split(u';');
        QCOMPARE(types, (QStringList{kSession, kPlan}));
        QFile about(resource(u"org.dynobench.Dynobench.metainfo.xml"_s));
        QVERIFY(about.open(QIODevice::ReadOnly));
        QStringList told;
        QXmlStreamReader xml(&about);
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == u"mediatype"_s)
                told << xml.readElementText();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(told, types);
        for (const QString& type : types)
            QVERIFY2(QMimeDatabase().mimeTypeForName(type).isValid(), qPrintable(type));
    }
};

} // namespace dyno::tst_desktop_files

DYNO_SUITE(tst_desktop_files, dyno::tst_desktop_files::TestDesktopFiles)
#include "tst_desktop_files.moc"
