// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/script_editor.h"

#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/script_completion.h"
#include "theme.h"

#include <QFontDatabase>
#include <QKeyEvent>
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
constexpr int kHintFrom = 420;     // a narrower editor has no room for it
constexpr int kFramePadding = 7;   // of the style sheet, and its border
constexpr int kLeastDigits = 2;    // that the numbers have room for
constexpr int kMarkAlpha = 30;     // of 255: of a line's colour behind its text
constexpr qsizetype kTabStop = 4;  // blanks
constexpr int kLinesAboveGoal = 3;
constexpr qsizetype kMostLine = 10'000; // characters; a longer line has no colours
constexpr int kMostColoured = 1 << 20;  // characters of a text; no script may be longer

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

//! Where bytes of a line are in its text. Asked in ascending order it reads the line once.
class PlacesInLine
{
public:
    explicit PlacesInLine(const QByteArray& utf8)
        : m_utf8(utf8)
    {
    }
    int placeOf(std::size_t byte)
    {
        constexpr unsigned kTopBits = 0xC0, kContinues = 0x80, kTwoUnits = 0xF0;
        const auto goal = std::min(qsizetype(byte), m_utf8.size());
        if (goal < m_byte)
            m_byte = m_place = 0;
        for (; m_byte < goal; ++m_byte) {
            const auto letter = static_cast<unsigned char>(m_utf8[m_byte]);
            if ((letter & kTopBits) != kContinues)
                m_place += letter >= kTwoUnits ? 2 : 1;
        }
        return int(m_place);
    }

private:
    const QByteArray& m_utf8;
    qsizetype m_byte = 0, m_place = 0;
};

//! How long the line end is that begins at a place; 0: none does.
qsizetype lineEndAt(const QString& text, qsizetype at)
{
    constexpr char16_t kFrameBegin = 0xfdd0, kFrameEnd = 0xfdd1; // a QTextDocument breaks lines there too
    const QChar letter = text[at];
    if (letter == u'\r')
        return at + 1 < text.size() && text[at + 1] == u'\n' ? 2 : 1;
    const bool ends = letter == u'\n' || letter == QChar::ParagraphSeparator || letter == QChar(kFrameBegin) ||
                      letter == QChar(kFrameEnd);
    return ends ? 1 : 0;
}

//! The same, of the line end that ends before a place.
qsizetype lineEndBefore(const QString& text, qsizetype at)
{
    if (at >= 2 && text[at - 1] == u'\n' && text[at - 2] == u'\r')
        return 2;
    return at >= 1 && lineEndAt(text, at - 1) > 0 ? 1 : 0;
}

//! `typed`, whose lines end in \n, with the line ends of `before` where it is the same; the lines between get the line
//! end that the text has first.
QString withLineEndsOf(const QString& before, const QString& typed)
{
    qsizetype first = 0, firstTyped = 0;
    while (first < before.size() && firstTyped < typed.size()) {
        const qsizetype length = lineEndAt(before, first);
        if (length > 0 ? typed[firstTyped] != u'\n' : typed[firstTyped] != before[first])
            break;
        first += std::max<qsizetype>(1, length);
        ++firstTyped;
    }
    qsizetype last = before.size(), lastTyped = typed.size();
    while (last > first && lastTyped > firstTyped) {
        const qsizetype length = lineEndBefore(before, last);
        if (length > 0 ? typed[lastTyped - 1] != u'\n' : typed[lastTyped - 1] != before[last - 1])
            break;
        last -= std::max<qsizetype>(1, length);
        --lastTyped;
    }
    QString between = typed.mid(firstTyped, lastTyped - firstTyped);
    const qsizetype feed = before.indexOf(u'\n');
    if (feed > 0 && before[feed - 1] == u'\r')
        between.replace(u'\n', u"\r\n"_s);
    return before.left(first) + between + before.mid(last);
}

