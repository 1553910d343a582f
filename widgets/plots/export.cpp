// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/export.h"

#include "format.h"
#include "parts/labels.h"
#include "plots/plot_card.h"
#include "plots/plot_spots.h"

#include <QBuffer>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPdfWriter>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QSettings>
#include <QSpinBox>
#include <QSvgGenerator>

namespace dyno {

namespace {

constexpr int kMargin = 16;

Error storageError(const QString& file, const QString& why)
{
    Error error;
    error.kind = ErrorKind::Storage;
    error.message = "the picture could not be written: " + why.toStdString();
    error.where = file.toStdString();
    error.remedy = "choose a folder that can be written and has room";
    return error;
}

Expected<void> saveBytes(const QString& file, const QByteArray& bytes)
{
    QSaveFile out(file);
    // commit() takes no notice when the last bytes find no room, and puts an empty file in the old one's place.
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.flush() || !out.commit())
        return fail(storageError(file, out.errorString()));
    return {};
}

//! Puts the card's own dress back, whatever happens in between.
class DressGuard
{
public:
    DressGuard(PlotCard& card, ThemeMode mode)
        : m_card(card)
        , m_crosshair(card.crosshairShown())
        , m_x(card.crosshairX())
    {
        m_card.hideCrosshair();
        m_card.restyle(Theme::colors(mode), mode);
    }
    ~DressGuard()
    {
        m_card.restyle(Theme::instance().colors(), Theme::instance().mode());
        m_card.layOutFor({});
        m_card.markDirty();
        if (m_crosshair)
            m_card.showCrosshair(m_x);
    }
    DressGuard(const DressGuard&) = delete;
    DressGuard& operator=(const DressGuard&) = delete;

private:
    PlotCard& m_card;
    bool m_crosshair;
    double m_x;
};

QByteArray svgBytes(PlotCard& card, const ExportOptions& options, std::vector<PictureSpot>* spots = nullptr)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(options.size);
    svg.setViewBox(QRect(QPoint(0, 0), options.size));
    svg.setTitle(card.exportTitle());
    svg.setResolution(96);
    QCPPainter painter;
    if (!painter.begin(&svg))
        return {};
    painter.setMode(QCPPainter::pmVectorized);
    paintPlot(painter, QRect(QPoint(0, 0), options.size), card, options, spots);
    painter.end();
    return buffer.data();
}

//! PDF writers put the time and a random number into the file; both in as many bytes, so that the places of its parts
//! stay.
void makeStable(QByteArray& pdf)
{
    const auto blank = [&pdf](const QByteArray& before, char end, char by) {
        for (qsizetype at = pdf.indexOf(before); at >= 0; at = pdf.indexOf(before, at + 1)) {
            for (qsizetype i = at + before.size(); i < pdf.size() && pdf[i] != end; ++i) {
                if (QChar::isLetterOrNumber(uint(uchar(pdf[i]))))
                    pdf[i] = by;
            }
        }
    };
    for (const char* date : {"/CreationDate (D:", "/ModDate (D:"}) {
        for (qsizetype at = pdf.indexOf(date); at >= 0; at = pdf.indexOf(date, at + 1)) {
            const QByteArray epoch = QByteArrayLiteral("20000101000000+00'00'");
            const qsizetype from = at + qsizetype(qstrlen(date));
            for (qsizetype i = 0; i < epoch.size() && pdf[from + i] != ')'; ++i)
                pdf[from + i] = epoch[i];
        }
    }
    blank(QByteArrayLiteral("/ID [ <"), ']', '0');
    blank(QByteArrayLiteral("<xmp:CreateDate>"), '<', '0');
    blank(QByteArrayLiteral("<xmp:ModifyDate>"), '<', '0');
    blank(QByteArrayLiteral("<xmp:MetadataDate>"), '<', '0');
    blank(QByteArrayLiteral("uuid:"), '<', '0');
}

QByteArray pdfBytes(const std::vector<PlotCard*>& cards, const ExportOptions& options)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter pdf(&buffer);
        pdf.setCreator(QStringLiteral("Dynobench"));
        pdf.setResolution(96); // one point of the picture is one unit of the painter
        const QSizeF millimetres = QSizeF(options.size) * 25.4 / 96;
        pdf.setPageSize(QPageSize(millimetres, QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
        QCPPainter painter;
        if (!painter.begin(&pdf))
            return {};
        painter.setMode(QCPPainter::pmVectorized);
        for (std::size_t i = 0; i < cards.size(); ++i) {
            if (i > 0)
                pdf.newPage();
            paintPlot(painter, QRect(QPoint(0, 0), options.size), *cards[i], options);
        }
        painter.end();
    }
    QByteArray bytes = buffer.data();
    makeStable(bytes);
    return bytes;
}

