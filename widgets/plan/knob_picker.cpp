// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/knob_picker.h"

#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! Name, kind at the right, help below.
class KnobDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {240, 46}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = Theme::instance().colors();
        const QRect rect = option.rect.adjusted(0, 1, 0, -1);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool current = option.state & QStyle::State_Selected;
        if (current || option.state & QStyle::State_MouseOver) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(current ? colors.accent : colors.grid);
            painter->drawRoundedRect(rect, space::controlRadius, space::controlRadius);
        }
        const QRect inner = rect.adjusted(10, 5, -10, -5);
        QFont name = Theme::font(TextRole::Body);
        name.setWeight(QFont::DemiBold);
        const QFont small = Theme::font(TextRole::Label);
        const QString kind = index.data(KnobModel::TypeRole).toString();
        painter->setFont(small);
        const QString kindShown = painter->fontMetrics().elidedText(kind, Qt::ElideRight, inner.width() / 2);
        painter->setPen(current ? colors.onAccent : colors.secondText);
        painter->drawText(inner, Qt::AlignRight | Qt::AlignTop, kindShown);
        painter->drawText(inner, Qt::AlignLeft | Qt::AlignBottom,
                          painter->fontMetrics().elidedText(index.data(KnobModel::HelpRole).toString(), Qt::ElideRight,
                                                            inner.width()));
        const int nameWidth = inner.width() - painter->fontMetrics().horizontalAdvance(kindShown) - 12;
        painter->setFont(name);
        painter->setPen(current ? colors.onAccent : colors.text);
        painter->drawText(inner, Qt::AlignLeft | Qt::AlignTop,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, nameWidth));
        painter->restore();
    }
};

} // namespace

KnobPicker::KnobPicker(const QString& title, std::vector<KnobChoice> choices, const QStringList& freeScopes,
                       QWidget* parent)
    : QDialog(parent)
    , m_freeScopes(freeScopes)
    , m_search(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_details(makeLabel({}, TextRole::Secondary, this))
    , m_free(makeButton({}, "link", {}, this))
    , m_add(makeButton(tr("Add"), "primary", {}, this))
{
    auto* layout = dressDialog(*this, u"knobPicker"_s, title);
    keepSize(*this, {560, 600});
    m_model.setChoices(std::move(choices));
    m_filter.setSourceModel(&m_model);

    describe(m_search, u"knobSearch"_s, tr("Search by name or words of the description"));
    m_search->setPlaceholderText(m_freeScopes.isEmpty() ? tr("Search") : tr("Search, or type any variable's name"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    describe(m_list, u"knobList"_s, tr("What can be set"), u" "_s);
    m_list->setToolTip({});
    m_list->setAccessibleDescription(tr("Enter adds the knob; it can also be dragged onto the axes"));
    m_list->setModel(&m_filter);
    m_list->setItemDelegate(new KnobDelegate(m_list));
    m_list->setMouseTracking(true);
    m_list->setDragEnabled(true);
    m_list->setDragDropMode(QAbstractItemView::DragOnly);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_details->setWordWrap(true);
    m_details->setTextFormat(Qt::RichText);
    m_details->setMinimumHeight(150);
    m_details->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    describe(m_free, u"knobFree"_s, tr("Use the typed name"), tr("Sent as typed; the value in force is read back"));
    describe(m_add, u"knobAdd"_s, tr("Add what is selected"));
    m_add->setDefault(true);
    auto* cancel = makeButton(tr("Cancel"), "", {}, this);
    describe(cancel, u"knobCancel"_s, tr("Close without a change"));

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_free);
    buttons->addWidget(makeLabel(tr("Enter, double click, or drag onto the axes"), TextRole::Label, this));
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_add);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_details);
    layout->addLayout(buttons);

    connect(m_search, &QLineEdit::textChanged, this, &KnobPicker::search);
    connect(m_list, &QListView::doubleClicked, this, &KnobPicker::pick);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &KnobPicker::showDetails);
    connect(m_add, &QPushButton::clicked, this, &KnobPicker::pick);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_free, &QPushButton::clicked, this, [this] {
        const QString path = m_free->property("path").toString();
        emit picked(knobChoice(m_model.choices(), path));
        accept();
    });
    search({});
    m_search->setFocus();
}

void KnobPicker::search(const QString& text)
{
    m_filter.setSearch(text);
    m_list->setCurrentIndex(m_filter.index(0, 0));
    static const QRegularExpression word(u"^(?:(server|connection)\\.)?([A-Za-z_][A-Za-z0-9_.]*)$"_s);
    const QRegularExpressionMatch match = word.match(text.trimmed());
    bool free = match.hasMatch() && !m_freeScopes.isEmpty();
    if (free) {
        const QString scope = match.captured(1).isEmpty() ? m_freeScopes.front() : match.captured(1);
        const QString path = scope + u'.' + match.captured(2);
        free = m_freeScopes.contains(scope) && !knobChoice(m_model.choices(), path).described;
        m_free->setProperty("path", path);
        m_free->setText(tr("Use “%1” as a %2").arg(match.captured(2), scopeLabel(scope)));
    }
    m_free->setVisible(free);
    showDetails();
}

KnobChoice KnobPicker::chosen() const
{
    const QModelIndex current = m_list->currentIndex();
    return current.isValid() ? knobChoice(m_model.choices(), current.data(KnobModel::PathRole).toString())
                             : KnobChoice();
}

void KnobPicker::showDetails()
{
    const KnobChoice choice = chosen();
    m_add->setEnabled(!choice.path.isEmpty());
    m_details->setText(choice.path.isEmpty() ? tr("Nothing matches").toHtmlEscaped() : knobToolTip(choice));
    m_details->setAccessibleDescription(choice.safety);
}

void KnobPicker::pick()
{
    const KnobChoice choice = chosen();
    if (choice.path.isEmpty()) {
        if (m_free->isVisible())
            m_free->click();
        return;
    }
    emit picked(choice);
    accept();
}

bool KnobPicker::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        switch (key->key()) {
        case Qt::Key_Down:
        case Qt::Key_Up:
        case Qt::Key_PageDown:
        case Qt::Key_PageUp:
            QCoreApplication::sendEvent(m_list, event);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            pick();
            return true;
        default:
            break;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace dyno
