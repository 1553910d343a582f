// SPDX-License-Identifier: GPL-3.0-or-later
#include "cut_texts.h"

#include "parts/labels.h"
#include "plan/knob_header.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QComboBox>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QThread>
#include <QToolButton>

#include <algorithm>
#include <optional>
#include <vector>

namespace dyno::test {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLeading = 2; //!< pixels of a line's height in which no letter is

constexpr int kHeaderSides = 8; //!< pixels left and right of a column's title

//! Protected members that say what a style needs.
struct CutTabs : QTabBar
{
    using QTabBar::tabSizeHint;
};
struct CutCombo : QComboBox
{
    using QComboBox::initStyleOption;
};

//! A text that does not fit: what there is, what it wants.
struct Misfit
{
    QString text, tip;
    QSize has, wants;
};

std::optional<Misfit> misfit(const QString& text, const QString& tip, const QSize& has, const QSize& wants)
{
    if (text.isEmpty() || (has.width() >= wants.width() && has.height() + kLeading >= wants.height()))
        return {};
    return Misfit{text, tip, has, wants};
}

std::optional<Misfit> ofLabel(const QLabel& label)
{
    if (!label.pixmap(Qt::ReturnByValue).isNull())
        return {};
    if (const auto* elided = qobject_cast<const ElidedLabel*>(&label)) {
        const QSize wants(label.fontMetrics().horizontalAdvance(elided->fullText()), label.sizeHint().height());
        return misfit(elided->fullText(), label.toolTip(), {label.contentsRect().width(), label.height()}, wants);
    }
    const QSize wants = label.wordWrap() ? QSize(0, label.heightForWidth(label.width())) : label.sizeHint();
    return misfit(label.text(), label.toolTip(), label.size(), wants);
}

std::optional<Misfit> ofButton(const QAbstractButton& button)
{
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly)
        return {};
    const QSize wants = button.sizeHint();
    return misfit(button.text(), button.toolTip(), button.size(),
                  {wants.width(), std::min(wants.height(), button.height())});
}

std::optional<Misfit> ofCombo(const QComboBox& combo)
{
    if (combo.isEditable())
        return {};
    QStyleOptionComboBox option;
    (combo.*(&CutCombo::initStyleOption))(&option);
    const QRect room =
        combo.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &combo);
    const int icon = combo.itemIcon(combo.currentIndex()).isNull() ? 0 : combo.iconSize().width() + 4;
    const int text = combo.fontMetrics().horizontalAdvance(combo.currentText());
    return misfit(combo.currentText(), combo.toolTip(), {room.width(), 0}, {text + icon, 0});
}

std::vector<Misfit> ofHeader(const QHeaderView& header)
{
    std::vector<Misfit> all;
    for (int section = 0; section < header.count(); ++section) {
        if (header.isSectionHidden(section) || header.orientation() == Qt::Vertical)
            continue;
        const auto said = [&header, section](int role) {
            return header.model()->headerData(section, Qt::Horizontal, role).toString();
        };
        const auto* knobs = qobject_cast<const KnobHeader*>(&header);
        const int wants = knobs ? knobs->wantedWidth(section)
                                : header.fontMetrics().size(0, said(Qt::DisplayRole)).width() + kHeaderSides;
        if (auto found =
                misfit(said(Qt::DisplayRole), said(Qt::ToolTipRole), {header.sectionSize(section), 0}, {wants, 0}))
            all.push_back(*found);
    }
    return all;
}

