// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Completes names in a line that holds several, with commas between them, or one. GUI thread.
#pragma once

#include <QCompleter>

class QLineEdit;
class QStringListModel;

namespace dyno {

//! Of the name in which the cursor stands; what is around it stays. A name fits that has the typed part anywhere,
//! whatever the case. The line shows the name that is highlighted, and what was typed again when none is chosen.
class NamesCompleter : public QCompleter
{
    Q_OBJECT
public:
    enum class Holds { Names, OneName };
    //! Is the line's completer, and belongs to it.
    explicit NamesCompleter(QLineEdit& line, Holds holds = Holds::Names);
    void setNames(const QStringList& names);
    [[nodiscard]] QString pathFromIndex(const QModelIndex& index) const override;
    [[nodiscard]] QStringList splitPath(const QString& path) const override;

signals:
    void chosen(); //!< the line has the name now

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void putCursor(); //!< behind the name
    void restore();   //!< what was typed

    QLineEdit& m_line;
    bool m_several;
    QStringListModel* m_names;
    QObject* m_list = nullptr;
    //! Of the text that was typed last; a choice in the list changes the line before it is taken.
    mutable QString m_text;
    mutable qsizetype m_begin = 0, m_cursor = 0, m_end = 0; //!< the name in it
    QString m_trial; //!< what the line shows with a name that is only highlighted; "": nothing of the kind
};

} // namespace dyno