//! Colours of the words, in the theme of now.
class ScriptColors : public QSyntaxHighlighter
{
public:
    ScriptColors(ScriptLanguage language, QTextDocument* document)
        : QSyntaxHighlighter(document)
        , m_language(language)
    {
        connect(&Theme::instance(), &Theme::changed, this, &QSyntaxHighlighter::rehighlight);
        connect(document, &QTextDocument::contentsChanged, this, [this] {
            if (const bool now = isTooLong(); std::exchange(m_wasTooLong, now) != now)
                rehighlight();
        });
    }

protected:
    void highlightBlock(const QString& text) override
    {
        if (isTooLong())
            return setCurrentBlockState(0);
        const QByteArray bytes = text.toUtf8();
        const ScriptLine line =
            lineIn(m_language, {bytes.constData(), std::size_t(bytes.size())}, std::max(0, previousBlockState()));
        setCurrentBlockState(line.state);
        if (text.size() > kMostLine)
            return;
        PlacesInLine places(bytes);
        for (const ScriptToken& token : line.tokens) {
            const int begin = places.placeOf(token.begin);
            setFormat(begin, places.placeOf(token.begin + token.length) - begin, formatOf(token.kind));
        }
    }

private:
    [[nodiscard]] bool isTooLong() const { return document()->characterCount() > kMostColoured; }
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

    const ScriptLanguage m_language;
    bool m_wasTooLong = false;
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

ScriptEditor::ScriptEditor(ScriptLanguage language, QWidget* parent)
    : QPlainTextEdit(parent)
    , m_language(language)
    , m_numbers(new ScriptNumbers(this))
    , m_below(new ElidedLabel({}, TextRole::Secondary, this))
    , m_hint(makeLabel(language == ScriptLanguage::Script ? tr("Ctrl+Space completes") : QString(), TextRole::Secondary,
                       this))
    , m_completion(new ScriptCompletion(*this))
{
    new ScriptColors(m_language, document());
    setFont(codeFont());
    setTabStopDistance(QFontMetricsF(font()).horizontalAdvance(QString(kTabStop, u' ')));
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    m_below->setObjectName(u"scriptMistake"_s);
    m_below->setContentsMargins(kNumbersPadding, 0, kNumbersPadding, 0);
    m_hint->setContentsMargins(kNumbersPadding, 0, kNumbersPadding, 0);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kCheckMs);
    connect(&m_pause, &QTimer::timeout, this, &ScriptEditor::checkNow);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        QString typed = document()->toRawText();
        typed.replace(QChar::ParagraphSeparator, u'\n');
        const QString text = withLineEndsOf(m_shown, typed);
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
           2 * (frameWidth() + kFramePadding) + belowHeight();
}

int ScriptEditor::belowHeight() const
{
    return m_language == ScriptLanguage::Plain ? 0 : kBelowHeight;
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
    m_shown = text;
    arrange();
    m_mistake.reset(); // it was the other text's
    m_below->setText({});
    showMarks();
    m_pause.start();
}

void ScriptEditor::checkNow()
{
    m_pause.stop();
    m_mistake = mistakeIn(m_language, m_shown.toStdString(), m_definitions);
    showMistake();
    showMarks();
    emit checked();
}

void ScriptEditor::setProblemAbove(bool on)
{
    if (std::exchange(m_problemAbove, on) != on && !m_below->fullText().isEmpty()) // else it is being checked
        showMistake();
}

void ScriptEditor::showMistake()
{
    if (!m_mistake && m_problemAbove) {
        m_below->setText(tr("No mistakes in the text itself; the problem stands above"));
        setTone(m_below, Tone::Bad);
    } else if (!m_mistake) {
        m_below->setText(!document()->isEmpty() ? tr("No mistakes found")
                         : m_language == ScriptLanguage::Script
                             ? tr("Empty: a built-in script runs")
                             : tr("Empty: the built-in script runs, one query of a constant"));
        setTone(m_below, Tone::Neutral);
    } else {
        m_below->setText(mistakeText());
        setTone(m_below, Tone::Bad);
    }
    m_below->setAccessibleName(m_below->fullText());
}

