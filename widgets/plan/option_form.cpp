// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/option_form.h"

#include "format.h"
#include "parts/card.h"
#include "parts/file_dialog.h"
#include "parts/names_completer.h"
#include "parts/plan_text.h"
#include "plan/script_editor.h"
#include "theme.h"

#include <dyno/recording.h>
#include <dyno/script_language.h>
#include <dyno/scripts.h>

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

bool sameOption(const OptionSpec& a, const OptionSpec& b)
{
    return a.name == b.name && a.label == b.label && a.help == b.help && a.type == b.type &&
           a.defaultValue == b.defaultValue && a.unit == b.unit && a.minimum == b.minimum && a.maximum == b.maximum &&
           a.choices == b.choices && a.group == b.group && a.severalLines == b.severalLines;
}

constexpr int kLinesOfText = 8; //!< of a text of several lines, without scrolling

int widthOf(const OptionSpec& option)
{
    if (option.severalLines)
        return 640;
    switch (option.type) {
    case OptionType::Text:
        return 204;
    case OptionType::Choice:
    case OptionType::Bool:
    case OptionType::Integer:
    case OptionType::Real:
    case OptionType::Duration:
    case OptionType::Bytes:
        break;
    }
    return defaultMeaning(option).isEmpty() ? 140 : 204;
}

//! A number of bytes or of letters could be either, a share could be of one or of hundred; rows and statements are
//! counted, and the label says so.
QString shownLabel(const QString& label, const OptionSpec& option)
{
    static const QStringList told{u"bytes"_s, u"characters"_s, u"digits"_s, u"%"_s, u"ms"_s, u"s"_s};
    const QString unit = qtText(option.unit);
    static const QRegularExpression between(
        u"[^\\p{L}%]+"_s); // "Length (bytes)": a whole word, not the "s" of another one
    const bool said = label.split(between).contains(unit, Qt::CaseInsensitive);
    return told.contains(unit) && !said ? QString(label + u", " + unit) : label;
}

constexpr const char* kLastGroup = "advanced"; //!< options of no group of their own

QString groupTitle(const std::string& group)
{
    if (group == kLastGroup)
        return OptionForm::tr("More");
    QString title = qtText(group);
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    return title;
}

} // namespace

OptionForm::OptionForm(const QString& prefix, QWidget* parent)
    : QWidget(parent)
    , m_prefix(prefix)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
}

void OptionForm::setOptions(const OptionSpecs& options)
{
    if (m_content && std::equal(options.begin(), options.end(), m_options.begin(), m_options.end(), sameOption))
        return;
    const bool unfolded = m_more && m_more->isChecked();
    if (m_content) { // it may be a signal of one of its controls that leads here
        m_layout->removeWidget(m_content);
        m_content->hide();
        for (QObject* old : m_content->findChildren<QObject*>())
            old->setObjectName({}); // the next controls have these names
        m_content->deleteLater();
    }
    m_fields.clear();
    m_more = nullptr;
    m_options = options;

    m_content = new QWidget(this);
    m_layout->addWidget(m_content);
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);

    auto* basic = new QWidget(m_content);
    auto* basicFlow = new FlowLayout(basic, space::cardGap);
    auto* folded = new QWidget(m_content);
    auto* foldedColumn = new QVBoxLayout(folded);
    foldedColumn->setContentsMargins(0, 0, 0, 0);
    foldedColumn->setSpacing(space::cardGap);

    // Options of one group stand together, groups in the order in which they first appear, the nameless one at the end:
    // alone it needs no title.
    std::vector<std::pair<std::string, FlowLayout*>> groups;
    int basicCount = 0, foldedCount = 0;
    const bool titles = std::any_of(m_options.begin(), m_options.end(), [](const OptionSpec& option) {
        return !option.group.empty() && option.group != kLastGroup;
    });
    OptionSpecs ordered = m_options;
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const OptionSpec& option) { return option.group != kLastGroup; });
    for (const OptionSpec& option : ordered) {
        Field* field = makeField(option);
        m_fields.insert(qtText(option.name), field);
        if (option.group.empty()) {
            basicFlow->addWidget(field);
            if (option.name == kRecordingParam)
                basicFlow->addWidget(makeChooser(option, field));
            ++basicCount;
            continue;
        }
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == option.group; });
        if (group == groups.end()) {
            if (const QString title = titles ? groupTitle(option.group) : QString(); !title.isEmpty())
                foldedColumn->addWidget(makeLabel(title, TextRole::Secondary, folded));
            auto* box = new QWidget(folded);
            groups.emplace_back(option.group, new FlowLayout(box, space::cardGap));
            foldedColumn->addWidget(box);
            group = std::prev(groups.end());
        }
        group->second->addWidget(field);
        ++foldedCount;
    }
    basic->setVisible(basicCount > 0);
    column->addWidget(basic);
    folded->setVisible(false);
    if (foldedCount > 0) {
        m_more = new Disclosure(tr("More options (%1)").arg(foldedCount), folded, m_content);
        describe(m_more, m_prefix + u".more", tr("More options"), tr("Show or hide more options"));
        column->addWidget(m_more, 0, Qt::AlignLeft);
        column->addWidget(folded);
        m_more->setChecked(unfolded);
    }
    setValues(m_given);
}

