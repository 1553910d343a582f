// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/fuzzy.h"

#include <QStringList>

#include <algorithm>

namespace dyno {

namespace {

constexpr int kAtStart = 400, kAtWord = 300, kInside = 200, kScattered = 100; //!< the better way always wins
constexpr int kMostGaps = 90;                                                 //!< less than the step between two ways

bool beginsWord(const QString& text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

//! Letters of `word` in order; 0 when one is missing. Letters that begin words, or follow the one before, cost nothing.
int scattered(const QString& word, const QString& text)
{
    int gaps = 0;
    qsizetype at = -1;
    for (const QChar letter : word) {
        qsizetype next = text.indexOf(letter, at + 1, Qt::CaseInsensitive);
        if (next < 0)
            return 0;
        if (next != at + 1 && !beginsWord(text, next)) {
            // A later one at a word's beginning is what people mean by initials.
            for (qsizetype other = next; other >= 0; other = text.indexOf(letter, other + 1, Qt::CaseInsensitive)) {
                if (beginsWord(text, other)) {
                    next = other;
                    break;
                }
            }
            gaps += beginsWord(text, next) ? 1 : 10;
        }
        at = next;
    }
    // A few letters far apart are in nearly every sentence.
    return gaps > kMostGaps || gaps > 10 * (int(word.size()) - 1) / 2 ? 0 : kScattered - gaps;
}

int scoreOfWord(const QString& word, const QString& text)
{
    qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
    if (at == 0)
        return kAtStart;
    const bool inside = at > 0;
    for (; at > 0; at = text.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        if (beginsWord(text, at))
            return kAtWord;
    }
    return inside ? kInside : scattered(word, text);
}

} // namespace

int fuzzyScore(const QString& pattern, const QString& text)
{
    const QStringList words = pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    int worst = kAtStart, sum = 0;
    for (const QString& word : words) {
        const int score = scoreOfWord(word, text);
        if (score == 0)
            return 0;
        worst = std::min(worst, score);
        sum += score;
    }
    // Of two that fit alike the shorter one has less that was not asked for.
    constexpr int kScale = 1000, kLongest = 200;
    const int mean = words.isEmpty() ? 0 : sum / int(words.size());
    return (worst + mean) * kScale + kLongest - std::min(kLongest - 1, int(text.size()));
}

} // namespace dyno
