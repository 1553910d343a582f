// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/manual_browser.h"

#include "document_style.h"
#include "parts/labels.h"
#include "theme.h"

#include <dyno/manual.h>

#include <QDesktopServices>
#include <QFontMetrics>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>

namespace dyno {

namespace {

constexpr int kTextMargin = 36;  //!< around the text
constexpr int kLongestLine = 92; //!< average letters: longer lines are hard to follow
constexpr int kListIndent = 22;  //!< of the text of a list
constexpr qsizetype kMostMarks = 500;
constexpr int kCellRoom = 6; //!< around the text of a table's cell

QString scheme()
{
    return QStringLiteral("manual");
}

QUrl addressOf(const QString& page, const QString& anchor)
{
    QUrl url(QStringLiteral("%1:/%2.html").arg(scheme(), page));
    if (!anchor.isEmpty())
        url.setFragment(anchor);
    return url;
}

//! What QTextDocument does not draw by itself: code on a ground of its own, headings that can be jumped to, room in
//! tables.
QString forDocument(QString html)
{
    static const QRegularExpression heading(QStringLiteral("<h(\\d) id=\"([^\"]*)\">"));
    html.replace(heading, QStringLiteral("<h\\1><a name=\"\\2\"></a>"));
    html.replace(QLatin1String("<table>"),
                 QStringLiteral("<table cellspacing=\"0\" cellpadding=\"%1\">").arg(kCellRoom));
    html.replace(
        QLatin1String("<pre><code>"),
        QLatin1String("<table width=\"100%\" cellspacing=\"0\" cellpadding=\"12\"><tr><td class=\"code\"><pre>"));
    static const QRegularExpression end(QStringLiteral("\\n?</code></pre>"));
    html.replace(end, QStringLiteral("</pre></td></tr></table>"));
    return QStringLiteral("<html><body>") + html + QStringLiteral("</body></html>");
}

} // namespace

ManualBrowser::ManualBrowser(QWidget* parent)
    : QTextBrowser(parent)
{
    setObjectName(QStringLiteral("manualPage"));
    setAccessibleName(tr("Page of the manual"));
    setRole(this, "page");
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    connect(this, &QTextBrowser::anchorClicked, this, &ManualBrowser::follow);
    connect(this, &QTextBrowser::sourceChanged, this, [this] { setExtraSelections({}); });
    connect(&Theme::instance(), &Theme::changed, this, &ManualBrowser::dress);
    dress();
}

void ManualBrowser::open(const QString& page, const QString& anchor)
{
    if (findManualPage(page.toStdString()))
        setSource(addressOf(page, anchor));
}

QString ManualBrowser::pageOf(const QUrl& address)
{
    const QString name = address.path().section(QLatin1Char('/'), -1).section(QLatin1Char('.'), 0, 0);
    return name == QLatin1String("index") ? QStringLiteral("contents") : name;
}

QString ManualBrowser::page() const
{
    return pageOf(source());
}

void ManualBrowser::mark(const QStringList& words)
{
    QList<ExtraSelection> selections;
    QTextCharFormat format;
    QColor ground = Theme::instance().colors().accent;
    ground.setAlphaF(0.25F);
    format.setBackground(ground);
    for (const QString& word : words) {
        if (word.isEmpty())
            continue;
        for (QTextCursor at = document()->find(word); !at.isNull() && selections.size() < kMostMarks;
             at = document()->find(word, at))
            selections.append({at, format});
    }
    setExtraSelections(selections);
}

QVariant ManualBrowser::loadResource(int /*type*/, const QUrl& name)
{
    const ManualPage* page = name.scheme() == scheme() ? findManualPage(pageOf(name).toStdString()) : nullptr;
    return page ? QVariant(forDocument(QString::fromStdString(manualBody(*page)))) : QVariant();
}

void ManualBrowser::follow(const QUrl& link)
{
    if (link.scheme() == scheme())
        setSource(link);
    else if (link.scheme() == QLatin1String("https") || link.scheme() == QLatin1String("http") ||
             link.scheme() == QLatin1String("mailto"))
        QDesktopServices::openUrl(link);
}

//! The theme's colours and sizes; the text stays where it is.
void ManualBrowser::dress()
{
    document()->setDefaultFont(documentFont());
    document()->setDefaultStyleSheet(documentStyle());
    document()->setDocumentMargin(kTextMargin);
    document()->setIndentWidth(kListIndent);
    placeText();
    if (source().isEmpty())
        return;
    const int place = verticalScrollBar()->value();
    reload();
    verticalScrollBar()->setValue(place);
}

void ManualBrowser::placeText()
{
    const int widest = QFontMetrics(documentFont()).averageCharWidth() * kLongestLine + 2 * kTextMargin;
    setViewportMargins(0, 0, std::max(0, width() - verticalScrollBar()->sizeHint().width() - widest), 0);
}

void ManualBrowser::resizeEvent(QResizeEvent* event)
{
    placeText();
    QTextBrowser::resizeEvent(event);
}

} // namespace dyno