struct FittedText
{
    int height;
    int flags; //!< for QPainter::drawText()
};

//! Wrapped text, within a word only where one is wider than the room; cut with an ellipsis where it is higher than
//! `most`.
FittedText fitText(const QFontMetrics& metrics, int width, int most, QString& text)
{
    int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    const QRect room(0, 0, width, most);
    const QString whole = text;
    QRect needed = metrics.boundingRect(room, flags, text);
    if (needed.width() > width) {
        flags |= Qt::TextWrapAnywhere;
        needed = metrics.boundingRect(room, flags, text);
    }
    for (qsizetype length = whole.size() * 9 / 10; needed.height() > most && length > 20; length = length * 9 / 10) {
        text = whole.left(length) + QChar(0x2026);
        needed = metrics.boundingRect(room, flags, text);
    }
    return {needed.height(), flags};
}

//! The session, its workload and what was found, as far as they leave the plot its room. Returns where they end.
int paintHead(QPainter& painter, const QSize& size, const ExportWords& words, const ThemeColors& colors)
{
    constexpr int kLineGap = 3, kGapBelow = 14;
    const int width = size.width() - 2 * kMargin, most = kMargin + size.height() / 4;
    int top = kMargin;
    const auto line = [&](QString text, TextRole role, const QColor& color, int lines) {
        painter.setFont(Theme::font(role));
        const QFontMetrics metrics(painter.font());
        if (text.isEmpty() || top + metrics.height() > most)
            return;
        const auto [height, flags] =
            fitText(metrics, width, std::min(lines * metrics.lineSpacing() + metrics.descent(), most - top), text);
        painter.setPen(color);
        painter.drawText(QRect(kMargin, top, width, height), flags, text);
        top += height + kLineGap;
    };
    line(words.title, TextRole::PageTitle, colors.text, 1);
    line(words.verdict, TextRole::Body, colors.text, 2);
    line(words.facts, TextRole::Secondary, colors.secondText, 2);
    return top == kMargin ? top : top + kGapBelow;
}

} // namespace

void paintPlot(QCPPainter& painter, const QRect& rect, PlotCard& card, const ExportOptions& options,
               std::vector<PictureSpot>* spots)
{
    const ThemeColors& colors = Theme::colors(options.theme);
    const DressGuard guard(card, options.theme);
    painter.save();
    painter.translate(rect.topLeft());
    if (!options.transparent)
        painter.fillRect(QRect(QPoint(0, 0), rect.size()), colors.surface);
    const ExportWords& words = card.exportWords();
    int top = options.head ? paintHead(painter, rect.size(), words, colors) : kMargin;
    const int width = rect.width() - 2 * kMargin;
    QFont font = Theme::font(TextRole::Section);
    painter.setFont(font);
    painter.setPen(colors.text);
    const QFontMetrics titleMetrics(font);
    const QFont second = Theme::font(TextRole::Secondary);
    const QFontMetrics secondMetrics(second);
    const QString title = titleMetrics.elidedText(card.title(), Qt::ElideRight, width);
    painter.drawText(QPoint(kMargin, top + titleMetrics.ascent()), title);
    painter.setFont(second);
    painter.setPen(colors.secondText);
    const int titleWidth = titleMetrics.horizontalAdvance(title) + 8;
    painter.drawText(QPoint(kMargin + titleWidth, top + titleMetrics.ascent()),
                     secondMetrics.elidedText(card.secondary(), Qt::ElideRight, width - titleWidth));
    top += titleMetrics.height() + 4;
    int bottom = kMargin / 2;
    if (QString text = options.caption ? words.caption : QString(); !text.isEmpty()) {
        const auto [height, flags] = fitText(secondMetrics, width, rect.height() / 4, text);
        bottom = height + kMargin;
        painter.drawText(QRect(kMargin, rect.height() - height - kMargin / 2, width, height), flags, text);
    }
    painter.translate(kMargin, top);
    const QBrush background = options.transparent ? QBrush(Qt::NoBrush) : QBrush(colors.surface);
    card.plot().setBackground(background);
    const QSize plotSize(width, rect.height() - top - bottom);
    card.layOutFor(plotSize);
    card.plot().toPainter(&painter, plotSize.width(), plotSize.height());
    if (spots)
        *spots = spotsOf(card, QPointF(kMargin, top)); // the axes are still those of the picture
    painter.restore();
}