std::vector<Misfit> misfitsOf(const QWidget& widget)
{
    std::optional<Misfit> one;
    if (const auto* header = qobject_cast<const QHeaderView*>(&widget))
        return ofHeader(*header);
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        std::vector<Misfit> all;
        for (int tab = 0; tab < tabs->count(); ++tab) {
            const QSize wants = (tabs->*(&CutTabs::tabSizeHint))(tab);
            if (auto found = misfit(tabs->tabText(tab), tabs->tabToolTip(tab), tabs->tabRect(tab).size(), wants))
                all.push_back(*found);
        }
        return all;
    }
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        one = ofLabel(*label);
    else if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        one = ofButton(*button);
    else if (const auto* combo = qobject_cast<const QComboBox*>(&widget))
        one = ofCombo(*combo);
    else if (const auto* group = qobject_cast<const QGroupBox*>(&widget))
        one = misfit(group->title(), group->toolTip(), {group->width(), 0}, {group->minimumSizeHint().width(), 0});
    return one ? std::vector<Misfit>{*one} : std::vector<Misfit>();
}

//! A text of the window that the program has shortened before the widget got it.
bool shortened(const QString& text, const QSet<QString>& own)
{
    if (!text.endsWith(u'…') || own.contains(text))
        return false;
    const QString begin = text.chopped(1);
    return std::any_of(own.begin(), own.end(),
                       [&begin](const QString& one) { return one.startsWith(begin) && one.size() > begin.size() + 1; });
}

QString shownText(const QWidget& widget)
{
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return label->text();
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    return button ? button->text() : QString();
}

//! What of the widget lies outside of a widget around it, where nobody can scroll to it.
bool reachesOut(const QWidget& widget, const QWidget& root)
{
    for (const QWidget* around = widget.parentWidget(); around && &widget != &root; around = around->parentWidget()) {
        const QRect here(widget.mapTo(around, QPoint()), widget.size());
        const auto* scroll = qobject_cast<const QAbstractScrollArea*>(around->parentWidget());
        if (scroll && scroll->viewport() == around) {
            const bool sideways = scroll->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff;
            return !sideways && (here.left() < 0 || here.right() > around->rect().right());
        }
        if (!around->rect().contains(here))
            return true;
        if (around == &root)
            return false;
    }
    return false;
}

QString plain(QString text)
{
    static const QRegularExpression tags(u"<[^<>]*>"_s);
    return text.remove(tags).remove(u'&').simplified();
}

QString inWords(const QWidget& widget, const QString& text, const QString& what)
{
    QString name = widget.objectName();
    for (const QWidget* one = widget.parentWidget(); one && name.isEmpty(); one = one->parentWidget())
        name = one->objectName().isEmpty() ? QString() : u"in "_s + one->objectName();
    return u"%1 %2 \"%3\": %4"_s.arg(QLatin1String(widget.metaObject()->className()), name, text, what);
}

} // namespace

QString NotingTranslator::translate(const char* context, const char* sourceText, const char* disambiguation,
                                    int n) const
{
    QString text = m_how->translate(context, sourceText, disambiguation, n);
    if (QThread::currentThread() == qApp->thread()) // jobs have texts too, but show none
        m_said.insert(text.isEmpty() ? QString::fromUtf8(sourceText) : text);
    return text;
}

QStringList cutTexts(const QWidget& root, const QSet<QString>& own, TooltipHelps tooltip)
{
    QStringList all;
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(&root) || widget->window() != root.window())
            continue;
        const QString text = shownText(*widget);
        if (shortened(text, own) &&
            !(tooltip == TooltipHelps::Always && plain(widget->toolTip()).contains(plain(text.chopped(1)))))
            all << inWords(*widget, text, u"shortened"_s);
        for (const Misfit& one : misfitsOf(*widget)) {
            const bool helped = plain(one.tip).contains(plain(one.text));
            if (helped && (tooltip == TooltipHelps::Always || !own.contains(one.text)))
                continue;
            all << inWords(*widget, one.text,
                           u"%1x%2 of %3x%4"_s.arg(one.has.width())
                               .arg(one.has.height())
                               .arg(one.wants.width())
                               .arg(one.wants.height()));
        }
        if (!text.isEmpty() && reachesOut(*widget, root))
            all << inWords(*widget, text, u"reaches out of what is around it"_s);
    }
    return all;
}

} // namespace dyno::test
