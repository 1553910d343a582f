// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/script_completion.h"

#include "parts/plan_text.h"
#include "theme.h"

#include <dyno/script_text.h>
#include <dyno/script_words.h>
#include <dyno/visible_text.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSet>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTextBlock>

#include <algorithm>
#include <map>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDetailRole = Qt::UserRole, kTypedRole = Qt::UserRole + 1, kInsertedRole = Qt::UserRole + 2;
constexpr int kOfferedRows = 10; // of the list, without scrolling
constexpr int kOfferRow = 26;    // pixels
constexpr int kOfferPadding = 8;
constexpr int kOfferGap = 24;    // between a word and what it is
constexpr int kChosenAlpha = 36; // of 255: of the accent behind the chosen word
constexpr int kWidestOffer = 460;
constexpr qsizetype kMostOffers = 300;
constexpr qsizetype kTypedLetters = 2; // from which on words are offered
constexpr int kMostSearched = 20'000;  // characters of a statement around the cursor

bool isWordLetter(QChar letter)
{
    return letter.isLetterOrNumber() || letter == u'_';
}

//! A word and, at the right, what it is.
class WordDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = Theme::instance().colors();
        const QRect place = option.rect.adjusted(kOfferPadding, 0, -kOfferPadding, 0);
        painter->save();
        painter->fillRect(option.rect, colors.surface);
        if ((option.state & QStyle::State_Selected) != 0) {
            QColor chosen = colors.accent;
            chosen.setAlpha(kChosenAlpha);
            painter->fillRect(option.rect, chosen);
        }
        painter->setFont(option.font);
        painter->setPen(colors.text);
        painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
        painter->setFont(QApplication::font());
        painter->setPen(colors.secondText);
        painter->drawText(place, Qt::AlignRight | Qt::AlignVCenter, index.data(kDetailRole).toString());
        painter->restore();
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const int width = option.fontMetrics.horizontalAdvance(index.data().toString()) + kOfferGap +
                          option.fontMetrics.horizontalAdvance(index.data(kDetailRole).toString());
        return {width + 2 * kOfferPadding, kOfferRow};
    }
};

//! What the line before the cursor is.
struct CursorPlace
{
    bool head = false;
    QString command; //!< "\set" in a line that begins with it
    bool quoted = false;
};

CursorPlace cursorPlaceOf(const QTextCursor& cursor)
{
    const QTextBlock block = cursor.block();
    const QString before = block.text().left(cursor.positionInBlock());
    const QByteArray bytes = before.toUtf8();
    const ScriptLine line = scriptLine({bytes.constData(), std::size_t(bytes.size())},
                                       std::max(0, block.previous().isValid() ? block.previous().userState() : 0));
    CursorPlace place;
    place.head = line.head;
    for (const ScriptToken& token : line.tokens) {
        const bool last = token.begin + token.length == std::size_t(bytes.size());
        if (token.kind == ScriptToken::Kind::Command && !last)
            place.command = QString::fromUtf8(bytes.mid(qsizetype(token.begin), qsizetype(token.length)));
        if (last && token.kind == ScriptToken::Kind::Comment)
            place.quoted = true;
        if (last && token.kind == ScriptToken::Kind::String)
            place.quoted = bytes.size() == qsizetype(token.begin) + 1 || !bytes.endsWith('\'');
    }
    return place;
}

void addAll(QList<ScriptWord>& words, const std::vector<std::string>& texts, QLatin1String before,
            const QString& detail)
{
    for (const std::string& text : texts)
        words << ScriptWord{before + qtText(text), detail};
}

bool fitsPrefix(const ScriptWord& word, const QString& prefix)
{
    return word.typedAs().startsWith(prefix, Qt::CaseInsensitive) && word.text != prefix;
}

} // namespace