QImage renderPlot(PlotCard& card, const ExportOptions& options)
{
    QImage image((QSizeF(options.size) * options.scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(options.transparent ? QColor(Qt::transparent) : Theme::colors(options.theme).surface);
    QCPPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.scale(options.scale, options.scale);
    painter.setMode(QCPPainter::pmNoCaching);
    paintPlot(painter, QRect(QPoint(0, 0), options.size), card, options);
    painter.end();
    // Browsers and word processors read the resolution: 96 dots an inch at scale 1.
    const int perMetre = int(options.scale * 96 / 0.0254);
    image.setDotsPerMeterX(perMetre);
    image.setDotsPerMeterY(perMetre);
    return image;
}

Expected<void> exportPdf(const std::vector<PlotCard*>& cards, const ExportOptions& options, const QString& file)
{
    const QByteArray bytes = pdfBytes(cards, options);
    if (bytes.isEmpty())
        return fail(storageError(file, QStringLiteral("no PDF painter")));
    return saveBytes(file, bytes);
}

Expected<QByteArray> plotBytes(PlotCard& card, const ExportOptions& options, const QString& format)
{
    QByteArray bytes;
    if (format == QLatin1String("svg")) {
        bytes = svgBytes(card, options);
    } else if (format == QLatin1String("pdf")) {
        bytes = pdfBytes({&card}, options);
    } else {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        renderPlot(card, options).save(&buffer, "PNG");
    }
    if (bytes.isEmpty())
        return fail(storageError(format, QStringLiteral("there is no painter for it")));
    return bytes;
}

Expected<ReportPicture> reportPicture(PlotCard& card, const ExportOptions& options, const QString& file)
{
    ReportPicture picture;
    const QByteArray bytes = svgBytes(card, options, &picture.spots);
    if (bytes.isEmpty())
        return fail(storageError(file, QStringLiteral("there is no painter for it")));
    picture.title = card.exportTitle().toStdString();
    picture.file = file.toStdString();
    picture.mediaType = "image/svg+xml";
    picture.bytes = bytes.toStdString();
    picture.width = options.size.width();
    picture.height = options.size.height();
    return picture;
}

Expected<void> exportPlot(PlotCard& card, const ExportOptions& options, const QString& file)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QLatin1String("csv"))
        return saveBytes(file, card.table().toCsv().toUtf8());
    if (suffix == QLatin1String("svg") || suffix == QLatin1String("pdf") || suffix == QLatin1String("png")) {
        const auto bytes = plotBytes(card, options, suffix);
        if (!bytes)
            return fail(bytes.error());
        return saveBytes(file, *bytes);
    }
    Error error;
    error.kind = ErrorKind::BadInput;
    error.message = "pictures are written as .png, .svg or .pdf, data as .csv";
    error.where = file.toStdString();
    error.remedy = "give the file one of these suffixes";
    return fail(error);
}

