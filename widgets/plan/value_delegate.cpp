// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/value_delegate.h"

#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/axes_model.h"
#include "theme.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPainter>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! An editor that fills its cell; colours come from the palette, which is the theme's.
QString cellStyle(const QString& type)
{
    return u"%1 { border: 1px solid palette(highlight); border-radius: 0; padding: 0 5px; min-height: 0; }"_s.arg(type);
}

} // namespace

QWidget* ValueDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const
{
    const QVariant knob = index.data(KnobRole);
    const KnobChoice choice = knob.value<KnobChoice>();
    const bool fixed = choice.option.type == OptionType::Choice || choice.option.type == OptionType::Bool;
    if (knob.isValid() && (fixed || !choice.option.choices.empty())) {
        auto* combo = new QComboBox(parent);
        combo->setFrame(false);
        combo->setEditable(!fixed);
        if (choice.option.type == OptionType::Bool) {
            combo->addItems({u"OFF"_s, u"ON"_s});
        } else {
            for (const std::string& one : choice.option.choices) {
                if (!one.empty())
                    combo->addItem(qtText(one));
            }
        }
        // Taking a knob out of one case is a choice, too; a base setting is removed as a row.
        if (qobject_cast<const AxisModel*>(index.model()))
            combo->addItem(tr("– (not set)"), QString());
        // One choice is one step: no need to leave the cell to make it count.
        connect(combo, &QComboBox::activated, this, [this, combo] {
            auto* self = const_cast<ValueDelegate*>(this);
            emit self->commitData(combo);
            emit self->closeEditor(combo);
        });
        combo->setStyleSheet(cellStyle(u"QComboBox"_s));
        combo->setObjectName(u"cellEditor"_s);
        combo->setAccessibleName(choice.path);
        return combo;
    }
    auto* line = new QLineEdit(parent);
    line->setFrame(false);
    line->setStyleSheet(cellStyle(u"QLineEdit"_s));
    line->setObjectName(u"cellEditor"_s);
    line->setAccessibleName(knob.isValid() ? choice.path : tr("Case name"));
    if (knob.isValid() && choice.described)
        line->setPlaceholderText(defaultText(choice.option));
    line->setToolTip(index.data(Qt::ToolTipRole).toString());
    return line;
}

void ValueDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    const QString text = index.data(Qt::EditRole).toString();
    if (auto* combo = qobject_cast<QComboBox*>(editor)) {
        const int found = combo->findText(text, Qt::MatchFixedString);
        if (found >= 0)
            combo->setCurrentIndex(found);
        else if (combo->isEditable())
            combo->setEditText(text);
        else
            combo->setCurrentIndex(text.isEmpty() ? combo->count() - 1 : 0);
        return;
    }
    if (auto* line = qobject_cast<QLineEdit*>(editor))
        line->setText(text);
}

void ValueDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const
{
    if (auto* combo = qobject_cast<QComboBox*>(editor)) {
        const bool cleared = combo->currentIndex() >= 0 &&
                             combo->currentText() == combo->itemText(combo->currentIndex()) &&
                             combo->currentData().isValid();
        model->setData(index, cleared ? QString() : combo->currentText());
    } else if (auto* line = qobject_cast<QLineEdit*>(editor)) {
        model->setData(index, line->text());
    }
}

void ValueDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const
{
    QRect rect = option.rect;
    if (qobject_cast<QComboBox*>(editor))
        rect.setWidth(std::max(rect.width(), editor->sizeHint().width()));
    editor->setGeometry(rect);
}

void ValueDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem mine = option;
    initStyleOption(&mine, index);
    const ThemeColors& colors = Theme::instance().colors();
    if (index.data(UnsetRole).toBool()) {
        mine.palette.setColor(QPalette::Text, colors.secondText);
    } else if (const QVariant knob = index.data(KnobRole); knob.isValid()) {
        const auto choice = knob.value<KnobChoice>();
        if (choice.described && !valueProblem(choice.option, index.data(Qt::EditRole).toString()).isEmpty())
            mine.palette.setColor(QPalette::Text, colors.bad);
    }
    QStyledItemDelegate::paint(painter, mine, index);
}

} // namespace dyno