QWidget* OptionForm::makeControl(const OptionSpec& option)
{
    if (option.type == OptionType::Choice) {
        auto* combo = new QComboBox;
        for (const std::string& choice : option.choices)
            combo->addItem(choice.empty() ? tr("default") : qtText(choice), qtText(choice));
        connect(combo, &QComboBox::activated, this,
                [this, option, combo] { send(option, combo->currentData().toString()); });
        return combo;
    }
    if (option.type == OptionType::Bool) {
        auto* check = new QCheckBox;
        check->setFixedHeight(space::controlHeight);
        connect(check, &QCheckBox::clicked, this, [this, option](bool on) { send(option, on ? u"ON"_s : u"OFF"_s); });
        return check;
    }
    if (option.severalLines) {
        auto* text = new ScriptEditor(languageOf(option.name));
        text->setFixedHeight(text->heightOf(kLinesOfText));
        text->setPlaceholderText(option.choices.empty() ? QString() : qtText(option.choices.front()));
        text->installEventFilter(this);
        connect(text, &ScriptEditor::edited, this, [this, option](const QString& typed) { send(option, typed); });
        return text;
    }
    auto* line = new QLineEdit;
    const QString meaning = defaultMeaning(option);
    line->setPlaceholderText(meaning.isEmpty() ? defaultText(option) : meaning);
    if (!option.choices.empty()) {
        QStringList hints;
        for (const std::string& choice : option.choices)
            hints << qtText(choice);
        auto* completer = new NamesCompleter(*line, NamesCompleter::Holds::OneName);
        completer->setFilterMode(Qt::MatchStartsWith);
        completer->setNames(hints);
        completer->popup()->setObjectName(m_prefix + u'.' + qtText(option.name) + u".offers"_s);
        connect(completer, &NamesCompleter::chosen, this, [this, option, line] { send(option, line->text()); });
    }
    connect(line, &QLineEdit::textEdited, this, [this, option](const QString& text) { send(option, text); });
    return line;
}

Field* OptionForm::makeField(const OptionSpec& option)
{
    const QString label = qtText(option.label.empty() ? option.name : option.label);
    QWidget* control = makeControl(option);
    const QString unit = option.unit.empty() ? QString() : QString(u", " + qtText(option.unit));
    describe(control, m_prefix + u'.' + qtText(option.name), label + unit, optionToolTip(option));
    const QString shown = shownLabel(label, option);
    constexpr int kReset = 22; // the button beside it
    const int needed = QFontMetrics(Theme::font(TextRole::Label)).horizontalAdvance(shown) + kReset;
    auto* field = new Field(shown, control, std::max(widthOf(option), needed));
    connect(field, &Field::resetClicked, this, [this, name = qtText(option.name), control] {
        emit edited(name, std::nullopt);
        control->setFocus();
    });
    return field;
}

