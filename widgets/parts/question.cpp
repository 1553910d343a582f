// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/question.h"

#include "parts/foreign_text.h"
#include "parts/labels.h"
#include "theme.h"

#include <QLabel>
#include <QPushButton>

#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

Question::Question(QWidget* parent, const QString& name, const QString& title, const QString& text, const QString& more,
                   const QString& iconName)
    : QMessageBox(parent)
    , m_iconName(iconName)
{
    setObjectName(name);
    setAccessibleName(title);
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    setText(text);
    setInformativeText(more);
    showPlainly(*this);
    connect(&Theme::instance(), &Theme::changed, this, &Question::dress);
}

void Question::addAct(const QString& name, const QString& label, std::function<void()> act, bool loses)
{
    QPushButton* button = addButton(label, QMessageBox::AcceptRole);
    button->setObjectName(name);
    if (loses)
        setRole(button, "danger");
    connect(button, &QPushButton::clicked, this, [act = std::move(act)] { act(); });
}

void Question::ask(const QString& name, const QString& label)
{
    QPushButton* harmless = addButton(label.isEmpty() ? tr("Cancel") : label, QMessageBox::RejectRole);
    harmless->setObjectName(name);
    setDefaultButton(harmless);
    setEscapeButton(harmless);
    dress();
    open();
    harmless->setFocus(Qt::OtherFocusReason); // whichever has it is what Enter presses
}

//! Qt's own dress leaves a gap where an icon could be, and breaks short lines.
void Question::dress()
{
    constexpr int kIcon = 24, kTextWidth = 400;
    setIconPixmap(Theme::instance().icon(m_iconName).pixmap(kIcon));
    if (QPushButton* harmless = defaultButton()) // buttons that are laid out anew lose the focus
        harmless->setFocus(Qt::OtherFocusReason);
    if (auto* text = findChild<QLabel*>(u"qt_msgbox_label"_s))
        text->setFont(Theme::font(TextRole::Section));
    if (auto* more = findChild<QLabel*>(u"qt_msgbox_informativelabel"_s))
        more->setMinimumWidth(kTextWidth);
}

} // namespace dyno
