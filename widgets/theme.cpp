// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme.h"

#include "plurals.h"
#include "preferences.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <QSvgRenderer>

// Outside of any namespace, as Qt asks for resources in a static library.
static void initIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace dyno {

namespace {

ThemeColors makeLight()
{
    return {"#F4F5F7", "#FFFFFF", "#DFE3E8", "#E9ECF0",
            "#1A1D23", "#5C6673", "#2563C9", "#FFFFFF",
            "#1B7F4B", "#A15C00", "#B3261E", {"#0B63B0", "#C2500A", "#0A7D5A", "#A07800", "#A8437F", "#5C6673"}};
}

ThemeColors makeDark()
{
    return {"#111418", "#191D23", "#2C323B", "#272D35",
            "#E9ECF1", "#9BA5B3", "#5B9BFF", "#0B1220",
            "#4CC38A", "#E0A243", "#FF7B72", {"#5AB0F2", "#F2915A", "#3FC79A", "#E3B341", "#E08ABF", "#9BA5B3"}};
}

//! White paper: no window colour, darker grid and text that survive a printer.
ThemeColors makePrint()
{
    return {"#FFFFFF", "#FFFFFF", "#B8BEC6", "#D5D9DE",
            "#000000", "#3C434C", "#0B4FA3", "#FFFFFF",
            "#14633A", "#7D4700", "#951D17", {"#0B4F8F", "#B04405", "#08694B", "#856300", "#8F3369", "#4A525C"}};
}

//! `share` of `top` over `below`; style sheets take no translucent colours over unknown surfaces gladly.
QColor mixed(const QColor& top, const QColor& below, double share)
{
    return QColor::fromRgbF(float(top.redF() * share + below.redF() * (1 - share)),
                            float(top.greenF() * share + below.greenF() * (1 - share)),
                            float(top.blueF() * share + below.blueF() * (1 - share)));
}

//! The system's own palette before ours replaces it tells whether the desktop is dark (Qt 6.4 has no colour scheme).
bool systemIsDark()
{
    static const bool dark = [] {
        if (!qApp)
            return false;
        const QPalette palette = QApplication::style() ? qApp->palette() : QPalette();
        return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
    }();
    return dark;
}

bool haveInter()
{
    static const bool have = QFontDatabase::hasFamily(QStringLiteral("Inter"));
    return have;
}

//! Draws an SVG in the theme's colours at any size and scale, anew for each theme.
class ThemeIconEngine : public QIconEngine
{
public:
    explicit ThemeIconEngine(QString name, QColor ThemeColors::*color = nullptr)
        : m_name(std::move(name))
        , m_color(color)
    {
    }
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const ThemeColors& colors = Theme::instance().colors();
        QColor color = m_color ? colors.*m_color : state == QIcon::On ? colors.accent : colors.secondText;
        if (mode == QIcon::Disabled)
            color = mixed(colors.secondText, colors.surface, 0.5);
        QByteArray text = source();
        text.replace("currentColor", color.name().toLatin1());
        QSvgRenderer renderer(text);
        painter->setRenderHint(QPainter::Antialiasing);
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap result(size);
        result.fill(Qt::transparent);
        QPainter painter(&result);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return result;
    }
    QIconEngine* clone() const override { return new ThemeIconEngine(m_name, m_color); }
    QString key() const override { return QStringLiteral("dyno-theme"); }

private:
    const QByteArray& source()
    {
        if (m_source.isEmpty()) {
            QFile file(QStringLiteral(":/icons/%1.svg").arg(m_name));
            if (file.open(QIODevice::ReadOnly))
                m_source = file.readAll();
        }
        return m_source;
    }
    QString m_name;
    QColor ThemeColors::*m_color; //!< nullptr: by the state
    QByteArray m_source;
};

QPalette paletteOf(const ThemeColors& c)
{
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.surface);
    palette.setColor(QPalette::AlternateBase, mixed(c.window, c.surface, 0.6));
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::Button, c.surface);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::BrightText, c.bad);
    palette.setColor(QPalette::Highlight, c.accent);
    palette.setColor(QPalette::HighlightedText, c.onAccent);
    palette.setColor(QPalette::Link, c.accent);
    palette.setColor(QPalette::LinkVisited, c.accent);
    palette.setColor(QPalette::PlaceholderText, mixed(c.secondText, c.surface, 0.8));
    palette.setColor(QPalette::ToolTipBase, c.text);
    palette.setColor(QPalette::ToolTipText, c.surface);
    palette.setColor(QPalette::Light, c.surface);
    palette.setColor(QPalette::Midlight, c.grid);
    palette.setColor(QPalette::Mid, c.border);
    palette.setColor(QPalette::Dark, c.border);
    palette.setColor(QPalette::Shadow, c.border);
    const QColor faint = mixed(c.secondText, c.surface, 0.55);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faint);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, c.border);
    return palette;
}

