// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Words offered while a script is typed: tables and columns once they were read, variables, commands, functions, and
//! names of transactions in the head. GUI thread.
#pragma once

#include <dyno/table_info.h>

#include <QList>
#include <QObject>
#include <QString>

#include <vector>

class QModelIndex;

class QCompleter;
class QKeyEvent;
class QPlainTextEdit;
class QStandardItemModel;

namespace dyno {

struct ScriptWord
{
    QString text;      //!< as it is inserted
    QString detail;    //!< what it is
    QString name = {}; //!< what is typed for it, without the quotes of `text`; "": the text itself

    [[nodiscard]] const QString& typedAs() const { return name.isEmpty() ? text : name; }
};

class ScriptCompletion : public QObject
{
    Q_OBJECT
public:
    explicit ScriptCompletion(QPlainTextEdit& editor);
    void setTables(const std::vector<TableInfo>& tables) { m_tables = tables; }
    //! Offers words for what stands before the cursor; `asked`: by a person, else only once two letters are typed, and
    //! none is chosen before the person moves to it: Enter stays a line break.
    void offer(bool asked);
    void hide();
    //! The list is open and the key is for it.
    [[nodiscard]] bool takes(const QKeyEvent* event) const;
    //! What offer(true) would offer here.
    [[nodiscard]] QList<ScriptWord> words() const;

private:
    void insert(const QModelIndex& offered);
    [[nodiscard]] QString typed() const; //!< the beginning of a word before the cursor, with its \ or :
    [[nodiscard]] QList<ScriptWord> namesHere(const QString& prefix) const;

    QPlainTextEdit& m_editor;
    std::vector<TableInfo> m_tables;
    QStandardItemModel* m_model;
    QCompleter* m_completer;
};

} // namespace dyno
