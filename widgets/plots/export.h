// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plots to files and the clipboard. What is on screen (ranges, hidden series, logarithmic or linear) is what is
//! written; only size and colours may differ. GUI thread.
#pragma once

#include "plots/qcp.h"
#include "theme.h"

#include <dyno/error.h>
#include <dyno/export.h>

#include <QDialog>
#include <QImage>
#include <QPointer>
#include <QSize>
#include <QString>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace dyno {

class PlotCard;

struct ExportOptions
{
    QSize size = {1200, 675}; //!< in points of the picture; text keeps its size
    double scale = 2;         //!< PNG and clipboard: pixels per point
    ThemeMode theme = ThemeMode::Light;
    bool transparent = false; //!< no background (PNG, SVG)
    bool head = false;        //!< title, facts and verdict of PlotCard::exportWords() above
    bool caption = false;     //!< and its caption below
};

//! The bytes of one picture: "png", "svg" or "pdf". The same plot and options give the same bytes.
[[nodiscard]] Expected<QByteArray> plotBytes(PlotCard& card, const ExportOptions& options, const QString& format);

//! The SVG for a post, with the values that a reader's mouse finds in it. `file`: as the post names it.
[[nodiscard]] Expected<ReportPicture> reportPicture(PlotCard& card, const ExportOptions& options, const QString& file);

//! Format by the suffix of `file`: .png, .svg, .pdf; .csv writes the data. Replaces an existing file.
[[nodiscard]] Expected<void> exportPlot(PlotCard& card, const ExportOptions& options, const QString& file);
[[nodiscard]] QImage renderPlot(PlotCard& card, const ExportOptions& options);
//! Head, title, plot and caption into `rect`, dressed in options.theme. Use the painter mode pmVectorized for vector
//! formats.
//! `spots`: gets where values stand, unless it is null.
void paintPlot(QCPPainter& painter, const QRect& rect, PlotCard& card, const ExportOptions& options,
               std::vector<PictureSpot>* spots = nullptr);
//! All cards into one PDF, one page each.
[[nodiscard]] Expected<void> exportPdf(const std::vector<PlotCard*>& cards, const ExportOptions& options,
                                       const QString& file);

//! Asks for size, scale, colours and a file, with a preview.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    explicit ExportDialog(PlotCard& card, QWidget* parent = nullptr);
    [[nodiscard]] ExportOptions options() const;

private:
    void save(const QString& suffix);
    void updatePreview();
    QPointer<PlotCard> m_card; //!< may go while the dialog is open
    bool m_saving = false;     //!< a dialog of its own runs inside it
    QSpinBox* m_width;
    QSpinBox* m_height;
    QComboBox* m_scale;
    QComboBox* m_theme;
    QCheckBox* m_transparent;
    QCheckBox *m_head, *m_caption;
    QLabel* m_preview;
};

} // namespace dyno