ScriptCompletion::ScriptCompletion(QPlainTextEdit& editor)
    : QObject(&editor)
    , m_editor(editor)
    , m_model(new QStandardItemModel(this))
    , m_completer(new QCompleter(m_model, this))
{
    m_completer->setWidget(&editor);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setCompletionRole(kTypedRole);
    m_completer->setMaxVisibleItems(kOfferedRows);
    auto* list = new QListView;
    m_completer->setPopup(list);
    list->setObjectName(u"scriptOffers"_s);
    list->setAccessibleName(tr("Words that fit"));
    list->setItemDelegate(new WordDelegate(list));
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, &ScriptCompletion::insert);
}

QString ScriptCompletion::typed() const
{
    const QTextCursor cursor = m_editor.textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    qsizetype begin = before.size();
    while (begin > 0 && isWordLetter(before[begin - 1]))
        --begin;
    const bool marked = begin > 0 && (before[begin - 1] == u'\\' || before[begin - 1] == u':');
    const bool cast = begin > 1 && before[begin - 1] == u':' && before[begin - 2] == u':';
    return before.mid(marked && !cast ? begin - 1 : begin);
}

//! Columns of tables that the statement names come first.
QList<ScriptWord> ScriptCompletion::namesHere(const QString& prefix) const
{
    const QString text = m_editor.toPlainText();
    const int at = m_editor.textCursor().position();
    const qsizetype begin = std::max<qsizetype>(text.lastIndexOf(u';', std::max(0, at - 1)) + 1, at - kMostSearched);
    const qsizetype end = text.indexOf(u';', at);
    const QString statement =
        text.mid(begin, std::min<qsizetype>(end < 0 ? text.size() : end, at + kMostSearched) - begin);
    QSet<QString> said; // words of the statement
    for (qsizetype i = 0; i < statement.size();) {
        const qsizetype first = i;
        while (i < statement.size() && isWordLetter(statement[i]))
            ++i;
        if (i > first)
            said << statement.mid(first, i - first).toLower();
        else
            ++i;
    }
    const auto named = [&said, &statement](const QString& written) {
        const bool plain = std::ranges::all_of(written, isWordLetter);
        return plain ? said.contains(written.toLower()) : statement.contains(written, Qt::CaseInsensitive);
    };
    struct Found
    {
        QString detail, name;
        int tables = 0;
    };
    using Columns = std::map<QString, Found>; // by what is inserted
    Columns ofStatement, others;
    QList<ScriptWord> tables;
    for (const TableInfo& table : m_tables) {
        const QString written = qtText(table.written);
        tables << ScriptWord{written, table.view ? tr("view") : tr("table"), qtText(table.name)};
        Columns* columns = nullptr; // looked for where one fits
        for (const ColumnInfo& column : table.columns) {
            const ScriptWord word{qtText(column.written), {}, qtText(column.name)};
            if (!fitsPrefix(word, prefix))
                continue;
            if (!columns)
                columns = named(written) ? &ofStatement : &others;
            Found& found = (*columns)[word.text];
            if (++found.tables == 1) {
                found.name = word.name;
                found.detail = tr("%1 of %2", "type, table")
                                   .arg(qtText(visibleText(column.type)), qtText(visibleText(table.name)));
            }
        }
    }
    QList<ScriptWord> words;
    const auto add = [&words](const Columns& columns) {
        for (const auto& [written, found] : columns)
            words << ScriptWord{
                written,
                found.tables == 1 ? found.detail : ScriptCompletion::tr("column of %n table(s)", nullptr, found.tables),
                found.name};
    };
    add(ofStatement);
    words += tables;
    for (const auto& [name, found] : ofStatement)
        others.erase(name);
    add(others);
    return words;
}

