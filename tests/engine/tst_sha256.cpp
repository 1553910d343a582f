// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sha256.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_sha256 {

class TestSha256 : public QObject
{
    Q_OBJECT
private slots:
    // The examples that NIST publishes beside FIPS 180-4, and the empty text.
    void publishedExamples()
    {
        QCOMPARE(sha256Of("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
        QCOMPARE(sha256Of(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    }
    void parts()
    {
        Sha256 hash;
        hash.add("a");
        hash.add("");
        hash.add("bc");
        QCOMPARE(hash.digits(), sha256Of("abc"));
    }
};

} // namespace dyno::tst_sha256

DYNO_SUITE(tst_sha256, dyno::tst_sha256::TestSha256)
#include "tst_sha256.moc"
