// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the knobs of TLS come to, whatever the driver; the drivers' own tests connect with them.
#include "driver/tls_options.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace dyno::tst_tls_options {

class TestTlsOptions : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    static ConnectTarget target(const std::string& host, const Settings& knobs = {})
    {
        ConnectTarget made;
        made.uri.driver = made.uri.scheme = "mysql";
        made.uri.host = host;
        made.connection = knobs;
        return made;
    }
    std::string pem(const char* name, const char* text = "-----BEGIN CERTIFICATE-----\n") const
    {
        const std::string file = m_dir.filePath(name).toStdString();
        std::ofstream(file) << text;
        return file;
    }
    static std::string faultOf(const ConnectTarget& target, TlsMode mode, TlsPlace place = {})
    {
        const auto read = readTlsOptions(target, mode, place);
        return read ? std::string() : read.error().text();
    }

private slots:
    void modes_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("word");
        QTest::addColumn<bool>("authority");
        QTest::addColumn<int>("mode"); // -1: refused
        const auto row = [](const char* host, const char* word, bool authority, int mode) {
            QTest::addRow("%s tls=%s%s", host, word, authority ? " tls_ca" : "") << host << word << authority << mode;
        };
        const int off = int(TlsMode::Off), required = int(TlsMode::Required), verify = int(TlsMode::Verify);
        row("127.0.0.1", "", false, off);
        row("127.0.0.1", "", true, verify);
        row("db.example", "", false, verify);
        row("db.example", "off", true, off);
        row("db.example", "false", false, off);
        row("127.0.0.1", "required", false, required);
        row("127.0.0.1", "verify", false, verify);
        row("127.0.0.1", "on", false, verify);
        row("127.0.0.1", "true", false, verify);
        row("127.0.0.1", "maybe", false, -1);
    }
    void modes()
    {
        QFETCH(QString, host);
        QFETCH(QString, word);
        QFETCH(bool, authority);
        QFETCH(int, mode);
        const std::string ca = pem("ca.pem");
        ConnectTarget asked = target(host.toStdString(), {{"tls", word.toStdString()}});
        if (authority)
            asked.connection["tls_ca"] = ca;
        const auto found = tlsModeOf(asked);
        QCOMPARE(found ? int(*found) : -1, mode);
        QVERIFY(found || found.error().text().find("off, required or verify") != std::string::npos);
        ConnectTarget queried = target(host.toStdString());
        queried.uri.query["tls"] = word.toStdString();
        if (authority)
            queried.uri.query["tls_ca"] = ca;
        const auto same = tlsModeOf(queried);
        QCOMPARE(same ? int(*same) : -1, mode);
        if (!found)
            return;
        const auto read = readTlsOptions(asked, TlsMode::Required);
        QVERIFY(read);
        QCOMPARE(read->ca, authority ? ca : std::string());
        QCOMPARE(read->byDefault, word.isEmpty() && host == u"db.example");
    }

    void files()
    {
        const std::string cert = pem("cert.pem"), key = pem("key.pem");
        const auto both =
            readTlsOptions(target("h", {{"tls_cert", cert}, {"tls_key", key}, {"tls_min_version", std::string("1.3")}}),
                           TlsMode::Required);
        QVERIFY(both);
        QCOMPARE(both->cert, cert);
        QCOMPARE(both->key, key);
        QCOMPARE(both->oldest, std::string("1.3"));
        const auto says = [](const std::string& text, const char* part) {
            return text.find(part) != std::string::npos;
        };
        QVERIFY(says(faultOf(target("h", {{"tls_cert", cert}}), TlsMode::Required), "without tls_key"));
        QVERIFY(says(faultOf(target("h", {{"tls_key", key}}), TlsMode::Required), "without tls_cert"));
        const ConnectTarget plain = target("h", {{"tls_cert", cert}, {"tls_key", key}});
        QVERIFY(says(faultOf(plain, TlsMode::Off), "add tls=verify"));
        QVERIFY(says(faultOf(plain, TlsMode::Off, {.socket = true}), "Unix socket"));
        QVERIFY(says(faultOf(target("h", {{"tls_min_version", std::string("1.1")}}), TlsMode::Required), "1.2 or 1.3"));
        QVERIFY(says(faultOf(target("h", {{"tls_ca", pem("text", "no PEM")}}), TlsMode::Verify), "not a PEM file"));
        QVERIFY(says(faultOf(target("h", {{"tls_ca", std::string("/nowhere")}}), TlsMode::Verify), "cannot be read"));
    }

    //! Without an authority those of the system are asked, as one file where the library takes no folder.
    void authoritiesOfTheSystem()
    {
        qunsetenv("SSL_CERT_FILE");
        const auto read = readTlsOptions(target("h"), TlsMode::Verify, {.caFolder = false});
        if (!read)
            QSKIP(read.error().text().c_str());
        QVERIFY(std::filesystem::exists(read->ca) && read->caFolder.empty());
        const auto any = readTlsOptions(target("h"), TlsMode::Verify);
        QVERIFY(any && any->ca.empty() != any->caFolder.empty());
    }
};

} // namespace dyno::tst_tls_options

DYNO_SUITE(tst_tls_options, dyno::tst_tls_options::TestTlsOptions)
#include "tst_tls_options.moc"
