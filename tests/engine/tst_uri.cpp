// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "support/suite.h"
#include <dyno/uri_form.h>

#include <QTest>

namespace dyno::tst_uri {

namespace {

TargetUri parsed(std::string_view text)
{
    const Expected<TargetUri> uri = parseUri(text);
    if (!uri)
        QTest::qFail(uri.error().text().c_str(), __FILE__, __LINE__);
    return uri.value_or(TargetUri());
}

} // namespace

class TstUri : public QObject
{
    Q_OBJECT

private slots:
    void files()
    {
        const TargetUri uri = parsed("sqlite:data/a%20b%25.db");
        QCOMPARE(uri.kind, TargetKind::Embedded);
        QCOMPARE(uri.driver, std::string("sqlite"));
        QCOMPARE(uri.path, std::string("data/a b%.db"));
        QCOMPARE(uri.display(), std::string("sqlite:data/a%20b%25.db"));
        QCOMPARE(parsed("sqlite:/tmp/x.db").path, std::string("/tmp/x.db"));
        QCOMPARE(parsed("sqlite:///tmp/x.db").path, std::string("/tmp/x.db"));
        QCOMPARE(parsed("SQLite:x.db").scheme, std::string("sqlite"));
        QCOMPARE(parsed("sqlite:caf\u00e9.db").display(), std::string("sqlite:caf\u00e9.db"));
        // a private file of the session
        QCOMPARE(parsed("sqlite:").path, std::string());
        QCOMPARE(parsed("sqlite:").display(), std::string("sqlite:"));
    }

    void noNul()
    {
        for (const std::string_view text :
             {std::string_view("sqlite:a\0b.db", 13), std::string_view("mysql://h\0/d", 12)}) {
            const auto uri = parseUri(text);
            QVERIFY(!uri && uri.error().kind == ErrorKind::BadInput);
            QVERIFY2(QByteArray::fromStdString(uri.error().message).contains("NUL"), uri.error().text().c_str());
        }
    }

    void hostsAreNamesOrAddresses_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<bool>("fits");
        const auto row = [](const char* host, bool fits) { QTest::newRow(host) << host << fits; };
        for (const char* name : {"h", "DB-1.example_a.org", "10.0.0.7", "[::1]", "[fe80::1%25eth0]", "h:3306", ""})
            row(name, true);
        // What a client library would read as options, as another host or as a file.
        for (const char* other : {"h;plugin-dir=%2Ftmp%2Fevil",
                                  "h%3Bplugin-dir=%2Ftmp%2Fevil",
                                  ";plugin-dir=%2Ftmp",
                                  "h%20x",
                                  "h x",
                                  "h=1",
                                  "h%2Fx",
                                  "h%25s",
                                  "h\\x",
                                  "h'",
                                  "h\"",
                                  "%28ADDRESS=x%29",
                                  "h%2Cg",
                                  "h%3A3306",
                                  "::1",
                                  "[h;a=b]",
                                  "[::1;a=b]",
                                  "[]",
                                  "[::1%25a;b]",
                                  "[::1%25]",
                                  "h\u00e9",
                                  "h%40g"})
            row(other, false);
    }
    void hostsAreNamesOrAddresses()
    {
        QFETCH(QString, host);
        QFETCH(bool, fits);
        QStringList schemes;
        if (DYNO_HAVE_MYSQL == 1)
            schemes << "mysql"
                    << "mariadb";
        if (DYNO_HAVE_MONGODB == 1)
            schemes << "mongodb";
        for (const QString& scheme : std::as_const(schemes)) {
            const auto uri = parseUri((scheme + "://" + host + "/d").toStdString());
            QVERIFY2(uri.has_value() == fits, qPrintable(scheme));
            if (uri)
                QCOMPARE(parsed(uri->display()).host, uri->host);
            else
                QCOMPARE(uri.error().kind, ErrorKind::BadInput);
        }
        if (DYNO_HAVE_MONGODB == 1 && !host.contains(':') && !host.isEmpty())
            QCOMPARE(parseUri(("mongodb://a," + host + ",b/d").toStdString()).has_value(), fits);
    }

