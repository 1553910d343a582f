// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Continue": the last plan and the newest sessions as cards, each with what it says and what comes next. GUI thread.
#pragma once

#include "start/start_reading.h"

#include <QWidget>

#include <vector>

class QGridLayout;

namespace dyno {

class AppContext;

class ContinueRow : public QWidget
{
    Q_OBJECT
public:
    explicit ContinueRow(AppContext& context, QWidget* parent = nullptr);
    //! Replaces the cards where they would show something else; an error stands in their place.
    void setReading(const Expected<StartReading>& reading);
    void setColumns(int columns);

signals:
    void againRequested(const QString& sessionId);

private:
    [[nodiscard]] QWidget* planCard(const OpenPlan& plan);
    [[nodiscard]] QWidget* sessionCard(const LatestSession& latest);
    void startPlan();
    void place();

    AppContext& m_context;
    QGridLayout* m_grid;
    std::vector<QWidget*> m_cards, m_fillers;
    QStringList m_texts;                //!< what the cards show,
    std::vector<ChartPreview> m_charts; //!< and their pictures
    int m_columns = 4;
};

} // namespace dyno