//! The style sheet; @names are replaced by colours and sizes of the theme.
const char* const kStyleSheet = R"(
QToolTip { background: @text; color: @surface; border: 0; padding: 5px 8px; font-size: 12px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QFrame[role="card"] { background: @surface; border: 1px solid @border; border-radius: 8px; }
QFrame[role="card"][open="true"] { border-color: @accent; }
QFrame[role="tile"] { background: @surface; border: 1px solid @border; border-radius: 8px; }
QFrame[role="tile"]:hover { border-color: @hoverBorder; }
QFrame[role="tile"][checked="true"] { border: 2px solid @accent; }
QFrame[role="rail"] { background: @surface; border: 0; border-right: 1px solid @border; }
QFrame[role="side"] { background: @window; border: 0; border-right: 1px solid @border; }
QFrame[role="reader"] { background: @surface; border: 0; }
QFrame[role="messageBar"] { background: @text; border: 0; border-radius: 8px; }
QFrame[role="messageBar"] QLabel { color: @surface; }
QFrame[role="messageBar"] QPushButton { background: transparent; border: 0; color: @messageAction; font-weight: 600; }
QFrame[role="banner"][tone="bad"] { background: @badSoft; border: 1px solid @badLine; border-radius: 8px; }
QFrame[role="banner"][tone="warn"] { background: @warnSoft; border: 1px solid @warnLine; border-radius: 8px; }
QFrame[role="banner"][tone="good"] { background: @goodSoft; border: 1px solid @goodLine; border-radius: 8px; }
QFrame[role="banner"][tone="accent"] { background: @accentSoft; border: 1px solid @accentLine; border-radius: 8px; }
QFrame[role="line"] { background: @border; border: 0; max-height: 1px; min-height: 1px; }

QLabel { background: transparent; }
QLabel[role="secondary"], QLabel[role="label"] { color: @second; }
QLabel[tone="accent"] { color: @accent; }
QLabel[tone="good"] { color: @good; }
QLabel[tone="warn"] { color: @warn; }
QLabel[tone="bad"] { color: @bad; }
QLabel[role="chip"] { border-radius: 9px; padding: 0 9px; font-size: 11px; font-weight: 600; min-height: 18px;
    max-height: 18px; background: @neutralSoft; color: @second; }
QLabel[role="chip"][tone="accent"] { background: @accentSoft; color: @accentText; }
QLabel[role="chip"][tone="good"] { background: @goodSoft; color: @goodText; }
QLabel[role="chip"][tone="warn"] { background: @warnSoft; color: @warnText; }
QLabel[role="chip"][tone="bad"] { background: @badSoft; color: @badText; }

QPushButton { background: @surface; color: @text; border: 1px solid @border; border-radius: 6px; padding: 0 14px;
    min-height: 30px; font-size: 13px; font-weight: 500; }
QPushButton:hover { background: @hover; border-color: @hoverBorder; }
QPushButton:pressed { background: @pressed; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @faint; background: @surface; }
QPushButton[role="primary"] { background: @accent; border-color: @accent; color: @onAccent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[role="primary"]:pressed { background: @accentPressed; }
QPushButton[role="primary"]:focus { border: 2px solid @text; }
QPushButton[role="primary"]:disabled { background: @neutralSoft; border-color: @neutralSoft; color: @faint; }
QPushButton[role="soft"] { background: @accentSoft; border-color: @accentSoft; color: @accentText; font-size: 12px;
    font-weight: 600; min-height: 26px; padding: 0 11px; }
QPushButton[role="soft"]:hover { background: @accentSoftHover; border-color: @accentSoftHover; }
QPushButton[role="soft"]:focus { border-color: @accent; }
QPushButton[role="soft"]:disabled { background: @neutralSoft; border-color: @neutralSoft; color: @faint; }
QPushButton[half][role="primary"], QPushButton[half][role="soft"] { font-size: 12px; min-height: 26px; padding: 0 9px; }
QPushButton[half="left"] { border-top-right-radius: 0; border-bottom-right-radius: 0; }
QPushButton[half="right"] { border-top-left-radius: 0; border-bottom-left-radius: 0; padding: 0; }
QPushButton[half="right"][role="primary"] { border-left-color: @accentSoft; }
QDialogButtonBox { button-layout: 3; }
QPushButton[role="danger"] { color: @bad; }
QPushButton[role="danger"]:disabled { color: @faint; }
QPushButton[role="link"] { background: transparent; border: 1px solid transparent; color: @accent; padding: 0 4px;
    min-height: 22px; font-size: 12px; font-weight: 600; }
QPushButton[role="link"][small="true"] { min-height: 16px; padding: 0 2px; }
QPushButton[role="link"][flush="true"] { padding: 0; border-left-width: 0; border-right-width: 0; }
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="link"]:focus { border-color: @accent; border-radius: 4px; }
QPushButton[role="link"]:disabled { color: @faint; }
QPushButton[role="flat"], QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px;
    padding: 0 6px; min-height: 26px; color: @text; }
