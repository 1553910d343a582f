// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The list of all series of a run, from which plots are added. GUI thread.
#pragma once

#include "parts/card.h"

#include <QStyledItemDelegate>
#include <QTimer>

class QLineEdit;
class QTreeView;

namespace dyno {

class LiveRunModel;
class SeriesModel;

//! The last value behind a small line of the values before it.
class SparkDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

class SeriesPanel : public Card
{
    Q_OBJECT
public:
    explicit SeriesPanel(const LiveRunModel& model, QWidget* parent = nullptr); //!< `model` must outlive it
    [[nodiscard]] QTreeView& tree() const { return *m_tree; }
    [[nodiscard]] SeriesModel& series() const { return *m_series; }
    void offer(QPushButton* button); //!< below the list: where more series come from
    void begin();                    //!< it has come on the screen: a person types at once

signals:
    void addWanted(const QStringList& ids); //!< RunMeasure::id
    void closeWanted();

protected:
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void reload();
    void filter(const QString& text);
    void showFound();
    void spanGroups(const QModelIndex& parent);
    void addSelected();

    const LiveRunModel& m_model;
    SeriesModel* m_series;
    QLineEdit* m_filter;
    QTreeView* m_tree;
    QLabel *m_hint, *m_nothing;
    QTimer m_reload;
    QTimer m_values;       //!< new ones have come
    bool m_isStale = true; //!< another run has begun since it was filled
};

} // namespace dyno