    void noControlCharacters_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"sqlite:a%s", "null:?fail_as=%s", "managed:mariadb?basedir=/x%s", "mysql://u%s@h/d",
                                 "mysql://h%s/d", "mysql://h/d%s", "mysql://h/d?tls_ca=/x%s", "mysql:///d?socket=/x%s",
                                 "mongodb://h/d?w=%s", "mongodb://%%2Fa%s/d"})
            QTest::newRow(text) << text;
    }
    void noControlCharacters()
    {
        QFETCH(QString, text);
        if ((text.startsWith("m") && DYNO_HAVE_MYSQL == 0) || (text.startsWith("mongo") && DYNO_HAVE_MONGODB == 0))
            QSKIP("built without this driver");
        const auto with = [&text](const QString& part) {
            return parseUri(QString(text).replace("%s", part).replace("%%", "%").toStdString());
        };
        QVERIFY(with("x"));
        for (const char* part : {"%0A", "%0d", "%09", "%1b", "%7F", "%00", "\n", "\r", "\t", "\x1b", "\x7f"}) {
            const auto uri = with(part);
            QVERIFY2(!uri, part);
            QVERIFY2(uri.error().message.find("control character") != std::string::npos, uri.error().text().c_str());
        }
    }

    void aSocketIsOfThisMachine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        const auto row = [](const char* text, const char* fault) { QTest::newRow(text) << text << fault; };
        row("mysql:///d?socket=/run/s", "");
        row("mysql://root@localhost:3306/d?socket=/run/s", "");
        row("mysql://127.0.0.1/d?socket=/run/s", "");
        row("mysql://db1/d?socket=/run/s", "beside the host db1");
        row("mysql://10.0.0.7:3306/d?socket=/run/s", "beside the host 10.0.0.7");
        row("mysql:///d?socket=run/s", "not the path");
        row("mysql:///d?socket=s", "not the path");
        row("mysql:///d?socket=/run/s;plugin-dir=/tmp", "not the path");
    }
    void aSocketIsOfThisMachine()
    {
        QFETCH(QString, text);
        QFETCH(QString, fault);
        if (DYNO_HAVE_MYSQL == 0)
            QSKIP("built without the MySQL-family driver");
        const auto uri = parseUri(text.toStdString());
        QCOMPARE(uri.has_value(), fault.isEmpty());
        if (!uri)
            QVERIFY2(QString::fromStdString(uri.error().message).contains(fault), uri.error().text().c_str());
    }

    void homeFolder()
    {
        const QByteArray before = qgetenv("HOME");
        qputenv("HOME", "/home/ann");
        const std::string path = parsed("sqlite:~/b.db").path;
        qputenv("HOME", before);
        QCOMPARE(path, std::string("/home/ann/b.db"));
    }

    void null()
    {
        const TargetUri uri = parsed("null:?service_us=100&fail_every=7");
        QCOMPARE(uri.driver, std::string("null"));
        QCOMPARE(uri.query.at("service_us"), std::string("100"));
        QCOMPARE(uri.display(), std::string("null:?fail_every=7&service_us=100"));
        QCOMPARE(parsed("null:").display(), std::string("null:"));
    }

    void servers()
    {
        if (DYNO_HAVE_MYSQL == 0)
            QSKIP("built without the MySQL-family driver");
        const TargetUri uri = parsed("mysql://ann%40home@localhost:3307/bench%2Fone?socket=/run/a%26b.sock&tls=on");
        QCOMPARE(uri.kind, TargetKind::Remote);
        QCOMPARE(uri.driver, std::string("mysql"));
        QCOMPARE(uri.user, std::string("ann@home"));
        QCOMPARE(uri.host, std::string("localhost"));
        QCOMPARE(uri.port, 3307);
        QCOMPARE(uri.database, std::string("bench/one"));
        QCOMPARE(uri.query.at("socket"), std::string("/run/a&b.sock"));
        QCOMPARE(uri.display(),
                 std::string("mysql://ann%40home@localhost:3307/bench%2Fone?socket=/run/a%26b.sock&tls=on"));
        QCOMPARE(parsed("mariadb://h").driver, std::string("mysql"));
        QCOMPARE(parsed("mysql://h").port, 0);
        QCOMPARE(parsed("mysql://root@[::1]:3306/d").host, std::string("::1"));
        QCOMPARE(parsed("mysql://root@[::1]:3306/d").display(), std::string("mysql://root@[::1]:3306/d"));
        QCOMPARE(parsed("mysql:///d?socket=/s").host, std::string());
        // an abstract socket's @ is no password
        QCOMPARE(parsed("mysql://root@localhost:3306/d?socket=@x").query.at("socket"), std::string("@x"));
        QCOMPARE(parsed("mysql://localhost:3306/d?socket=@x").user, std::string());
    }

    void mongodb()
    {
        if (DYNO_HAVE_MONGODB == 0)
            QSKIP("built without the MongoDB driver");
        const TargetUri uri =
            parsed("mongodb://ann@db.example:27018/shop?replicaSet=rs0&w=majority&readPreference=nearest");
        QCOMPARE(uri.driver, std::string("mongodb"));
        QCOMPARE(uri.port, 27018);
        QCOMPARE(uri.query.at("replicaSet"), std::string("rs0"));
        QCOMPARE(parsed("mongodb://h/d?replica_set=rs0").query.at("replica_set"), std::string("rs0"));
        QCOMPARE(parsed("mongodb+srv://h.example/d").driver, std::string("mongodb"));
        QCOMPARE(parsed("mongodb+srv://h.example/d").display(), std::string("mongodb+srv://h.example/d"));
        // a seed list
        const TargetUri list = parsed("mongodb://ann@a:1,b,[::1]:3/d");
        QCOMPARE(list.host, std::string("a:1,b,[::1]:3"));
        QCOMPARE(list.port, 0);
        QCOMPARE(list.user, std::string("ann"));
        QCOMPARE(list.display(), std::string("mongodb://ann@a:1,b,[::1]:3/d"));
        QCOMPARE(parsed(list.display()).host, list.host);
        QCOMPARE(parsed("mongodb://%2Frun%2Fa.sock,%2Frun%2Fb.sock/d").display(),
                 std::string("mongodb://%2Frun%2Fa.sock,%2Frun%2Fb.sock/d"));
        // a socket
        QCOMPARE(parsed("mongodb://%2Frun%2Fm.sock/d").host, std::string("/run/m.sock"));
        QCOMPARE(parsed("mongodb://db1,%2Frun%2Fm%3a1/d").display(), std::string("mongodb://db1,%2Frun%2Fm%3A1/d"));
        QCOMPARE(parsed("mongodb://%2Frun%2Fm.sock/d").display(), std::string("mongodb://%2Frun%2Fm.sock/d"));
        for (const char* wrong :
             {"mongodb://a:1,b:x/d", "mongodb://a,,b/d", "mongodb://a,/d", "mongodb://a,b:0/d", "mongodb://%2ck,b/d",
              "mongodb://a,%0Fr/d", "mysql://a%2Cb/d", "mongodb://h/d?replicaset=rs0",
              "mongodb://h/d?tlsCertificateKeyFilePassword=x", "mongodb://ann:pw@a,b/d", "mysql://a:1,b:2/d"})
            QVERIFY2(!parseUri(wrong), wrong);
        QVERIFY(parseUri("mongodb://h/d?replicaset=rs0").error().remedy.find("replicaSet") != std::string::npos);
    }

    void managed()
    {
        if (DYNO_HAVE_MYSQL == 0)
            QSKIP("built without the MySQL-family driver");
        const TargetUri uri = parsed("managed:mariadb?version=10.11&basedir=/opt/a%20b");
        QCOMPARE(uri.kind, TargetKind::Managed);
        QCOMPARE(uri.product, std::string("mariadb"));
        QCOMPARE(uri.driver, std::string("mysql"));
        QCOMPARE(uri.query.at("basedir"), std::string("/opt/a b"));
        QCOMPARE(uri.display(), std::string("managed:mariadb?basedir=/opt/a%20b&version=10.11"));
        QCOMPARE(parsed("managed:mysql").product, std::string("mysql"));
        QCOMPARE(parsed("managed:mysql?transport=tcp&name=shop-2.b").display(),
                 std::string("managed:mysql?name=shop-2.b&transport=tcp"));
    }

    void displayParsesToTheSame_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"sqlite:a b?c", "sqlite:a%3Fb%23c%25", "sqlite:////tmp/x.db", "null:?service_us=3"})
            QTest::newRow(text) << text;
    }
    void displayParsesToTheSame()
    {
        QFETCH(QString, text);
        const Expected<TargetUri> uri = parseUri(text.toStdString());
        if (!uri) {
            QCOMPARE(text, QString("sqlite:a b?c")); // the only one with a ? that is not encoded
            return;
        }
        const Expected<TargetUri> again = parseUri(uri->display());
        QVERIFY2(again, uri->display().c_str());
        QCOMPARE(again->path, uri->path);
        QCOMPARE(again->query, uri->query);
        QCOMPARE(again->display(), uri->display());
    }

    void passwordsAreRefusedAndNeverRepeated_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << "mysql://root:s3cret@h:3306/d";
        QTest::newRow("no host") << "mysql://root:s3cret@";
        QTest::newRow("with an @") << "mysql://root:s3cret@s3cret@h/d";
        QTest::newRow("with a slash") << "mysql://root:1/s3cret@h/d";
        QTest::newRow("with a slash, numeric") << "mysql://root:123/s3cret@h/d";
        QTest::newRow("with a question mark") << "mysql://root:1?s3cret@h/d";
        QTest::newRow("with a hash") << "mysql://root:1#s3cret@h/d";
        QTest::newRow("forgotten host") << "mysql://root:s3cret";
        QTest::newRow("forgotten host, database") << "mysql://root:s3cret/d";
        QTest::newRow("option") << "mysql://root@h/d?password=s3cret";
        QTest::newRow("option pwd") << "mysql://root@h/d?tls=on&PWD=s3cret";
        QTest::newRow("mongodb") << "mongodb://root:s3cret@h/d";
        QTest::newRow("postgresql") << "postgresql://root:s3cret@h/d?sslpassword=s3cret";
        QTest::newRow("unknown scheme") << "oracle://root:s3cret@h/d";
    }
    void passwordsAreRefusedAndNeverRepeated()
    {
        QFETCH(QString, text);
        const Expected<TargetUri> uri = parseUri(text.toStdString());
        QVERIFY(!uri);
        const std::string message = uri.error().text();
        QVERIFY2(message.find("s3cret") == std::string::npos, message.c_str());
        QVERIFY2(redactUri(text.toStdString()).find("s3cret") == std::string::npos,
                 redactUri(text.toStdString()).c_str());
    }

    void passwordRemedy()
    {
        const Expected<TargetUri> uri = parseUri("mysql://root:s3cret@h/d");
        QVERIFY(!uri);
        QCOMPARE(uri.error().where, std::string("mysql://root:***@h/d"));
        for (const char* word : {"keyring", "DYNO_PASSWORD", "option file"})
            QVERIFY2(uri.error().remedy.find(word) != std::string::npos, word);
    }

    void displayNeverHoldsThePassword()
    {
        TargetUri uri = parsed("sqlite:x.db");
        uri.kind = TargetKind::Remote;
        uri.path.clear();
        uri.host = "h";
        uri.user = "root";
        uri.password = "s3cret";
        uri.query["password"] = "s3cret";
        QCOMPARE(uri.display(), std::string("sqlite://root@h"));
    }

    void redactionLeavesTheRest()
    {
        QCOMPARE(redactUri("mysql://root@h:3306/d?tls=on"), std::string("mysql://root@h:3306/d?tls=on"));
        QCOMPARE(redactUri("mysql://h:3306"), std::string("mysql://h:3306"));
        QCOMPARE(redactUri("sqlite:/a@b:c.db"), std::string("sqlite:/a@b:c.db"));
        QCOMPARE(redactUri("mysql://u:p@h/d?a=1&password=p&b=2"),
                 std::string("mysql://u:***@h/d?a=1&password=***&b=2"));
        QCOMPARE(redactUri(""), std::string());
    }

    void faultsHaveARemedy_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("empty") << ""
                               << "empty"
                               << "sqlite:PATH";
        QTest::newRow("a file name") << "bench.db"
                                     << "no scheme"
                                     << "sqlite:PATH";
        QTest::newRow("typing error") << "sqlit:x.db"
                                      << "no scheme"
                                      << "did you mean \"sqlite:\"";
        QTest::newRow("unknown") << "foo:bar"
                                 << "no scheme \"foo\""
                                 << "sqlite:PATH";
        QTest::newRow("host for a file") << "sqlite://tmp/x.db"
                                         << "two slashes"
                                         << "sqlite:PATH";
        QTest::newRow("option of a file") << "sqlite:x.db?mode=ro"
                                          << "no options"
                                          << "%3F";
        QTest::newRow("percent") << "sqlite:100%.db"
                                 << "two hexadecimal"
                                 << "%25";
        QTest::newRow("percent 00") << "sqlite:a%00b"
                                    << "two hexadecimal"
                                    << "%25";
        QTest::newRow("percent at the end") << "sqlite:a%4"
                                            << "two hexadecimal"
                                            << "%25";
        QTest::newRow("no slashes") << "mysql:localhost"
                                    << "slashes are missing"
                                    << "mysql://";
        QTest::newRow("port") << "mysql://h:70000/d"
                              << "1 to 65535"
                              << "[::1]";
        QTest::newRow("port 0") << "mysql://h:0/d"
                                << "1 to 65535"
                                << "[::1]";
        QTest::newRow("bracket") << "mysql://[::1/d"
                                 << "bracket"
                                 << "[::1]:3306";
        QTest::newRow("two databases") << "mysql://h/a/b"
                                       << "more than one name"
                                       << "mysql://";
        QTest::newRow("option name") << "managed:mariadb?versoin=11"
                                     << "\"versoin\""
                                     << "did you mean \"version\"";
        QTest::newRow("option without a value") << "managed:mariadb?version="
                                                << "no value"
                                                << "version=VALUE";
        QTest::newRow("transport") << "managed:mysql?transport=pipe"
                                   << "pipe"
                                   << "transport=tcp";
        QTest::newRow("name of a server") << "managed:mysql?name=../x"
                                          << "../x"
                                          << "letters";
        QTest::newRow("option twice") << "managed:mariadb?version=1&version=2"
                                      << "twice"
                                      << "once";
        QTest::newRow("product") << "managed:oracle"
                                 << "cannot start"
                                 << "managed:mariadb";
        QTest::newRow("no product") << "managed:"
                                    << "which server"
                                    << "managed:mariadb";
        QTest::newRow("null's number") << "null:?service_us=soon"
                                       << "whole number"
                                       << "null:?service_us=100";
        QTest::newRow("null's range") << "null:?service_us=-1"
                                      << "service_us=-1 is not a whole number from 0"
                                      << "null:?service_us=100";
        QTest::newRow("null's flag") << "null:?pending=perhaps"
                                     << "pending=\"perhaps\" is not true or false"
                                     << "null:?service_us=100";
        if (DYNO_HAVE_MONGODB == 1)
            QTest::newRow("milliseconds") << "mongodb://h/d?connectTimeoutMS=soon"
                                          << "connectTimeoutMS=\"soon\" is not a number of at least 1 ms"
                                          << "give a number";
        QTest::newRow("null's path") << "null:x"
                                     << "no path"
                                     << "null:";
        if (DYNO_HAVE_CLICKHOUSE == 0)
            QTest::newRow("clickhouse") << "clickhouse://h/d"
                                        << "no driver for ClickHouse"
                                        << "libcurl4-openssl-dev";
        if (DYNO_HAVE_ROCKSDB == 0)
            QTest::newRow("rocksdb") << "rocksdb:data"
                                     << "no driver for RocksDB"
                                     << "librocksdb-dev";
    }
    void faultsHaveARemedy()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QFETCH(QString, remedy);
        const Expected<TargetUri> uri = parseUri(text.toStdString());
        QVERIFY(!uri);
        QCOMPARE(uri.error().kind, ErrorKind::BadInput);
        const QString all = QString::fromStdString(uri.error().text());
        QVERIFY2(QString::fromStdString(uri.error().message).contains(message), qPrintable(all));
        QVERIFY2(QString::fromStdString(uri.error().remedy).contains(remedy), qPrintable(all));
    }

    //! A form says of each option what it is, and takes what it says.
    void optionsAreDescribed()
    {
        for (const UriForm& form : uriForms()) {
            for (const UriOption& option : form.options) {
                const OptionSpec& spec = option.spec;
                const std::string about = form.schemes.front().name + ": " + spec.name;
                QVERIFY2(!spec.label.empty() && !spec.help.empty(), about.c_str());
                QVERIFY2(coerce(spec, spec.defaultValue), about.c_str());
                QCOMPARE(form.option(spec.name), &option); // no name twice
                if (const UriOption* meant = form.option(option.means))
                    QCOMPARE(spec.help, meant->spec.help);
                else
                    QVERIFY2(option.means.empty(), about.c_str());
                std::vector<std::string> values = spec.choices;
                if (spec.type != OptionType::Choice && spec.type != OptionType::Text)
                    values.push_back(toText(spec.defaultValue));
                std::erase(values, "");
                std::string example = form.schemes.front().example;
                example = example.substr(0, std::min(example.find(":port"), example.find('?')));
                for (const std::string& value : form.built ? values : std::vector<std::string>())
                    QVERIFY2(parseUri(example + "?" + spec.name + "=" + value), (about + "=" + value).c_str());
            }
        }
    }

    void whatIsLocal_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<bool>("local");
        const auto row = [](const char* uri, bool local) { QTest::newRow(uri) << uri << local; };
        row("mysql://localhost/d", true);
        row("mysql://LOCALHOST:3307/d", true);
        row("mysql://127.0.0.1/d", true);
        row("mysql://127.8.9.10/d", true);
        row("mysql://[::1]/d", true);
        row("mysql:///d", true);
        row("mysql:///d?socket=/run/mysqld.sock", true);
        row("mysql://127.example.org/d", false);
        row("mysql://localhost.example.org/d", false);
        row("mysql://128.0.0.1/d", false);
        row("mysql://[::2]/d", false);
        row("mysql://db1/d", false);
        row("sqlite:file.db", true);
        row("mongodb://127.0.0.1:1,localhost,[::1]:3/d", true);
        row("mongodb://%2Frun%2Fa.sock,127.0.0.1/d", true);
        row("mongodb://127.0.0.1:1,db1:2/d", false);
        row("mongodb://%2Frun%2Fa.sock,db1/d", false);
        row("mongodb+srv://localhost/d", false);
    }
    void whatIsLocal()
    {
        QFETCH(QString, uri);
        QFETCH(bool, local);
        if (uri.startsWith("mysql") && DYNO_HAVE_MYSQL == 0)
            QSKIP("this build has no MySQL driver");
        if (uri.startsWith("mongodb") && DYNO_HAVE_MONGODB == 0)
            QSKIP("this build has no MongoDB driver");
        const auto parsed = parseUri(uri.toStdString());
        QVERIFY(parsed);
        QCOMPARE(isLocal(*parsed), local);
    }

    void missingMysqlDriverNamesThePackage()
    {
        const Expected<TargetUri> uri = parseUri("mysql://h/d");
        const Expected<TargetUri> managedUri = parseUri("managed:mariadb");
        QCOMPARE(bool(uri), DYNO_HAVE_MYSQL == 1);
        QCOMPARE(bool(managedUri), DYNO_HAVE_MYSQL == 1);
        if (!uri)
            QVERIFY(uri.error().remedy.find("libmariadb-dev") != std::string::npos);
    }
};

} // namespace dyno::tst_uri

DYNO_SUITE(tst_uri, dyno::tst_uri::TstUri)
#include "tst_uri.moc"
