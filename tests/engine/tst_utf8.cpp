// SPDX-License-Identifier: GPL-3.0-or-later
// Characters of several bytes, by the examples of RFC 3629 (sections 3 and 7).
#include "base/utf8.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_utf8 {

class TstUtf8 : public QObject
{
    Q_OBJECT
private slots:
    void characters()
    {
        std::string text;
        for (const std::uint32_t code : {0x41u, 0x2262u, 0x391u, 0x2Eu, 0x7Fu, 0x80u, 0x7FFu, 0x233B4u, 0x10FFFFu})
            appendUtf8(text, code);
        QCOMPARE(text, std::string("A\xE2\x89\xA2\xCE\x91.\x7F\xC2\x80\xDF\xBF\xF0\xA3\x8E\xB4\xF4\x8F\xBF\xBF"));
    }

    void noneIsCut()
    {
        const std::string text = "a\xE2\x89\xA2\xF0\xA3\x8E\xB4"; // one, three and four bytes
        const std::size_t whole[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 8};
        for (std::size_t most = 0; most < std::size(whole); ++most)
            QCOMPARE(wholeCharacters(text, most), std::string_view(text).substr(0, whole[most]));
        QCOMPARE(wholeCharacters("\x80\x80\x80", 2), std::string_view()); // no character begins there
        QCOMPARE(wholeCharacters("", 5), std::string_view());
    }
};

} // namespace dyno::tst_utf8

DYNO_SUITE(tst_utf8, dyno::tst_utf8::TstUtf8)
#include "tst_utf8.moc"