ExportDialog::ExportDialog(PlotCard& card, QWidget* parent)
    : QDialog(parent)
    , m_card(&card)
    , m_width(new QSpinBox)
    , m_height(new QSpinBox)
    , m_scale(new QComboBox)
    , m_theme(new QComboBox)
    , m_transparent(new QCheckBox(tr("Transparent background")))
    , m_head(new QCheckBox(tr("Session, workload and verdict above")))
    , m_caption(new QCheckBox(tr("Versions, hardware and repeats below")))
    , m_preview(new QLabel)
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export %1").arg(card.exportTitle()));
    connect(&card, &QObject::destroyed, this, [this] {
        if (!m_saving) // else save() ends it when it is back
            reject();
    });
    const QSettings settings;
    for (QSpinBox* box : {m_width, m_height}) {
        box->setRange(200, 8000);
        box->setSingleStep(40);
        box->setSuffix(tr(" px"));
        connect(box, &QSpinBox::valueChanged, this, &ExportDialog::updatePreview);
    }
    m_width->setObjectName(QStringLiteral("exportWidth"));
    m_height->setObjectName(QStringLiteral("exportHeight"));
    m_width->setValue(settings.value(QStringLiteral("export/width"), 1200).toInt());
    m_height->setValue(settings.value(QStringLiteral("export/height"), 675).toInt());
    for (const int scale : {1, 2, 3, 4})
        m_scale->addItem(QStringLiteral("%1×").arg(scale), scale);
    m_scale->setCurrentIndex(settings.value(QStringLiteral("export/scale"), 1).toInt());
    m_theme->addItem(tr("Light"), int(ThemeMode::Light));
    m_theme->addItem(tr("Dark"), int(ThemeMode::Dark));
    m_theme->addItem(tr("Print"), int(ThemeMode::Print));
    m_theme->setCurrentIndex(settings.value(QStringLiteral("export/theme"), int(Theme::instance().mode())).toInt());
    connect(m_theme, &QComboBox::currentIndexChanged, this, &ExportDialog::updatePreview);
    connect(m_transparent, &QCheckBox::toggled, this, &ExportDialog::updatePreview);
    auto* form = new QFormLayout;
    form->setSpacing(10);
    form->addRow(tr("Width"), m_width);
    form->addRow(tr("Height"), m_height);
    form->addRow(tr("Pixels per point (PNG)"), m_scale);
    form->addRow(tr("Colours"), m_theme);
    form->addRow(QString(), m_transparent);
    const auto addWords = [this, form, &settings](QCheckBox* box, const QString& name, const QString& words) {
        form->addRow(QString(), box);
        box->setObjectName(QStringLiteral("export") + name);
        box->setToolTip(words);
        box->setVisible(!words.isEmpty());
        box->setChecked(settings.value(QStringLiteral("export/") + name.toLower(), true).toBool());
        connect(box, &QCheckBox::toggled, this, &ExportDialog::updatePreview);
    };
    const ExportWords& words = card.exportWords();
    addWords(m_head, QStringLiteral("Head"), words.headText());
    addWords(m_caption, QStringLiteral("Caption"), words.caption);
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setMinimumSize(520, 300);
    m_preview->setAccessibleName(tr("Preview"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(10);
    auto* close = makeButton(tr("Close"));
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    buttons->addWidget(close);
    buttons->addStretch(1);
    auto* copy = makeButton(tr("Copy picture"));
    copy->setObjectName(QStringLiteral("exportCopy"));
    copy->setToolTip(tr("To the clipboard, as it is shown here"));
    connect(copy, &QPushButton::clicked, this, [this] {
        if (m_card)
            QGuiApplication::clipboard()->setImage(renderPlot(*m_card, options()));
    });
    buttons->addWidget(copy);
    for (const QString& suffix :
         {QStringLiteral("csv"), QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png")}) {
        const bool png = suffix == QLatin1String("png");
        auto* button = makeButton(tr("Save %1…").arg(suffix.toUpper()), png ? "primary" : "");
        button->setObjectName(QStringLiteral("save_") + suffix);
        button->setDefault(png);
        connect(button, &QPushButton::clicked, this, [this, suffix] { save(suffix); });
        buttons->addWidget(button);
    }
    auto* top = new QHBoxLayout;
    top->setSpacing(space::pageMargin);
    top->addLayout(form);
    top->addWidget(m_preview, 1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    outer->setSpacing(space::pageMargin);
    outer->addLayout(top, 1);
    outer->addLayout(buttons);
    updatePreview();
}

ExportOptions ExportDialog::options() const
{
    ExportOptions options;
    options.size = QSize(m_width->value(), m_height->value());
    options.scale = m_scale->currentData().toDouble();
    options.theme = ThemeMode(m_theme->currentData().toInt());
    options.transparent = m_transparent->isChecked();
    options.head = m_head->isChecked();
    options.caption = m_caption->isChecked();
    return options;
}

void ExportDialog::updatePreview()
{
    if (m_theme->count() < 3 || !m_card)
        return; // while the dialog is being built, or the plot has gone
    ExportOptions preview = options();
    const QSizeF room(520, 300);
    const double shrink = std::min({1.0, room.width() / preview.size.width(), room.height() / preview.size.height()});
    preview.scale = shrink * devicePixelRatioF();
    QPixmap pixmap = QPixmap::fromImage(renderPlot(*m_card, preview));
    pixmap.setDevicePixelRatio(devicePixelRatioF());
    m_preview->setPixmap(pixmap);
}

void ExportDialog::save(const QString& suffix)
{
    if (!m_card)
        return;
    const QScopedValueRollback<bool> saving(m_saving, true);
    QSettings settings;
    const QString folder = settings.value(QStringLiteral("export/folder")).toString();
    const QString proposal =
        (folder.isEmpty() ? QString() : folder + QLatin1Char('/')) + m_card->exportName() + QLatin1Char('.') + suffix;
    QString file = QFileDialog::getSaveFileName(this, tr("Save %1").arg(suffix.toUpper()), proposal,
                                                QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    if (!m_card) // another run has taken its plot away
        return reject();
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().toLower() != suffix)
        file += QLatin1Char('.') + suffix;
    const auto written = exportPlot(*m_card, options(), file);
    if (!written) {
        QMessageBox::warning(this, tr("Export"),
                             tr("Could not save the file. %1").arg(QString::fromStdString(written.error().text())));
        if (!m_card)
            reject();
        return;
    }
    settings.setValue(QStringLiteral("export/folder"), QFileInfo(file).absolutePath());
    settings.setValue(QStringLiteral("export/width"), m_width->value());
    settings.setValue(QStringLiteral("export/height"), m_height->value());
    settings.setValue(QStringLiteral("export/scale"), m_scale->currentIndex());
    settings.setValue(QStringLiteral("export/theme"), m_theme->currentIndex());
    settings.setValue(QStringLiteral("export/head"), m_head->isChecked());
    settings.setValue(QStringLiteral("export/caption"), m_caption->isChecked());
    accept();
}

} // namespace dyno