//! A button that asks for the file which the field names.
QWidget* OptionForm::makeChooser(const OptionSpec& option, Field* field)
{
    auto* choose = makeButton(tr("Choose…"));
    describe(choose, m_prefix + u'.' + qtText(option.name) + u".choose"_s, tr("Choose a file: %1").arg(field->label()),
             tr("Choose the file: %1").arg(field->label()));
    connect(choose, &QPushButton::clicked, this, [this, option, field] {
        QFileDialog* dialog = makeFileDialog(this, m_prefix + u'.' + qtText(option.name) + u".dialog"_s,
                                             tr("Choose the file: %1").arg(field->label()), tr("Choose"));
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, [this, option](const QString& file) { send(option, file); });
        dialog->open();
    });
    return new Field(u" "_s, choose, choose->sizeHint().width());
}

void OptionForm::send(const OptionSpec& option, const QString& text)
{
    const QString name = qtText(option.name);
    if (text.trimmed().isEmpty()) {
        emit edited(name, std::nullopt);
        return;
    }
    const Value value = valueFromText(option, text);
    const auto coerced = coerce(option, value);
    const auto usual = coerce(option, option.defaultValue);
    // Typing the default is the same as not saying anything, but only a choice or a tick may take the text away again.
    const bool picked = option.type == OptionType::Choice || option.type == OptionType::Bool;
    if (picked && coerced && usual && *coerced == *usual)
        emit edited(name, std::nullopt);
    else
        emit edited(name, value);
}

void OptionForm::setValues(const Settings& given)
{
    m_given = given;
    for (const OptionSpec& option : m_options) {
        const auto found = m_given.find(option.name);
        showValue(option, found == m_given.end() ? nullptr : &found->second);
    }
}

void OptionForm::showValue(const OptionSpec& option, const Value* given)
{
    Field* field = m_fields.value(qtText(option.name));
    if (!field)
        return;
    field->setResettable(given != nullptr);
    const QString text = given ? valueText(*given) : QString();
    field->setProblem(given ? valueProblem(option, text) : QString());
    const Value& shown = given ? *given : option.defaultValue;
    if (auto* combo = qobject_cast<QComboBox*>(field->control())) {
        const auto fitted = coerce(option, shown);
        combo->setCurrentIndex(
            combo->findData(fitted ? valueText(*fitted) : valueText(shown), Qt::UserRole, Qt::MatchFixedString));
    } else if (auto* check = qobject_cast<QCheckBox*>(field->control())) {
        const auto fitted = coerce(option, shown);
        const bool on = fitted && std::get_if<bool>(&*fitted) && std::get<bool>(*fitted);
        check->setChecked(on);
        check->setText(on ? tr("on") : tr("off"));
    } else if (auto* lines = qobject_cast<ScriptEditor*>(field->control())) {
        if (!lines->isVisible())
            return; // a long text costs much, and another page may change it at each key: see eventFilter()
        const auto define = m_given.find(kDefineParam);
        lines->setDefinitions(define == m_given.end() ? std::string() : toText(define->second));
        if (valueFromText(option, lines->text()) == valueFromText(option, text))
            return; // as it is being typed
        lines->showText(text);
    } else if (auto* line = qobject_cast<QLineEdit*>(field->control())) {
        // What is being typed stays as it is while it means the same.
        const bool same = given ? valueFromText(option, line->text()) == *given : line->text().trimmed().isEmpty();
        if (same)
            return;
        // Grouped digits are easier to read, and are read back as well.
        const auto* number = given ? std::get_if<std::int64_t>(given) : nullptr;
        line->setText(number && option.type == OptionType::Integer ? format::count(*number) : text);
    }
}

//! A text of several lines gets its value when it comes into view.
bool OptionForm::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Show && qobject_cast<ScriptEditor*>(watched))
        setValues(m_given);
    return QWidget::eventFilter(watched, event);
}

bool OptionForm::focusOption(const QString& name)
{
    Field* field = m_fields.value(name);
    if (!field)
        return false;
    if (m_more && !field->isVisibleTo(m_content))
        m_more->setChecked(true);
    field->control()->setFocus(Qt::OtherFocusReason);
    return true;
}

} // namespace dyno
