// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/script_editor.h"

#include "parts/labels.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <QFontDatabase>
#include <QPainter>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>

#include <algorithm>
#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCheckMs = 200;      // without a change
constexpr int kNumbersPadding = 8; // at either side of the line numbers
constexpr int kBelowHeight = 26;   // of the line that tells the mistake
constexpr int kFramePadding = 7;   // of the style sheet, and its border
constexpr int kLeastDigits = 2;    // that the numbers have room for
constexpr int kMarkAlpha = 30;     // of 255: of a line's colour behind its text
constexpr qsizetype kTabStop = 4;  // blanks
constexpr int kLinesAboveGoal = 3;

QFont codeFont()
{
    static const QString own = u"JetBrains Mono"_s;
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    if (QFontDatabase::hasFamily(own))
        font.setFamily(own);
    return font;
}

QColor faint(QColor color)
{
    color.setAlpha(kMarkAlpha);
    return color;
}

//! The place of a character that the engine counts, in a line of the document: characters beyond 16 bits take two.
int positionIn(const QString& line, int column)
{
    const QList<uint> characters = line.toUcs4();
    const qsizetype before = std::min<qsizetype>(std::max(0, column - 1), characters.size());
    return int(QString::fromUcs4(reinterpret_cast<const char32_t*>(characters.constData()), before).size());
}

//! Colours of the words, in the theme of now.
class ScriptColors : public QSyntaxHighlighter
{
public:
    explicit ScriptColors(QTextDocument* document)
        : QSyntaxHighlighter(document)
    {
        connect(&Theme::instance(), &Theme::changed, this, &QSyntaxHighlighter::rehighlight);
    }

protected:
    void highlightBlock(const QString& text) override
    {
        const QByteArray bytes = text.toUtf8();
        const bool plain = bytes.size() == text.size(); // each byte is a character
        const ScriptLine line =
            scriptLine({bytes.constData(), std::size_t(bytes.size())}, std::max(0, previousBlockState()));
        const auto place = [&bytes, plain](std::size_t byte) {
            return plain ? int(byte) : int(QString::fromUtf8(bytes.constData(), qsizetype(byte)).size());
        };
        for (const ScriptToken& token : line.tokens) {
            const int begin = place(token.begin);
            setFormat(begin, place(token.begin + token.length) - begin, formatOf(token.kind));
        }
        setCurrentBlockState(line.state);
    }

private:
    static QTextCharFormat formatOf(ScriptToken::Kind kind)
    {
        const ThemeColors& colors = Theme::instance().colors();
        constexpr std::size_t kFunctionSeries = 1, kVariableSeries = 4;
        QTextCharFormat format;
        switch (kind) {
        case ScriptToken::Kind::Section:
            format.setForeground(colors.text);
            format.setFontWeight(QFont::Bold);
            break;
        case ScriptToken::Kind::Command:
        case ScriptToken::Kind::Keyword:
            format.setForeground(colors.accent);
            format.setFontWeight(QFont::DemiBold);
            break;
        case ScriptToken::Kind::Variable:
            format.setForeground(colors.series[kVariableSeries]);
            break;
        case ScriptToken::Kind::Function:
            format.setForeground(colors.series[kFunctionSeries]);
            break;
        case ScriptToken::Kind::String:
            format.setForeground(colors.good);
            break;
        case ScriptToken::Kind::Number:
            format.setForeground(colors.warn);
            break;
        case ScriptToken::Kind::Comment:
            format.setForeground(colors.secondText);
            break;
        }
        return format;
    }
};

} // namespace

//! The column of line numbers.
class ScriptNumbers : public QWidget
{
public:
    explicit ScriptNumbers(ScriptEditor* editor)
        : QWidget(editor)
        , m_editor(*editor)
    {
    }

protected:
    void paintEvent(QPaintEvent* event) override { m_editor.paintNumbers(event); }
    void wheelEvent(QWheelEvent* event) override { event->ignore(); } // the editor's

private:
    ScriptEditor& m_editor;
};

ScriptEditor::ScriptEditor(QWidget* parent)
    : QPlainTextEdit(parent)
    , m_numbers(new ScriptNumbers(this))
    , m_below(new ElidedLabel({}, TextRole::Secondary, this))
{
    new ScriptColors(document());
    setFont(codeFont());
    setTabStopDistance(QFontMetricsF(font()).horizontalAdvance(QString(kTabStop, u' ')));
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    m_below->setObjectName(u"scriptMistake"_s);
    m_below->setContentsMargins(kNumbersPadding, 0, kNumbersPadding, 0);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kCheckMs);
    connect(&m_pause, &QTimer::timeout, this, &ScriptEditor::checkNow);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        const QString text = toPlainText();
        if (std::exchange(m_shown, text) == text)
            return; // another colour
        m_pause.start();
        emit edited(text);
    });
    connect(this, &QPlainTextEdit::blockCountChanged, this, &ScriptEditor::arrange);
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &ScriptEditor::showMarks);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int by) {
        if (by != 0)
            m_numbers->scroll(0, by);
        else
            m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
    });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        showMarks();
        m_numbers->update();
    });
    showMistake();
    arrange();
}