QPushButton[role="flat"]:hover, QToolButton:hover { background: @hover; }
QPushButton[role="flat"]:checked, QToolButton:checked { background: @accentSoft; color: @accentText; }
QPushButton[role="flat"]:focus, QToolButton:focus { border-color: @accent; }
QToolButton::menu-indicator { image: none; }
QLabel[role="key"] { border: 1px solid @border; border-radius: 4px; padding: 1px 5px; color: @second; font-size: 11px; }
QPushButton[role="choice"] { padding: 0 10px; }
QWidget[role="bar"] { background: @surface; border: 1px solid @border; border-radius: 6px; }
QWidget[role="bar"] QPushButton[role="choice"] { background: transparent; border: 1px solid transparent;
    border-right-color: @border; border-radius: 0; }
QWidget[role="bar"] > QPushButton[role="choice"] { border-color: transparent; border-left-color: @border;
    font-weight: 600; }
QWidget[role="bar"] QPushButton[role="choice"]:hover { background: @hover; }
QWidget[role="bar"] QPushButton[role="choice"]:focus { border-color: @accent; border-radius: 5px; }
QPushButton[role="pill"] { border-radius: 14px; min-height: 26px; padding: 0 13px; background: transparent; }
QPushButton[role="pill"]:hover { background: @hover; }
QPushButton[role="pill"]:checked { background: @text; border-color: @text; color: @surface; }
QPushButton[role="pill"]:focus { border-color: @accent; }
QPushButton[role="segment"] { border-radius: 4px; min-height: 20px; padding: 0 8px; font-size: 11px; background: transparent;
    border-color: transparent; color: @second; }
QPushButton[role="segment"]:checked { background: @neutralSoft; color: @text; }
QPushButton[role="segment"]:hover { color: @text; }
QPushButton[role="segment"]:focus { border-color: @accent; }
QPushButton::menu-indicator { image: url(:/icons/chevron-down-mid.svg); width: 14px; height: 14px;
    subcontrol-position: right center; subcontrol-origin: padding; right: 8px; }
QToolButton[role="rail"] { border-radius: 6px; border: 1px solid transparent; padding: 6px 0 4px 0; font-size: 11px;
    color: @second; }
