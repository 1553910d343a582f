// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person makes of a table's columns: how wide they are and which are shown. Kept in the settings under the
//! table's object name, so that it survives a restart. GUI thread.
#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <optional>
#include <set>

class QMenu;
class QTableView;

namespace dyno {

//! The look of a list of rows that are chosen as a whole and sorted by their headers.
void dressRowTable(QTableView* view);

class TableColumns : public QObject
{
    Q_OBJECT
public:
    //! `keys`: what the columns are called in the settings, in the model's order. `always`: columns that a person
    //! cannot hide. The view has its model, its object name and its usual widths; it owns this.
    TableColumns(QTableView* view, QStringList keys, std::set<int> always);
    ~TableColumns() override;

    //! Of the page: a column without content, or without room, is hidden whatever the person chose.
    void setAvailable(int column, bool on);
    //! The width that the person gave it, if any.
    [[nodiscard]] std::optional<int> width(int column) const;
    //! Sets widths that are no choice of the person.
    void fit(const std::function<void()>& resize);
    //! "Columns": which are shown. It opens on the header too.
    [[nodiscard]] QMenu* menu() const { return m_menu; }

signals:
    void changed(); //!< other columns are shown, or widths were reset

private:
    [[nodiscard]] QString setting(int column, const char* what) const;
    void fillMenu();
    void apply(int column);
    void reset();
    void saveWidths();

    QTableView* m_view;
    QString m_name; //!< of the table, in the settings
    QStringList m_keys;
    QMenu* m_menu;
    std::set<int> m_always, m_unavailable, m_hidden;
    QHash<int, int> m_widths, m_usual; //!< by the person; without one
    std::set<int> m_unsaved;           //!< columns whose width is not in the settings yet
    QTimer m_saveTimer;                //!< until the person lets go of a column
    bool m_fitting = false;
};

} // namespace dyno
