// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Exporters and other machines whose series stand beside the server's: a row for each, to change, try and remove.
//! GUI thread.
#pragma once

#include "bridge/job.h"

#include <dyno/observed_sources.h>

#include <QAbstractTableModel>
#include <QHash>
#include <QWidget>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;

namespace dyno {

class FitTable;
class PlanEditor;

//! The plan's rows; changed only through the editor.
class SourcesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { KindColumn, NameColumn, ReadsColumn, TriedColumn, ColumnCount };

    explicit SourcesModel(PlanEditor& editor, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    //! False for a name that another row of this kind has; problemWith() says so.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    [[nodiscard]] const std::vector<SeriesSource>& sources() const { return m_sources; }
    [[nodiscard]] int rowOf(const QString& setting) const; //!< "exporter.NAME"; −1: there is none
    //! What is wrong with the row when its cell has this text; "": nothing.
    [[nodiscard]] QString problemWith(const QModelIndex& index, const QString& text) const;
    [[nodiscard]] QString problemOf(int row) const;
    [[nodiscard]] QString failureOf(int row) const; //!< of its last try; "" when it did not fail
    //! A new one, which says nothing yet; its row.
    int add(SourceKind kind);
    void remove(const QList<int>& rows);
    //! What the last try of it said; forgotten when it reads something else.
    void setTried(const SeriesSource& source, const QString& text, bool failed);
    void forgetTried(const SeriesSource& source);

signals:
    void renamed(const QString& setting); //!< a row, whose place may be another one now

private:
    struct Tried
    {
        SeriesSource source;
        QString text;
        bool failed = false;
    };
    void sync();
    [[nodiscard]] const Tried* tried(const SeriesSource& source) const;
    [[nodiscard]] SeriesSource changed(const QModelIndex& index, const QString& text) const;

    PlanEditor& m_editor;
    std::vector<SeriesSource> m_sources;
    QHash<QString, Tried> m_tried; //!< by setting
};

class SourcesForm : public QWidget
{
    Q_OBJECT
public:
    //! Asks for what nobody has agreed to of `risks`; `then` follows at once where nothing is open.
    using Agree = std::function<void(const std::vector<Risk>& risks, std::function<void()> then)>;
    SourcesForm(PlanEditor& editor, Agree agree, QWidget* parent = nullptr);
    ~SourcesForm() override;

    void focusSetting(const QString& setting); //!< "exporter.NAME"
    void tryCurrent();                         //!< reads it once, on another thread
    [[nodiscard]] bool trying() const { return m_stop != nullptr; }

signals:
    void tried(); //!< the answer of a try is on the screen

private:
    void add(SourceKind kind);
    void removeSelected();
    void read(const SeriesSource& source);
    void giveUp(); //!< the try under way
    void show(const SeriesSource& source, const Expected<SourceReading>& reading);
    void showProblem(const QString& problem);
    void refresh();

    PlanEditor& m_editor;
    Agree m_agree;
    SourcesModel* m_model;
    FitTable* m_table;
    QPushButton *m_try, *m_remove;
    QLabel *m_empty, *m_problem;
    QString m_current; //!< setting of the current row, which comes back after the rows have changed
    int m_column = SourcesModel::NameColumn;
    Job<Expected<SourceReading>> m_job;
    std::shared_ptr<std::atomic<bool>> m_stop; //!< of the try under way
    SeriesSource m_asked;                      //!< what it reads
};

} // namespace dyno
