// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A language for developers: each text of the window with accents, in brackets and 40 % longer, as long as the
//! longest of real translations. Shows what is cut, and what no translation reaches.
#pragma once

#include "plurals.h"

namespace dyno {

//! Value of Preferences::language that chooses it; no list offers it.
inline constexpr const char* kPseudoLanguage = "pseudo";

//! "Throughput" becomes "[Thröoughpüút·]". Places of arguments, tags and entities, and letters of mnemonics stay as
//! they are, and so do units and signs: what has fewer than three letters.
[[nodiscard]] QString pseudoText(const QString& text);

//! Our own texts and Qt's buttons. English plurals are resolved first.
class PseudoTranslator : public SourcePlurals
{
    Q_OBJECT
public:
    using SourcePlurals::SourcePlurals;
    [[nodiscard]] QString translate(const char* context, const char* sourceText, const char* disambiguation,
                                    int n) const override;
};

} // namespace dyno
