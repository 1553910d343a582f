// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/settings_dialog.h"

#include "desktop/language.h"
#include "format.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/wheel_guard.h"
#include "preferences.h"
#include "qt_text.h"
#include "theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLocale>

#include <cmath>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSettingsWidth = 590, kControlWidth = 260, kSettingsLabelWidth = 190;
constexpr double kSampleSeconds[] = {0.1, 0.2, 0.5, 1, 2, 5, 10};
constexpr int kNoticeSeconds[] = {0, 10, 60, 300, 1800};
constexpr double kExampleSeconds = 600;

//! In ascending order. A person may have written another value than those into the file.
template<class T, std::size_t N>
std::vector<T> withCurrent(const T (&offered)[N], const Preference<T>& preference)
{
    std::set<T> all(std::begin(offered), std::end(offered));
    all.insert(Preferences::instance().get(preference));
    return std::vector<T>(all.begin(), all.end());
}

//! A combo box of what `preference` may be, which writes it.
template<class T>
QComboBox* makeChoice(const Preference<T>& preference, const std::vector<std::pair<QString, T>>& values)
{
    auto* box = new QComboBox;
    box->setFixedWidth(kControlWidth);
    for (const auto& [text, value] : values)
        box->addItem(text, QVariant::fromValue(value));
    const T now = Preferences::instance().get(preference);
    for (int i = 0; i < box->count(); ++i) {
        if (values[std::size_t(i)].second == now)
            box->setCurrentIndex(i);
    }
    QObject::connect(box, &QComboBox::activated, box,
                     [box, &preference] { Preferences::instance().set(preference, box->currentData().value<T>()); });
    return box;
}

} // namespace