int ScriptEditor::heightOf(int lines) const
{
    ensurePolished(); // the style sheet has a word on the font
    return lines * fontMetrics().lineSpacing() + int(2 * document()->documentMargin()) +
           2 * (frameWidth() + kFramePadding) + kBelowHeight;
}

void ScriptEditor::setDefinitions(const std::string& definitions)
{
    if (std::exchange(m_definitions, definitions) != definitions)
        m_pause.start();
}

void ScriptEditor::showText(const QString& text)
{
    if (m_shown == text)
        return;
    {
        const QSignalBlocker own(this); // not an edit
        setPlainText(text);
    }
    m_shown = toPlainText();
    arrange();
    checkNow();
}

void ScriptEditor::checkNow()
{
    m_pause.stop();
    m_mistake = scriptMistake(toPlainText().toStdString(), m_definitions);
    showMistake();
    showMarks();
    emit checked();
}

void ScriptEditor::showMistake()
{
    if (!m_mistake) {
        m_below->setText(document()->isEmpty() ? tr("Empty: a built-in script runs") : tr("No mistakes found"));
        setTone(m_below, Tone::Neutral);
    } else {
        const QString place = m_mistake->line > 0 ? tr("Line %1, column %2").arg(m_mistake->line).arg(m_mistake->column)
                                                  : tr("Variables");
        m_below->setText(tr("%1: %2; expected: %3", "place, what is wrong, what would be right")
                             .arg(place, qtText(m_mistake->what), qtText(m_mistake->expected)));
        setTone(m_below, Tone::Bad);
    }
    m_below->setAccessibleName(m_below->fullText());
}

//! The line of the cursor, a line that is marked, and the mistake.
void ScriptEditor::showMarks()
{
    const ThemeColors& colors = Theme::instance().colors();
    QList<QTextEdit::ExtraSelection> marks;
    const auto wholeLine = [&marks, this](const QTextBlock& block, const QColor& color) {
        if (!block.isValid())
            return;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(color);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks << mark;
    };
    if (hasFocus())
        wholeLine(textCursor().block(), colors.window);
    if (m_markedLine > 0)
        wholeLine(document()->findBlockByNumber(m_markedLine - 1), faint(colors.warn));
    const QTextBlock line =
        m_mistake && m_mistake->line > 0 ? document()->findBlockByNumber(m_mistake->line - 1) : QTextBlock();
    if (line.isValid()) {
        const QString text = line.text();
        int begin = positionIn(text, m_mistake->column), end = begin;
        while (end < text.size() && (end == begin || text[end].isLetterOrNumber() || text[end] == u'_'))
            ++end;
        if (begin >= text.size() && begin > 0) { // behind the last character: that one shows it
            begin = int(text.size()) - 1;
            end = int(text.size());
        }
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(line);
        mark.cursor.setPosition(line.position() + begin);
        mark.cursor.setPosition(line.position() + end, QTextCursor::KeepAnchor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(colors.bad);
        marks << mark;
    }
    setExtraSelections(marks);
}

void ScriptEditor::goToLine(int line)
{
    const QTextBlock block = document()->findBlockByNumber(std::max(0, line - 1));
    if (!block.isValid())
        return;
    setTextCursor(QTextCursor(block));
    verticalScrollBar()->setValue(std::max(0, line - kLinesAboveGoal));
    ensureCursorVisible();
}

void ScriptEditor::setMarkedLine(int line)
{
    m_markedLine = line;
    if (line > 0)
        goToLine(line);
    showMarks();
}

int ScriptEditor::numbersWidth() const
{
    const int digits = std::max(kLeastDigits, int(QString::number(blockCount()).size()));
    return fontMetrics().horizontalAdvance(QString(digits, u'0')) + 2 * kNumbersPadding;
}

void ScriptEditor::arrange()
{
    const int width = numbersWidth();
    setViewportMargins(width, 0, 0, kBelowHeight);
    const QRect text = viewport()->geometry(); // what is left between the margins and the scroll bars
    m_numbers->setGeometry(text.left() - width, text.top(), width, text.height());
    m_below->setGeometry(text.left() - width, text.bottom() + 1, text.width() + width, kBelowHeight);
    m_numbers->update();
}

void ScriptEditor::paintNumbers(QPaintEvent* event)
{
    QPainter painter(m_numbers);
    const ThemeColors& colors = Theme::instance().colors();
    painter.setFont(font());
    const int current = hasFocus() ? textCursor().blockNumber() : -1;
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top() + viewport()->y() - m_numbers->y();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        const bool here = block.blockNumber() == current;
        const bool wrong = m_mistake && m_mistake->line == block.blockNumber() + 1;
        painter.setPen(wrong ? colors.bad : here ? colors.text : colors.secondText);
        painter.drawText(QRectF(0, top, m_numbers->width() - kNumbersPadding, height),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(block.blockNumber() + 1));
        top += height;
        block = block.next();
    }
}

void ScriptEditor::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    arrange();
}

void ScriptEditor::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_numbers)
        arrange();
}

void ScriptEditor::focusInEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusInEvent(event);
    showMarks();
    m_numbers->update();
}

void ScriptEditor::focusOutEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusOutEvent(event);
    showMarks();
    m_numbers->update();
}

} // namespace dyno
