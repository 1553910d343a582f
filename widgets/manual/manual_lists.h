// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The left side of the manual: the pages by groups, and the places that a search finds. GUI thread.
#pragma once

#include <QListWidget>

namespace dyno {

//! The pages. Headings of groups cannot be chosen.
class ManualContents : public QListWidget
{
    Q_OBJECT
public:
    explicit ManualContents(QWidget* parent = nullptr);
    //! Shows which page is open, without opening it.
    void showCurrent(const QString& page);

signals:
    void pageChosen(const QString& page);

private:
    void dress();
};

//! What was found: heading, page and text around it, three lines each.
class ManualHits : public QListWidget
{
    Q_OBJECT
public:
    explicit ManualHits(QWidget* parent = nullptr);
    //! Lists the parts in which all words stand; none for an empty text.
    void search(const QString& words);
    //! As a click on it does.
    void choose(int row);

signals:
    void placeChosen(const QString& page, const QString& anchor);
};

} // namespace dyno