SettingsDialog::SettingsDialog(const std::filesystem::path& library, QWidget* parent)
    : QDialog(parent)
    , m_library(library)
    , m_place(new ElidedLabel({}, TextRole::Body))
    , m_interval(nullptr)
    , m_samples(nullptr)
{
    WheelGuard::install();
    setObjectName(u"settingsDialog"_s);
    setWindowTitle(tr("Settings"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, 16);
    layout->setSpacing(space::cardGap);
    for (QWidget* section : {buildLook(), buildBenchmarks(), buildLibrary(), buildNotices()})
        layout->addWidget(section);
    layout->addWidget(buildFoot());
    layout->setSizeConstraint(QLayout::SetFixedSize);
}

void SettingsDialog::addRow(Card* card, const QString& label, QWidget* control, QLabel* note)
{
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(12);
    QLabel* name = makeLabel(label, TextRole::Body);
    name->setFixedWidth(kSettingsLabelWidth);
    name->setBuddy(control);
    line->addWidget(name);
    line->addWidget(control);
    line->addStretch(1);
    card->setFixedWidth(kSettingsWidth);
    card->body()->addWidget(row);
    if (!note)
        return;
    note->setContentsMargins(kSettingsLabelWidth + 12, 0, 0, 0);
    card->body()->addWidget(note);
}

QWidget* SettingsDialog::buildLook()
{
    auto* card = new Card(tr("Appearance"));
    auto* theme = new QComboBox;
    theme->setFixedWidth(kControlWidth);
    describe(theme, u"settingsTheme"_s, tr("Theme"), tr("Light or dark colours"));
    const std::pair<QString, Theme::Choice> themes[] = {{tr("Same as the system"), Theme::Choice::System},
                                                        {tr("Light"), Theme::Choice::Light},
                                                        {tr("Dark"), Theme::Choice::Dark}};
    for (const auto& [text, choice] : themes) {
        theme->addItem(text, int(choice));
        if (choice == Theme::instance().choice())
            theme->setCurrentIndex(theme->count() - 1);
    }
    connect(theme, &QComboBox::activated, this,
            [theme] { Theme::instance().setChoice(Theme::Choice(theme->currentData().toInt())); });
    addRow(card, tr("Theme"), theme);
    std::vector<std::pair<QString, QString>> languages{{tr("Same as the system"), QString()}};
    for (const QString& language : shippedLanguages())
        languages.emplace_back(languageName(language), language);
    QComboBox* language = makeChoice(Preferences::language, languages);
    describe(language, u"settingsLanguage"_s, tr("Language"), tr("Language of the texts and format of the numbers"));
    QLabel* later = makeLabel(tr("Changes at the next start"), TextRole::Secondary);
    later->setObjectName(u"settingsLanguageNote"_s);
    addRow(card, tr("Language"), language, later);
    return card;
}

QWidget* SettingsDialog::buildBenchmarks()
{
    auto* card = new Card(tr("Benchmarks"));
    QComboBox* size = makeChoice<QString>(Preferences::size, {{tr("Quick: is it set up right?"), u"quick"_s},
                                                              {tr("Laptop: minutes"), u"laptop"_s},
                                                              {tr("As published: may take hours"), u"published"_s}});
    describe(size, u"settingsSize"_s, tr("Size of recipes"),
             tr("The size that a recipe on Start has until you choose another"));
    addRow(card, tr("Size of recipes"), size);
    std::vector<std::pair<QString, double>> intervals;
    for (const double seconds : withCurrent(kSampleSeconds, Preferences::interval))
        intervals.emplace_back(tr("Every %1 s", "interval of samples").arg(QLocale().toString(seconds, 'g', 6)),
                               seconds);
    m_interval = makeChoice(Preferences::interval, intervals);
    describe(m_interval, u"settingsInterval"_s, tr("Samples in new plans"),
             tr("Seconds between two samples of a new plan, 0.1 to 10"));
    m_samples = makeLabel({}, TextRole::Secondary);
    m_samples->setObjectName(u"settingsSamples"_s);
    connect(m_interval, &QComboBox::activated, this, &SettingsDialog::showSamples);
    addRow(card, tr("Samples in new plans"), m_interval, m_samples);
    showSamples();
    return card;
}

void SettingsDialog::showSamples()
{
    m_samples->setText(tr("A run of %1 keeps %2 samples")
                           .arg(format::duration(kExampleSeconds),
                                format::count(std::llround(kExampleSeconds / m_interval->currentData().toDouble()))));
}

QWidget* SettingsDialog::buildLibrary()
{
    auto* card = new Card(tr("Library"));
    m_place->setObjectName(u"settingsLibrary"_s);
    m_place->setFixedWidth(kControlWidth);
    QPushButton* move = makeButton(tr("Move…"));
    describe(move, u"settingsMoveLibrary"_s, tr("Move the library"), tr("Move all sessions to another folder"));
    move->setAutoDefault(false);
    connect(move, &QPushButton::clicked, this, &SettingsDialog::moveLibraryWanted);
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    row->addWidget(m_place);
    row->addWidget(move);
    addRow(card, tr("Sessions are in"), line);
    showLibrary();
    return card;
}

void SettingsDialog::showLibrary()
{
    std::error_code ignored;
    // A library that was moved left a link in its old folder.
    const std::filesystem::path real = std::filesystem::canonical(m_library, ignored);
    const std::filesystem::path& file = real.empty() ? m_library : real;
    m_place->setText(QDir::toNativeSeparators(qtText(file.parent_path().string())));
    m_place->setAccessibleName(tr("The library is %1").arg(QDir::toNativeSeparators(qtText(file.string()))));
}

QWidget* SettingsDialog::buildNotices()
{
    auto* card = new Card(tr("Notifications"));
    auto* on = new QCheckBox(tr("Notify when a session ends and another window is in front"));
    describe(on, u"settingsNotices"_s, on->text(), tr("Ask the desktop to show it"));
    on->setChecked(Preferences::instance().get(Preferences::notices));
    card->body()->addWidget(on);
    std::vector<std::pair<QString, int>> lengths;
    for (const int seconds : withCurrent(kNoticeSeconds, Preferences::noticeAfter))
        lengths.emplace_back(seconds == 0 ? tr("Of any length") : tr("Longer than %1").arg(format::duration(seconds)),
                             seconds);
    QComboBox* after = makeChoice(Preferences::noticeAfter, lengths);
    describe(after, u"settingsNoticeAfter"_s, tr("Sessions to report"),
             tr("Minimum length of a session that is reported"));
    after->setEnabled(on->isChecked());
    connect(on, &QCheckBox::toggled, this, [after](bool checked) {
        Preferences::instance().set(Preferences::notices, checked);
        after->setEnabled(checked);
    });
    addRow(card, after->accessibleName(), after);
    return card;
}

QWidget* SettingsDialog::buildFoot()
{
    auto* foot = new QWidget;
    auto* line = new QHBoxLayout(foot);
    line->setContentsMargins(0, 4, 0, 0);
    const auto add = [this, line](const QString& text, const char* role, const QString& name, auto slot) {
        QPushButton* button = makeButton(text, role);
        describe(button, name, text);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, slot);
        line->addWidget(button);
        return button;
    };
    add(tr("Keyboard shortcuts"), "link", u"settingsShortcuts"_s, &SettingsDialog::shortcutsWanted);
    add(tr("About Dynobench"), "link", u"settingsAbout"_s, &SettingsDialog::aboutWanted);
    line->addStretch(1);
    add(tr("Close"), "", u"settingsClose"_s, &QDialog::accept)->setDefault(true);
    return foot;
}

} // namespace dyno