QList<ScriptWord> ScriptCompletion::words() const
{
    const QTextCursor cursor = m_editor.textCursor();
    const CursorPlace place = cursorPlaceOf(cursor);
    const QString prefix = typed();
    QList<ScriptWord> all;
    const auto text = [this] { return m_editor.toPlainText().toStdString(); };
    if (place.quoted)
        return all;
    if (place.head) {
        addAll(all, scriptHeadWords(), QLatin1String(), tr("key"));
        for (const ScriptSection& one : scriptSections(text()))
            all << ScriptWord{qtText(one.name), tr("transaction")};
    } else if (prefix.startsWith(u'\\')) {
        addAll(all, scriptCommands(), QLatin1String(), tr("command"));
    } else if (prefix.startsWith(u':')) {
        addAll(all, scriptVariables(text()), QLatin1String(":"), tr("variable"));
    } else if (place.command.isEmpty()) {
        all = namesHere(prefix);
    } else if (place.command == u"\\set"_s || place.command == u"\\if"_s || place.command == u"\\elif"_s) {
        addAll(all, scriptFunctions(), QLatin1String(), tr("function"));
        addAll(all, scriptVariables(text()), QLatin1String(":"), tr("variable"));
    }
    all.removeIf([&prefix](const ScriptWord& word) { return !fitsPrefix(word, prefix); });
    if (all.size() > kMostOffers)
        all.resize(kMostOffers);
    return all;
}

void ScriptCompletion::offer(bool asked)
{
    const QString prefix = typed();
    const qsizetype letters = std::ranges::count_if(prefix, isWordLetter);
    const QList<ScriptWord> found = asked || letters >= kTypedLetters ? words() : QList<ScriptWord>();
    if (found.isEmpty())
        return hide();
    auto* popup = static_cast<QListView*>(m_completer->popup());
    const bool chooses = asked || (popup->isVisible() && popup->currentIndex().isValid());
    m_model->clear();
    int width = 0;
    popup->setFont(m_editor.font());
    QStyleOptionViewItem option;
    option.fontMetrics = QFontMetrics(m_editor.font());
    for (const ScriptWord& word : found) {
        auto* item = new QStandardItem(qtText(visibleText(word.text.toStdString())));
        item->setData(word.detail, kDetailRole);
        item->setData(word.typedAs(), kTypedRole);
        item->setData(word.text, kInsertedRole);
        m_model->appendRow(item);
        width = std::max(width, popup->itemDelegate()->sizeHint(option, item->index()).width());
    }
    m_completer->setCompletionPrefix(prefix);
    popup->setCurrentIndex(chooses ? m_completer->completionModel()->index(0, 0) : QModelIndex());
    QTextCursor begin = m_editor.textCursor();
    begin.movePosition(QTextCursor::Left, QTextCursor::MoveAnchor, int(prefix.size()));
    QRect place = m_editor.cursorRect(begin);
    place.translate(m_editor.viewport()->pos());
    place.setWidth(std::min(kWidestOffer, width + popup->verticalScrollBar()->sizeHint().width() + 4));
    m_completer->complete(place);
}

void ScriptCompletion::hide()
{
    m_completer->popup()->hide();
}

bool ScriptCompletion::takes(const QKeyEvent* event) const
{
    if (!m_completer->popup()->isVisible())
        return false;
    switch (event->key()) {
    case Qt::Key_Escape:
        return true;
    case Qt::Key_Enter:
    case Qt::Key_Return:
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return m_completer->popup()->currentIndex().isValid();
    default:
        return false;
    }
}

void ScriptCompletion::insert(const QModelIndex& offered)
{
    const QString word = offered.data(kInsertedRole).toString();
    QTextCursor cursor = m_editor.textCursor();
    const qsizetype letters = typed().size(), begin = cursor.positionInBlock() - letters;
    const QString line = cursor.block().text();
    const bool inQuotes = word.startsWith(u'"') || word.startsWith(u'`');
    const bool quoted = begin > 0 && inQuotes && line[begin - 1] == word[0];
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, int(letters) + (quoted ? 1 : 0));
    cursor.insertText(word);
    m_editor.setTextCursor(cursor);
}

} // namespace dyno
