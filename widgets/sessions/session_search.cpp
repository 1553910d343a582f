// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_search.h"

#include "parts/card.h"
#include "qt_text.h"

#include <QLabel>

namespace dyno {

SessionSearch::SessionSearch(QWidget* parent)
    : QLineEdit(parent)
    , m_problem(makeLabel({}, TextRole::Secondary))
{
    constexpr int kProblemAfterMs = 400; // a word that is being typed is no mistake yet
    setObjectName(QStringLiteral("sessionSearch"));
    setAccessibleName(tr("Search sessions"));
    setPlaceholderText(tr("Search: words, tag:nvme, version:8.4, date:2026-11 …"));
    setToolTip(tr("<p>Shows the sessions that fit every part (Ctrl+F):</p><table>"
                  "<tr><td><b>durability</b>&nbsp;</td><td>in title, tags, notes, workload, target</td></tr>"
                  "<tr><td><b>\"read only\"</b>&nbsp;</td><td>words that stand together</td></tr>"
                  "<tr><td><b>tag:nvme</b>&nbsp;</td><td>also workload: target: version: status: source:</td></tr>"
                  "<tr><td><b>date:2026-11</b>&nbsp;</td><td>also after:2026-11-01 before:2026-11-22</td></tr>"
                  "<tr><td><b>sync_binlog=1</b>&nbsp;</td><td>a knob or variable; also &lt; &gt; and 128M</td></tr>"
                  "<tr><td><b>is:archived</b>&nbsp;</td><td>or is:any</td></tr>"
                  "<tr><td><b>!tag:old</b>&nbsp;</td><td>excludes</td></tr></table>"));
    m_problem->setObjectName(QStringLiteral("sessionSearchProblem"));
    m_problem->setWordWrap(true);
    setTone(m_problem, Tone::Bad);
    m_problem->hide();
    m_timer.setSingleShot(true);
    m_timer.setInterval(kProblemAfterMs);
    connect(&m_timer, &QTimer::timeout, m_problem, &QWidget::show);
    setClearButtonEnabled(true);
    setMinimumWidth(160);
    setMaximumWidth(380);
}

void SessionSearch::showProblem(const std::optional<Error>& wrong)
{
    if (!wrong) {
        m_timer.stop();
        m_problem->hide();
        return;
    }
    m_problem->setText(wrong->remedy.empty() ? qtText(wrong->message)
                                             : tr("%1; %2").arg(qtText(wrong->message), qtText(wrong->remedy)));
    if (!m_problem->isVisible())
        m_timer.start();
}

} // namespace dyno
