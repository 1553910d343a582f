// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"
#include "plan/option_form.h"
#include "support/patience.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/recording.h>

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

namespace dyno::tst_option_form {
using namespace Qt::StringLiterals;

namespace {

OptionSpecs sampleOptions()
{
    OptionSpec size;
    size.name = "table_size";
    size.label = "Rows per table";
    size.help = "How many rows each table gets.";
    size.type = OptionType::Integer;
    size.defaultValue = std::int64_t(10000);
    size.unit = "rows";
    size.minimum = 1;
    size.maximum = 1e9;
    OptionSpec distribution;
    distribution.name = "rand_type";
    distribution.label = "Key distribution";
    distribution.type = OptionType::Choice;
    distribution.choices = {"uniform", "zipfian"};
    distribution.defaultValue = std::string("uniform");
    OptionSpec skip;
    skip.name = "skip_trx";
    skip.label = "No transaction";
    skip.type = OptionType::Bool;
    skip.defaultValue = false;
    OptionSpec range;
    range.name = "range_size";
    range.label = "Range size";
    range.type = OptionType::Integer;
    range.defaultValue = std::int64_t(100);
    range.group = "advanced";
    return {size, distribution, skip, range};
}

OptionSpec scriptOption()
{
    OptionSpec script;
    script.name = "scripts";
    script.label = "Scripts";
    script.severalLines = true;
    return script;
}

} // namespace

//! A form whose edits come back to it, as the page does it.
class Fixture : public QWidget
{
public:
    Fixture()
        : form(new OptionForm(u"w"_s, this))
    {
        form->setOptions(sampleOptions());
        form->setValues({});
        QObject::connect(form, &OptionForm::edited, this,
                         [this](const QString& name, const std::optional<Value>& value) {
                             if (value)
                                 given[name.toStdString()] = *value;
                             else
                                 given.erase(name.toStdString());
                             form->setValues(given);
                         });
        form->resize(700, 400);
        resize(700, 400);
        show();
    }
    template<class T>
    T* control(const QString& name) const
    {
        return qobject_cast<T*>(form->field(name)->control());
    }
    QToolButton* reset(const QString& name) const { return findChild<QToolButton*>(u"w."_s + name + u".reset"_s); }

