// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How the list of servers and the division of a data folder are drawn. GUI thread.
#pragma once

#include <dyno/servers.h>

#include <QListView>
#include <QString>
#include <QStyledItemDelegate>
#include <QWidget>

#include <vector>

namespace dyno {

//! Rows of ServerListModel: group titles, hints that wrap, servers with a dot, a name, a second line and a size.
class ServerDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

//! The list: Enter and a double click emit activated(); a resize lays hints out anew.
class ServerListView : public QListView
{
    Q_OBJECT
public:
    explicit ServerListView(QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;
};

//! One bar divided by kind of file, with a legend of sizes below it.
class SizeBar : public QWidget
{
    Q_OBJECT
public:
    explicit SizeBar(QWidget* parent = nullptr);
    void setParts(const std::vector<DataPart>& parts);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Share
    {
        QString text;
        quint64 bytes = 0;
    };
    int layOutLegend(int width, QPainter* painter) const; //!< returns the height
    std::vector<Share> m_shares;                          //!< largest first, small ones together
    quint64 m_total = 0;
};

} // namespace dyno
