// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

#include <vector>

class QCPRange;

namespace dyno {

class PlotCard;

//! Links the crosshairs (and the zoom in x) of several plots with the same x axis.
class CrosshairGroup : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    void add(PlotCard* card);
    void moveTo(double x);
    void hide();
    void shareXRange(const PlotCard* from, const QCPRange& range);
    void resetZoom();
    void resetZoomQuietly(); //!< leaves the drawing to the next frame

private:
    std::vector<QPointer<PlotCard>> m_cards;
    bool m_busy = false;
};

} // namespace dyno
