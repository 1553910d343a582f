// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds anything by name: pages, commands, recipes, sessions, pages of the manual. Typing searches, Up and Down
//! choose, Enter does it, Escape goes away. GUI thread.
#pragma once

#include "bridge/job.h"

#include <dyno/catalog.h>
#include <dyno/library.h>

#include <QAbstractListModel>
#include <QFrame>
#include <QString>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;

namespace dyno {

class AppContext;

struct PaletteEntry
{
    QString text;
    QString group; //!< what it is: "Plan", "Recipe", "Session"
    QString facts; //!< keys, date
    QString icon;
    std::function<void()> run;
};

//! The entries that fit what was typed, best first.
class PaletteModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { GroupRole = Qt::UserRole + 1, FactsRole, IconRole };
    static constexpr int kMostRows = 100; //!< more are no choice any more

    using QAbstractListModel::QAbstractListModel;
    void add(std::vector<PaletteEntry> entries); //!< below those of before, where both fit alike
    void setPattern(const QString& pattern);
    //! Names an entry, whatever is searched for and added.
    [[nodiscard]] std::size_t number(int row) const { return m_shown[std::size_t(row)]; }
    [[nodiscard]] int rowOf(std::size_t number) const; //!< -1: not shown
    [[nodiscard]] const PaletteEntry& entry(int row) const { return m_entries[m_shown[std::size_t(row)]]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void search();
    std::vector<PaletteEntry> m_entries;
    std::vector<std::size_t> m_shown;
    QString m_pattern;
};

class CommandPalette : public QFrame
{
    Q_OBJECT
public:
    //! Knows the commands below `window`. Reads recipes and sessions in jobs; they come when they are there.
    CommandPalette(AppContext& context, QWidget& window);

    void open();                                                 //!< below the window's upper edge
    [[nodiscard]] bool loading() const { return m_loading > 0; } //!< recipes or sessions are still being read

signals:
    void manualWanted(const QString& page);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addCommands();
    void addManual();
    void loadRecipes();
    void loadSessions();
    void add(std::vector<PaletteEntry> entries); //!< what is chosen stays so
    void choose(const QModelIndex& index);
    void fit();

    AppContext& m_context;
    QWidget& m_window;
    PaletteModel m_model;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_nothing;
    Job<std::vector<RecipeInfo>> m_recipes;
    Job<std::vector<SessionInfo>> m_sessions;
    int m_loading = 0;
};

} // namespace dyno
