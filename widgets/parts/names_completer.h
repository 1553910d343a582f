// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Completes names in a line that holds several, with commas between them. GUI thread.
#pragma once

#include <QCompleter>

class QLineEdit;
class QStringListModel;

namespace dyno {

//! Of the name in which the cursor stands; what is around it stays. A name fits that has the typed part anywhere,
//! whatever the case.
class NamesCompleter : public QCompleter
{
    Q_OBJECT
public:
    explicit NamesCompleter(QLineEdit& line); //!< is the line's completer, and belongs to it
    void setNames(const QStringList& names);
    [[nodiscard]] QString pathFromIndex(const QModelIndex& index) const override;
    [[nodiscard]] QStringList splitPath(const QString& path) const override;

signals:
    void chosen(); //!< the line has the name now

private:
    QLineEdit& m_line;
    QStringListModel* m_names;
    //! Of the text that was typed last; a choice in the list changes the line before it is taken.
    mutable QString m_text;
    mutable qsizetype m_begin = 0, m_end = 0; //!< the name in it
};

} // namespace dyno