QString ScriptEditor::mistakeText() const
{
    const QString place = m_mistake->line == 0 ? tr("Variables")
                          : m_mistake->column == 0
                              ? tr("Line %1").arg(m_mistake->line)
                              : tr("Line %1, column %2").arg(m_mistake->line).arg(m_mistake->column);
    const QString what = qtText(m_mistake->what);
    if (m_mistake->expected.empty())
        return tr("%1: %2", "place, what is wrong").arg(place, what);
    return tr("%1: %2; expected: %3", "place, what is wrong, what would be right")
        .arg(place, what, qtText(m_mistake->expected));
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
        if (m_mistake->column == 0) // somewhere in the line
            end = int(text.size());
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

void ScriptEditor::goToMistake()
{
    checkNow();
    if (m_mistake && m_mistake->line > 0)
        goToLine(m_mistake->line);
}

void ScriptEditor::goToLine(int line)
{
    const QTextBlock block = document()->findBlockByNumber(std::max(0, line - 1));
    if (!block.isValid())
        return;
    setTextCursor(QTextCursor(block));
    bringIntoView(line);
    ensureCursorVisible();
}

//! Without the cursor: a line is a step of the scroll bar, as none is wrapped.
void ScriptEditor::bringIntoView(int line)
{
    verticalScrollBar()->setValue(std::max(0, line - kLinesAboveGoal));
}

void ScriptEditor::setMarkedLine(int line)
{
    m_markedLine = line;
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (line > 0 && block.isValid()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() < 0 || place.bottom() > viewport()->height())
            bringIntoView(line);
    }
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
    setViewportMargins(width, 0, 0, belowHeight());
    const QRect text = viewport()->geometry(); // what is left between the margins and the scroll bars
    m_numbers->setGeometry(text.left() - width, text.top(), width, text.height());
    const int hint = text.width() > kHintFrom && !m_hint->text().isEmpty() ? m_hint->sizeHint().width() : 0;
    m_hint->setVisible(hint > 0);
    m_hint->setGeometry(text.right() + 1 - hint, text.bottom() + 1, hint, belowHeight());
    m_below->setGeometry(text.left() - width, text.bottom() + 1, text.width() + width - hint, belowHeight());
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

void ScriptEditor::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::InsertLineSeparator)) // Shift+Enter: in SQL a line is a line
        return textCursor().insertBlock();
    if (m_language != ScriptLanguage::Script) // its words are of that language
        return QPlainTextEdit::keyPressEvent(event);
    if (m_completion->takes(event))
        return event->ignore();
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier)
        return m_completion->offer(true);
    const int revision = document()->revision();
    QPlainTextEdit::keyPressEvent(event);
    if (document()->revision() != revision)
        m_completion->offer(false);
    else if (!event->text().isEmpty() || event->key() != Qt::Key_Shift)
        m_completion->hide();
}

void ScriptEditor::setTables(const std::vector<TableInfo>& tables)
{
    m_completion->setTables(tables);
}

void ScriptEditor::insertName(const QString& name)
{
    textCursor().insertText(name);
    setFocus(Qt::OtherFocusReason);
}

void ScriptEditor::changeTo(const QString& text)
{
    const QString before = toPlainText();
    QString after = text;
    after.replace(u"\r\n"_s, u"\n"_s);
    qsizetype first = 0, last = 0;
    const qsizetype most = std::min(before.size(), after.size());
    while (first < most && before[first] == after[first])
        ++first;
    while (last < most - first && before[before.size() - 1 - last] == after[after.size() - 1 - last])
        ++last;
    QTextCursor cursor(document());
    cursor.setPosition(int(first));
    cursor.setPosition(int(before.size() - last), QTextCursor::KeepAnchor);
    cursor.insertText(after.mid(first, after.size() - last - first));
    goToLine(1 + int(after.left(first).count(u'\n')));
    setFocus(Qt::OtherFocusReason);
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
