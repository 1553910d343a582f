// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! English plurals of source texts: "%n run(s)" becomes "1 run" and "2 runs" without a translation file. A translator
//! of another language that is installed later comes first.
#pragma once

#include <QTranslator>

namespace dyno {

class SourcePlurals : public QTranslator
{
    Q_OBJECT
public:
    using QTranslator::QTranslator;
    [[nodiscard]] QString translate(const char* context, const char* sourceText, const char* disambiguation,
                                    int n) const override;
    [[nodiscard]] bool isEmpty() const override { return false; }
};

} // namespace dyno
