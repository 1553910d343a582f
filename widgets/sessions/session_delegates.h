// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How cells of the session list and of the ratio table are painted. GUI thread.
#pragma once

#include "parts/labels.h"

namespace dyno {

//! Fills a pill and writes `text` into it; returns its width.
int paintPill(QPainter& painter, const QRect& cell, int x, const QString& text, const QColor& color, bool strong);

class SessionModel;

//! Title of a session over its verdict, with its sparkline at the right end.
class SessionDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    SessionDelegate(const SessionModel& model, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;

private:
    const SessionModel& m_model;
};

//! The state of a session as a pill in its colour (SessionModel::StatusRole).
class StatusDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

//! Tags as grey pills (SessionModel::TagsRole); edited as "a, b".
class TagsDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

//! A series label with a dot in the series' colour (PivotTableModel::SeriesRole).
class SeriesDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

//! A verdict in its colour (PivotTableModel::VerdictRole).
class VerdictDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

} // namespace dyno
