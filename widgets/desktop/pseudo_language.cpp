// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/pseudo_language.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace dyno {

namespace {

constexpr double kLonger = 0.4;
constexpr int kUnitLetters = 2; //!< of the longest unit or abbreviation that no language makes longer
constexpr QStringView kPlain = u"aeiouyAEIOUY", kAccented = u"áéíöúýÁÉÍÖÚÝ";

//! A stretch of a text: letters that may become others, or something that a program reads.
struct PseudoPiece
{
    QString text;
    bool fixed;
};

std::vector<PseudoPiece> pseudoPieces(const QString& text)
{
    static const QRegularExpression fixed(QStringLiteral("<[^<>]*>|&#?\\w+;|&.|%L?(?:\\d{1,2}|n)"));
    std::vector<PseudoPiece> pieces;
    qsizetype at = 0;
    for (auto each = fixed.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        pieces.push_back({text.mid(at, match.capturedStart() - at), false});
        pieces.push_back({match.captured(), true});
        at = match.capturedEnd();
    }
    pieces.push_back({text.mid(at), false});
    return pieces;
}

} // namespace

QString pseudoText(const QString& text)
{
    // Outside of the brackets: blanks, and the tags of a paragraph, which would put a bracket on a line of its own.
    static const QRegularExpression shell(QStringLiteral("^((?:\\s|<[^<>]*>)*)(.*?)((?:\\s|<[^<>]*>)*)$"),
                                          QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpressionMatch parts = shell.match(text);
    const std::vector<PseudoPiece> pieces = pseudoPieces(parts.captured(2));
    int letters = 0, length = 0;
    for (const PseudoPiece& piece : pieces) {
        if (piece.fixed)
            continue;
        length += int(piece.text.size());
        letters += int(std::count_if(piece.text.begin(), piece.text.end(), [](QChar c) { return c.isLetter(); }));
    }
    if (letters <= kUnitLetters)
        return text;
    const int more = int(std::ceil(length * kLonger)) - 1; // both brackets are about as wide as a letter
    QString longer;
    int seen = 0, added = 0;
    for (const PseudoPiece& piece : pieces) {
        if (piece.fixed) {
            longer += piece.text;
            continue;
        }
        for (const QChar c : piece.text) {
            ++seen;
            const auto vowel = kPlain.indexOf(c);
            longer += vowel < 0 ? c : kAccented[vowel];
            // Twice, as early as its share of the text allows: words become longer, not only the end.
            if (vowel >= 0 && added * length < more * seen) {
                longer += c.toLower();
                ++added;
            }
        }
    }
    longer += QString(std::max(0, more - added), QChar(0x00B7));
    return parts.captured(1) + QLatin1Char('[') + longer + QLatin1Char(']') + parts.captured(3);
}

QString PseudoTranslator::translate(const char* context, const char* sourceText, const char* disambiguation,
                                    int n) const
{
    // Qt has texts that are no texts: the direction of layouts, names of keys that are read back.
    if (!sourceText || !context || (context[0] == 'Q' && std::strcmp(context, "QPlatformTheme") != 0))
        return {};
    const QString plural = SourcePlurals::translate(context, sourceText, disambiguation, n);
    return pseudoText(plural.isEmpty() ? QString::fromUtf8(sourceText) : plural);
}

} // namespace dyno
