// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds texts of a window that are drawn cut. GUI thread.
#pragma once

#include "plurals.h"

#include <QSet>
#include <QString>
#include <QStringList>
#include <QTranslator>

#include <functional>

class QWidget;

namespace dyno::test {

//! Translates as `how` says, and keeps what it said: those are the window's own texts. Others are of data: titles,
//! paths, names of settings.
class NotingTranslator : public SourcePlurals
{
public:
    explicit NotingTranslator(const SourcePlurals* how)
        : m_how(how)
    {
    }
    [[nodiscard]] QString translate(const char* context, const char* sourceText, const char* disambiguation,
                                    int n) const override;
    [[nodiscard]] const QSet<QString>& said() const { return m_said; }

private:
    const SourcePlurals* m_how;
    mutable QSet<QString> m_said;
};

enum class TooltipHelps {
    Always,
    OfData, //!< a text of the window itself is never shortened
};

//! "QPushButton planSave \"Save\": 40 of 52 wide" of each text in `root` (not in its dialogs) that is cut or shortened
//! without a tooltip that has all of it.
[[nodiscard]] QStringList cutTexts(const QWidget& root, const QSet<QString>& own, TooltipHelps tooltip);

} // namespace dyno::test
