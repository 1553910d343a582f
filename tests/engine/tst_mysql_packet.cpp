// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! COM_STMT_EXECUTE byte by byte, as the protocol's documentation has it (MySQL, "COM_STMT_EXECUTE"; MariaDB,
//! "COM_STMT_EXECUTE"): number, flags 00, 1 as how often, a bit for each NULL, whether types follow, two bytes for each
//! type (08 64-bit integer, 05 double, fe text), the values; without a server. tst_mysql_driver has servers read such
//! packets.
#include "driver/mysql/mysql_packet.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_mysql_packet {
using dyno::mysql::ExecutePacket;
using dyno::mysql::ParameterTypes;

namespace {
using enum Param::Type;

QByteArray hexOf(const ExecutePacket& packet)
{
    return QByteArray(packet.bytes().data(), qsizetype(packet.bytes().size())).toHex(' ');
}
} // namespace

class TestMysqlPacket : public QObject
{
    Q_OBJECT
private slots:
    void withoutParameters();
    void typesGoOnce();
    void nulls();
    void textLengths_data();
    void textLengths();
};

void TestMysqlPacket::withoutParameters()
{
    ExecutePacket packet;
    ParameterTypes types;
    packet.write(0x01020304, {}, types);
    QCOMPARE(hexOf(packet), QByteArray("04 03 02 01 00 01 00 00 00"));
}

void TestMysqlPacket::typesGoOnce()
{
    ExecutePacket packet;
    ParameterTypes types{{Integer, Real, Text}, false};
    const std::vector<Param> values{Param::of(std::int64_t(-2)), Param::of(1.5), Param::of(std::string_view("abc"))};
    const QByteArray head("07 00 00 00 00 01 00 00 00 00 ");
    const QByteArray bound("fe ff ff ff ff ff ff ff 00 00 00 00 00 00 f8 3f 03 61 62 63");
    packet.write(7, values, types);
    QCOMPARE(hexOf(packet), head + "01 08 00 05 00 fe 00 " + bound);
    packet.write(7, values, types); // the server has not answered
    QCOMPARE(hexOf(packet), head + "01 08 00 05 00 fe 00 " + bound);
    types.sent = true;
    packet.write(7, values, types);
    QCOMPARE(hexOf(packet), head + "00 " + bound);

    // A text in the integer's place: all types go again, and a value of NULL changes none.
    const std::vector<Param> others{Param::of(std::string_view("1")), Param(), Param::of(std::string_view())};
    packet.write(7, others, types);
    QCOMPARE(hexOf(packet), QByteArray("07 00 00 00 00 01 00 00 00 02 01 fe 00 05 00 fe 00 01 31 00"));
    QVERIFY(!types.sent);
    types.sent = true;
    packet.write(7, values, types);
    QCOMPARE(hexOf(packet), head + "01 08 00 05 00 fe 00 " + bound);
}

void TestMysqlPacket::nulls()
{
    // Ten parameters have two bytes of bits; the first of them is the lowest. Values that are missing are NULL.
    ExecutePacket packet;
    ParameterTypes types{std::vector<Param::Type>(10, Integer), true};
    std::vector<Param> values(9, Param());
    values[1] = Param::of(std::int64_t(5));
    values[8] = Param::of(std::int64_t(6));
    packet.write(1, values, types);
    QCOMPARE(hexOf(packet),
             QByteArray("01 00 00 00 00 01 00 00 00 fd 02 00 05 00 00 00 00 00 00 00 06 00 00 00 00 00 00 00"));
    // Values that are too many are not sent.
    types = {{Integer}, true};
    values[0] = Param::of(std::int64_t(4));
    packet.write(1, values, types);
    QCOMPARE(hexOf(packet), QByteArray("01 00 00 00 00 01 00 00 00 00 00 04 00 00 00 00 00 00 00"));
}

void TestMysqlPacket::textLengths_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<QByteArray>("length");
    const auto row = [](int size, const char* length) { QTest::addRow("%d", size) << size << QByteArray(length); };
    row(0, "00");
    row(250, "fa");
    row(251, "fc fb 00");
    row(65535, "fc ff ff");
    row(65536, "fd 00 00 01");
    row(16777215, "fd ff ff ff");
    row(16777216, "fe 00 00 00 01 00 00 00 00");
}

void TestMysqlPacket::textLengths()
{
    QFETCH(int, size);
    QFETCH(QByteArray, length);
    ExecutePacket packet;
    ParameterTypes types{{Text, Text}, true};
    const std::string text(std::size_t(size), 'x');
    const std::vector<Param> values{Param::of(std::string_view(text)), Param::of(std::string_view("y"))};
    packet.write(1, values, types);
    const QByteArray bytes(packet.bytes().data(), qsizetype(packet.bytes().size()));
    const QByteArray expected =
        QByteArray::fromHex("01 00 00 00 00 01 00 00 00 00 00" + length) + QByteArray(size, 'x') + "\1y";
    QVERIFY(bytes == expected);
}

} // namespace dyno::tst_mysql_packet

DYNO_SUITE(tst_mysql_packet, dyno::tst_mysql_packet::TestMysqlPacket)
#include "tst_mysql_packet.moc"