QToolButton[role="rail"]:hover { background: @hover; }
QToolButton[role="rail"]:checked { background: @window; color: @text; font-weight: 700; }
QToolButton[role="rail"]:focus { border-color: @accent; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit { background: @surface; color: @text;
    border: 1px solid @border; border-radius: 6px; padding: 0 10px; min-height: 30px; font-size: 13px;
    selection-background-color: @accent; selection-color: @onAccent; }
QPlainTextEdit, QTextEdit { padding: 6px 8px; }
QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover, QComboBox:hover { border-color: @hoverBorder; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus {
    border-color: @accent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled { color: @faint; background: @window; }
QLineEdit QToolButton { min-height: 0; padding: 0; border: 0; background: transparent; } /* its icons, in the middle */
QLineEdit[tone="bad"], QComboBox[tone="bad"], QSpinBox[tone="bad"], QDoubleSpinBox[tone="bad"] { border-color: @bad; }
QComboBox::drop-down { border: 0; width: 24px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-mid.svg); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: @surface; border: 1px solid @border; border-radius: 6px; padding: 4px;
    outline: 0; selection-background-color: @accentSoft; selection-color: @text; }
QSpinBox::up-button, QDoubleSpinBox::up-button { border: 0; width: 20px; subcontrol-position: top right; }
QSpinBox::down-button, QDoubleSpinBox::down-button { border: 0; width: 20px; subcontrol-position: bottom right; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(:/icons/chevron-up-mid.svg); width: 11px; height: 11px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(:/icons/chevron-down-mid.svg); width: 11px; height: 11px; }
QCheckBox { spacing: 8px; background: transparent; }
QCheckBox::indicator, QAbstractItemView::indicator { width: 16px; height: 16px; border: 1px solid @controlLine;
    border-radius: 4px; background: @surface; }
QCheckBox::indicator:hover, QAbstractItemView::indicator:hover { border-color: @accent; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: @accent; border-color: @accent;
    image: url(:/icons/check-on-@mode.svg); }
QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox:focus { color: @accentText; }
QCheckBox::indicator:disabled, QAbstractItemView::indicator:disabled { background: @neutralSoft;
    border-color: @border; }

QProgressBar { border: 0; border-radius: 3px; background: @track; min-height: 6px; max-height: 6px; text-align: center; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider::groove:horizontal { height: 6px; border-radius: 3px; background: @track; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 3px; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -5px 0; border-radius: 8px; background: @surface;
    border: 1px solid @accent; }
QSlider::handle:horizontal:focus { border: 2px solid @accent; }

QTableView, QTreeView, QListView, QTableWidget { background: @surface; color: @text; border: 1px solid @border;
    border-radius: 8px; gridline-color: @grid; outline: 0; selection-background-color: @accentSoft;
    selection-color: @text; alternate-background-color: @surface; }
QTableView[role="plain"], QTreeView[role="plain"], QListView[role="plain"] { border: 0; border-radius: 0; }
QListView[role="contents"] { background: transparent; border: 0; border-radius: 0; }
QTextBrowser[role="page"] { background: @surface; border: 0; border-radius: 0; padding: 0; }
QTableView::item, QListView::item, QTreeView::item { border: 0; border-bottom: 1px solid @grid; padding: 0 6px; }
QListView[role="contents"]::item { border: 0; border-radius: 6px; padding: 5px 8px; margin: 0 4px; }
QListView[role="contents"]::item:hover:!selected { background: @hover; }
QTableView::item { padding: 0 3px; } /* with the 3 that Qt adds, below the heading's text */
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected { background: @accentSoft; color: @text; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section { background: @surface; color: @second; border: 0; border-bottom: 1px solid @border; padding: 0 6px;
    min-height: 29px; font-size: 12px; font-weight: 500; }
QTableCornerButton::section { background: @surface; border: 0; }
QScrollArea { background: transparent; border: 0; }
QScrollArea > QWidget > QWidget { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 3px; margin: 2px; min-height: 28px; min-width: 28px; }
QScrollBar::handle:hover { background: @scrollHover; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: transparent; }
QMenu { background: @surface; border: 1px solid @border; border-radius: 6px; padding: 4px; }
QMenu::item { padding: 6px 28px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: @accentSoft; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @border; margin: 4px 6px; }
QMenu::icon { padding-left: 8px; }
QGroupBox { border: 1px solid @border; border-radius: 8px; margin-top: 10px; padding-top: 8px; }
QGroupBox::title { subcontrol-origin: margin; left: 12px; color: @second; }
QTabBar::tab { background: transparent; border: 0; padding: 6px 12px; color: @second; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabWidget::pane { border: 0; }
QDialog { background: @window; }
)";

} // namespace

Theme& Theme::instance()
{
    static Theme theme;
    return theme;
}

const ThemeColors& Theme::colors(ThemeMode mode)
{
    static const ThemeColors light = makeLight();
    static const ThemeColors dark = makeDark();
    static const ThemeColors print = makePrint();
    switch (mode) {
    case ThemeMode::Light:
        return light;
    case ThemeMode::Dark:
        return dark;
    case ThemeMode::Print:
        break;
    }
    return print;
}

QString Theme::styleSheet() const
{
    const ThemeColors& c = colors();
    const bool dark = m_mode == ThemeMode::Dark;
    const double soft = dark ? 0.18 : 0.12;
    const auto softOf = [&](const QColor& color) { return mixed(color, c.surface, soft); };
    const auto lineOf = [&](const QColor& color) { return mixed(color, c.surface, 0.35); };
    // A text on its own soft colour needs a little more contrast than on the surface.
    const auto textOn = [&](const QColor& color) { return mixed(color, c.text, 0.82); };
    // Longer names first: "@accentSoft" before "@accent".
    std::vector<std::pair<QString, QColor>> names = {
        {QStringLiteral("@window"), c.window},
        {QStringLiteral("@surface"), c.surface},
        {QStringLiteral("@border"), c.border},
        {QStringLiteral("@grid"), c.grid},
        {QStringLiteral("@text"), c.text},
        {QStringLiteral("@second"), c.secondText},
        {QStringLiteral("@accent"), c.accent},
        {QStringLiteral("@onAccent"), c.onAccent},
        {QStringLiteral("@good"), c.good},
        {QStringLiteral("@warn"), c.warn},
        {QStringLiteral("@bad"), c.bad},
        {QStringLiteral("@hover"), mixed(c.text, c.surface, dark ? 0.07 : 0.04)},
        {QStringLiteral("@pressed"), mixed(c.text, c.surface, dark ? 0.12 : 0.08)},
        {QStringLiteral("@hoverBorder"), mixed(c.text, c.border, 0.2)},
        {QStringLiteral("@controlLine"), mixed(c.secondText, c.surface, 0.7)},
        {QStringLiteral("@faint"), mixed(c.secondText, c.surface, 0.55)},
        {QStringLiteral("@track"), mixed(c.border, c.surface, 0.8)},
        {QStringLiteral("@scroll"), mixed(c.secondText, c.surface, 0.3)},
        {QStringLiteral("@scrollHover"), mixed(c.secondText, c.surface, 0.5)},
        {QStringLiteral("@neutralSoft"), mixed(c.secondText, c.surface, soft)},
        {QStringLiteral("@accentHover"), mixed(c.accent, c.text, 0.88)},
        {QStringLiteral("@accentPressed"), mixed(c.accent, c.text, 0.78)},
        {QStringLiteral("@accentSoft"), softOf(c.accent)},
        {QStringLiteral("@accentSoftHover"), mixed(c.accent, c.surface, soft + 0.08)},
        {QStringLiteral("@accentLine"), lineOf(c.accent)},
        {QStringLiteral("@accentText"), textOn(c.accent)},
        {QStringLiteral("@goodSoft"), softOf(c.good)},
        {QStringLiteral("@goodLine"), lineOf(c.good)},
        {QStringLiteral("@goodText"), textOn(c.good)},
        {QStringLiteral("@warnSoft"), softOf(c.warn)},
        {QStringLiteral("@warnLine"), lineOf(c.warn)},
        {QStringLiteral("@warnText"), textOn(c.warn)},
        {QStringLiteral("@badSoft"), softOf(c.bad)},
        {QStringLiteral("@badLine"), lineOf(c.bad)},
        {QStringLiteral("@badText"), textOn(c.bad)},
        // The message bar has the text's colour as its ground, so its action wears the other theme's accent.
        {QStringLiteral("@messageAction"), colors(dark ? ThemeMode::Light : ThemeMode::Dark).accent}};
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    QString sheet = QString::fromUtf8(kStyleSheet);
    sheet.replace(QLatin1String("@mode"), dark ? QLatin1String("dark") : QLatin1String("light"));
    for (const auto& [name, color] : names)
        sheet.replace(name, color.name());
    return sheet;
}

void Theme::setChoice(Choice choice)
{
    Preferences::instance().set(Preferences::theme, int(choice));
    m_choice = choice;
    const bool dark = choice == Choice::Dark || (choice == Choice::System && systemIsDark());
    m_mode = dark ? ThemeMode::Dark : ThemeMode::Light;
    if (qApp) {
        qApp->setPalette(paletteOf(colors()));
        qApp->setStyleSheet(styleSheet());
    }
    emit changed();
}

void Theme::apply(QApplication& app)
{
    initIcons();
    (void)systemIsDark(); // before the palette is ours
    app.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    app.setFont(font(TextRole::Body));
    if (!app.findChild<SourcePlurals*>())
        QCoreApplication::installTranslator(new SourcePlurals(&app));
    const int stored = Preferences::instance().get(Preferences::theme);
    setChoice(stored == int(Choice::Dark)    ? Choice::Dark
              : stored == int(Choice::Light) ? Choice::Light
                                             : Choice::System);
}

QFont Theme::font(TextRole role)
{
    QFont font = haveInter() ? QFont(QStringLiteral("Inter")) : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    switch (role) {
    case TextRole::PageTitle:
        font.setPixelSize(20);
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Section:
        font.setPixelSize(14);
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Body:
        font.setPixelSize(13);
        break;
    case TextRole::Secondary:
        font.setPixelSize(12);
        break;
    case TextRole::Label:
        font.setPixelSize(11);
        break;
    case TextRole::KeyFigure:
        font.setPixelSize(22);
        font.setWeight(QFont::DemiBold);
        break;
    }
    return font;
}

QIcon Theme::icon(const QString& name) const
{
    return QIcon(new ThemeIconEngine(name));
}

QIcon Theme::icon(const QString& name, QColor ThemeColors::*color) const
{
    return QIcon(new ThemeIconEngine(name, color));
}

} // namespace dyno