    OptionForm* form;
    Settings given;
};

class TstOptionForm : public QObject
{
    Q_OBJECT
private slots:
    void describesEveryControl();
    void labelsTellUnitsThatCouldBeOthers();
    void typingSetsAndEmptyingResets();
    void badTextIsShownAndKept();
    void defaultsThatDependAreSaid();
    void choice();
    void tick();
    void moreOptionsFold();
    void focusUnfolds();
    void resetButton();
    void typingIsNotOverwritten();
    void otherOptionsRebuild();
    void linesStayLines();
    void otherOptionsWithinASignal();
    void choosesAFile();
    void offersWords();
};

//! A word from the list under a line is as good as one that was typed; what is only highlighted is not taken.
void TstOptionForm::offersWords()
{
    Fixture fixture;
    OptionSpec words;
    words.name = "words";
    words.label = "Words";
    words.choices = {"first_word", "second_word"};
    fixture.form->setOptions({words});
    QVERIFY(QTest::qWaitForWindowActive(&fixture));
    auto* line = fixture.control<QLineEdit>(u"words"_s);
    QVERIFY(line);
    line->setFocus();
    QTest::keyClicks(line, u"FIRST"_s);
    auto* offers = line->completer()->popup();
    QTRY_VERIFY_WITH_TIMEOUT(offers->isVisible(), test::kPatienceMs);
    QCOMPARE(offers->objectName(), u"w.words.offers"_s);
    QTest::keyClick(offers, Qt::Key_Down);
    QCOMPARE(line->text(), u"first_word"_s);
    QTest::keyClick(offers, Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(line->text(), u"FIRST"_s, test::kPatienceMs);
    QVERIFY(fixture.given.at("words") == Value(std::string("FIRST")));
    line->selectAll();
    QTest::keyClicks(line, u"sec"_s);
    QTRY_VERIFY_WITH_TIMEOUT(offers->isVisible(), test::kPatienceMs);
    QTest::keyClick(offers, Qt::Key_Down);
    QTest::keyClick(offers, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(fixture.given.at("words") == Value(std::string("second_word")), test::kPatienceMs);
    QCOMPARE(line->text(), u"second_word"_s);
}

//! The control that was used goes with the others, once it is done.
void TstOptionForm::otherOptionsWithinASignal()
{
    Fixture fixture;
    fixture.given = {{"table_size", std::int64_t(7)}};
    fixture.form->setValues(fixture.given);
    QObject::connect(fixture.form, &OptionForm::edited, &fixture,
                     [&fixture] { fixture.form->setOptions({sampleOptions().back()}); });
    QTest::mouseClick(fixture.reset(u"table_size"_s), Qt::LeftButton);
    QVERIFY(fixture.given.empty());
    QVERIFY(!fixture.form->field(u"table_size"_s));
    QVERIFY(!fixture.reset(u"table_size"_s));
    QVERIFY(fixture.control<QLineEdit>(u"range_size"_s));
}

void TstOptionForm::choosesAFile()
{
    Fixture fixture;
    OptionSpec file;
    file.name = kRecordingParam;
    file.label = "File";
    fixture.form->setOptions({file});
    auto* choose = fixture.findChild<QPushButton*>(u"w.file.choose"_s);
    QVERIFY(choose);
    QTest::mouseClick(choose, Qt::LeftButton);
    auto* dialog = fixture.findChild<QFileDialog*>(u"w.file.dialog"_s);
    QVERIFY(dialog);
    emit dialog->fileSelected(u"/data/queries.log"_s);
    QCOMPARE(std::get<std::string>(fixture.given.at("file")), std::string("/data/queries.log"));
    QCOMPARE(fixture.control<QLineEdit>(u"file"_s)->text(), u"/data/queries.log"_s);
    dialog->close();
}

//! A script in one line would end at its first comment.
void TstOptionForm::linesStayLines()
{
    Fixture fixture;
    fixture.form->setOptions({scriptOption()});
    const std::string script = "\\set id 1\nSELECT :id; -- one\nSELECT 2";
    fixture.given = {{"scripts", script}};
    fixture.form->setValues(fixture.given);
    auto* text = fixture.control<QPlainTextEdit>(u"scripts"_s);
    QVERIFY(text);
    QVERIFY(text->toPlainText().isEmpty()); // until it comes into view
    QTRY_COMPARE(text->toPlainText().toStdString(), script);
    QCOMPARE(std::get<std::string>(fixture.given.at("scripts")), script); // to show it is no edit
    text->moveCursor(QTextCursor::End);
    QTest::keyClicks(text, u";"_s);
    QTest::keyClick(text, Qt::Key_Return);
    QTest::keyClicks(text, u"SELECT 3;"_s);
    QCOMPARE(std::get<std::string>(fixture.given.at("scripts")), script + ";\nSELECT 3;");
    QCOMPARE(text->toPlainText().toStdString(), script + ";\nSELECT 3;");
    fixture.reset(u"scripts"_s)->click();
    QVERIFY(text->toPlainText().isEmpty());
    QVERIFY(fixture.given.empty());
}

void TstOptionForm::describesEveryControl()
{
    Fixture fixture;
    for (const OptionSpec& option : sampleOptions()) {
        QWidget* control = fixture.form->field(QString::fromStdString(option.name))->control();
        QCOMPARE(control->objectName(), QString(u"w."_s + QString::fromStdString(option.name)));
        QVERIFY(control->accessibleName().contains(QString::fromStdString(option.label)));
        QVERIFY(control->toolTip().contains(QString::fromStdString(option.name)));
    }
    auto* size = fixture.control<QLineEdit>(u"table_size"_s);
    QVERIFY(size->toolTip().contains(u"rows"_s)); // unit and range
    QVERIFY(size->toolTip().contains(u"How many rows"_s));
    QVERIFY(size->placeholderText().endsWith(u"rows"_s));
    QVERIFY(size->text().isEmpty()); // defaults are placeholders, not values
}

//! Seconds or milliseconds: the label says so, unless the word stands in it already.
void TstOptionForm::labelsTellUnitsThatCouldBeOthers()
{
    OptionSpecs options;
    for (const auto& [label, unit] :
         {std::pair("Closes connections", "s"), std::pair("Systems wait", "ms"), std::pair("Wait (ms)", "ms"),
          std::pair("Length in bytes", "bytes"), std::pair("Kilobytes", "bytes"), std::pair("Share in %", "%"),
          std::pair("Rows per table", "rows")}) {
        OptionSpec& option = options.emplace_back();
        option.name = "o" + std::to_string(options.size());
        option.label = label;
        option.type = OptionType::Integer;
        option.defaultValue = std::int64_t(1);
        option.unit = unit;
    }
    OptionForm form(u"w"_s);
    form.setOptions(options);
    QStringList labels;
    for (const OptionSpec& option : options)
        labels << form.field(QString::fromStdString(option.name))->label();
    QCOMPARE(labels, (QStringList{"Closes connections, s", "Systems wait, ms", "Wait (ms)", "Length in bytes",
                                  "Kilobytes, bytes", "Share in %", "Rows per table"}));
}

void TstOptionForm::typingSetsAndEmptyingResets()
{
    Fixture fixture;
    auto* size = fixture.control<QLineEdit>(u"table_size"_s);
    QTest::keyClicks(size, u"500"_s);
    QCOMPARE(std::get<std::int64_t>(fixture.given.at("table_size")), std::int64_t(500));
    QVERIFY(fixture.form->field(u"table_size"_s)->problem().isEmpty());
    size->selectAll();
    QTest::keyClick(size, Qt::Key_Backspace);
    QVERIFY(fixture.given.empty());
}

void TstOptionForm::badTextIsShownAndKept()
{
    Fixture fixture;
    auto* size = fixture.control<QLineEdit>(u"table_size"_s);
    QTest::keyClicks(size, u"lots"_s);
    QCOMPARE(std::get<std::string>(fixture.given.at("table_size")), std::string("lots")); // checkPlan() will say so
    QVERIFY(!fixture.form->field(u"table_size"_s)->problem().isEmpty());
    QCOMPARE(size->toolTip(), fixture.form->field(u"table_size"_s)->problem());
    QCOMPARE(size->text(), u"lots"_s);
}

void TstOptionForm::defaultsThatDependAreSaid()
{
    OptionForm form(u"w"_s);
    const WorkloadInfo* ycsb = findWorkload("ycsb");
    QVERIFY(ycsb);
    form.setOptions(ycsb->options);
    const auto placeholder = [&form](const char* name) {
        return qobject_cast<QLineEdit*>(form.field(QLatin1String(name))->control())->placeholderText();
    };
    QCOMPARE(placeholder("read_proportion"), u"as the core workload says"_s);
    QCOMPARE(placeholder("maxscanlength"), u"as the core workload says"_s);
    QCOMPARE(placeholder("recordcount"), QString(format::count(1000) + u" records"_s));
    QVERIFY(form.field(u"maxscanlength"_s)->control()->toolTip().contains(u"default 0"_s));
    const WorkloadInfo* iibench = findWorkload("iibench");
    QVERIFY(iibench);
    form.setOptions(iibench->options);
    QCOMPARE(placeholder("secondary_indexes"), u"as the form says"_s);
    QCOMPARE(placeholder("rows_per_commit"), u"as the form says"_s);
    QCOMPARE(placeholder("query_limit"), u"10 rows"_s);
}

void TstOptionForm::choice()
{
    Fixture fixture;
    auto* combo = fixture.control<QComboBox>(u"rand_type"_s);
    QCOMPARE(combo->currentText(), u"uniform"_s);
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_Down);
    QCOMPARE(std::get<std::string>(fixture.given.at("rand_type")), std::string("zipfian"));
    QTest::keyClick(combo, Qt::Key_Up); // the default again: nothing to say
    QVERIFY(fixture.given.empty());
}

void TstOptionForm::tick()
{
    Fixture fixture;
    auto* check = fixture.control<QCheckBox>(u"skip_trx"_s);
    QVERIFY(!check->isChecked());
    QTest::keyClick(check, Qt::Key_Space);
    QCOMPARE(std::get<bool>(fixture.given.at("skip_trx")), true);
    QVERIFY(check->isChecked());
    QTest::keyClick(check, Qt::Key_Space);
    QVERIFY(fixture.given.empty());
}

void TstOptionForm::moreOptionsFold()
{
    Fixture fixture;
    QWidget* range = fixture.form->field(u"range_size"_s);
    QVERIFY(!range->isVisible());
    auto* more = fixture.findChild<QToolButton*>(u"w.more"_s);
    QVERIFY(more);
    QTest::mouseClick(more, Qt::LeftButton);
    QVERIFY(range->isVisible());
    QTest::mouseClick(more, Qt::LeftButton);
    QVERIFY(!range->isVisible());
}

void TstOptionForm::focusUnfolds()
{
    Fixture fixture;
    QVERIFY(QTest::qWaitForWindowActive(&fixture));
    QVERIFY(fixture.form->focusOption(u"range_size"_s));
    QVERIFY(fixture.form->field(u"range_size"_s)->isVisible());
    QCOMPARE(fixture.focusWidget(), fixture.form->field(u"range_size"_s)->control());
    QVERIFY(!fixture.form->focusOption(u"nothing"_s));
}

void TstOptionForm::resetButton()
{
    Fixture fixture;
    QVERIFY(!fixture.reset(u"table_size"_s)->isVisible());
    QTest::keyClicks(fixture.control<QLineEdit>(u"table_size"_s), u"7"_s);
    QVERIFY(fixture.reset(u"table_size"_s)->isVisible());
    QTest::mouseClick(fixture.reset(u"table_size"_s), Qt::LeftButton);
    QVERIFY(fixture.given.empty());
    QVERIFY(fixture.control<QLineEdit>(u"table_size"_s)->text().isEmpty());
    QVERIFY(!fixture.reset(u"table_size"_s)->isVisible());
}

void TstOptionForm::typingIsNotOverwritten()
{
    Fixture fixture;
    auto* size = fixture.control<QLineEdit>(u"table_size"_s);
    QTest::keyClicks(size, u"1 000"_s); // means 1000, looks as typed
    QCOMPARE(std::get<std::int64_t>(fixture.given.at("table_size")), std::int64_t(1000));
    QCOMPARE(size->text(), u"1 000"_s);
    fixture.form->setValues({{"table_size", std::int64_t(2000)}});
    QCOMPARE(size->text(), format::count(2000)); // with grouped digits
}

void TstOptionForm::otherOptionsRebuild()
{
    Fixture fixture;
    OptionSpecs fewer = sampleOptions();
    fewer.erase(fewer.begin());
    fixture.form->setOptions(fewer);
    QVERIFY(!fixture.form->field(u"table_size"_s));
    QVERIFY(fixture.form->field(u"rand_type"_s));
    QTRY_VERIFY(fixture.form->field(u"rand_type"_s)->isVisible());
}

} // namespace dyno::tst_option_form

DYNO_WIDGET_SUITE(tst_option_form, dyno::tst_option_form::TstOptionForm)
#include "tst_option_form.moc"
