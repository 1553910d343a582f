// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/scroll_area.h"

#include <QScrollArea>

namespace dyno {

QScrollArea* scrollArea(QWidget* content, const QString& name)
{
    auto* area = new QScrollArea;
    area->setObjectName(name);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidget(content);
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

} // namespace dyno
