// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! All series of a run as a tree: by who says so, then by how their names begin. GUI thread.
#pragma once

#include "run/run_measures.h"

#include <QAbstractItemModel>
#include <QStringList>

#include <vector>

namespace dyno {

class LiveRunModel;

//! Texts and values are made when a row is asked for them, so that 1 500 series cost little. The first column has the
//! names, the second the last value.
class SeriesModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Role { IdRole = Qt::UserRole + 1 }; //!< RunMeasure::id; "" of a group
    enum Column { NameColumn, ValueColumn };

    explicit SeriesModel(const LiveRunModel& model, QObject* parent = nullptr); //!< `model` must outlive it
    bool reload();                         //!< the model has another run; false: of the same series, so all nodes stay
    void setFilter(const QString& filter); //!< words that a series must have, in any order
    [[nodiscard]] int found() const { return m_found; }                            //!< series that are listed
    [[nodiscard]] const RunMeasure* measureAt(const QModelIndex& index) const;     //!< nullptr: a group
    [[nodiscard]] const QVector<double>& valuesAt(const QModelIndex& index) const; //!< not scaled
    [[nodiscard]] QStringList idsAt(const QModelIndex& index) const;               //!< of a group: of all below it
    [[nodiscard]] QModelIndex firstSeries() const;                                 //!< as they are listed

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;

private:
    struct Node
    {
        QString text;
        int parent = -1, row = 0;
        int measure = -1; //!< −1: a group
        std::vector<int> children = {};
    };
    //! A series and what it is called among those of its source.
    struct Named
    {
        QString name;
        int measure = 0;
    };
    [[nodiscard]] QString sourceOf(const RunMeasure& measure) const;
    [[nodiscard]] QString nameOf(const RunMeasure& measure) const;
    [[nodiscard]] const CounterInfo* counterOf(const RunMeasure& measure) const;
    void build();
    void addSource(const QString& source, const std::vector<Named>& series);
    int addNode(int parent, const QString& text, int measure);
    void addLeaves(int parent, const std::vector<Named>& series, qsizetype cut);
    [[nodiscard]] const Node& node(const QModelIndex& index) const;
    void addIds(int at, QStringList& ids) const;

    const LiveRunModel& m_model;
    RunMeasures m_measures;
    QStringList m_words;
    std::vector<Node> m_nodes; //!< the first is the root
    int m_found = 0;
};

} // namespace dyno
