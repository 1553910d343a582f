// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The only way to include QCustomPlot: silences its warnings.
#pragma once

// It asks for all of Qt Print Support, which asks for all headers of Core, Gui and Widgets; two of them are all it
// needs.
#define QT_QTPRINTSUPPORT_MODULE_H
#include <QPrinter>
#include <QWidget>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#include <qcustomplot.h>
#pragma GCC diagnostic pop
