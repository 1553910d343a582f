// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/replay_bar.h"

#include "format.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kStepsPerSecond = 10; //!< the slider's resolution

} // namespace

ReplayBar::ReplayBar(ReplaySource& source, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_play(makeButton(QString(), "", QStringLiteral("play")))
    , m_speed(new QComboBox)
    , m_slider(new QSlider(Qt::Horizontal))
    , m_time(new FigureLabel({}, TextRole::Secondary))
{
    setObjectName(QStringLiteral("replayBar"));
    m_play->setObjectName(QStringLiteral("replayPlay"));
    m_play->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Space));
    m_play->setFixedWidth(40);
    m_play->setStyleSheet(QStringLiteral("padding: 0;"));
    m_speed->setObjectName(QStringLiteral("replaySpeed"));
    m_speed->setAccessibleName(tr("Replay speed"));
    for (const int factor : {1, 2, 5, 10, 20, 50, 100})
        m_speed->addItem(QStringLiteral("×%1").arg(factor), factor);
    m_speed->setCurrentIndex(m_speed->findData(10));
    m_speed->setFixedWidth(82);
    m_slider->setObjectName(QStringLiteral("replaySlider"));
    m_slider->setAccessibleName(tr("Position in the session"));
    m_slider->setMinimumHeight(24); // the handle is higher than the groove
    m_slider->setSingleStep(kStepsPerSecond);
    m_slider->setPageStep(10 * kStepsPerSecond);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(10);
    line->addWidget(m_play);
    line->addWidget(m_speed);
    line->addWidget(m_slider, 1);
    line->addWidget(m_time);
    connect(m_play, &QPushButton::clicked, this, [this] { m_source.playing() ? m_source.pause() : m_source.play(); });
    connect(m_speed, &QComboBox::currentIndexChanged, this,
            [this] { m_source.setSpeed(m_speed->currentData().toDouble()); });
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int value) { m_source.seek(double(value) / kStepsPerSecond); });
    connect(&m_source, &ReplaySource::ready, this, &ReplayBar::onReady);
    connect(&m_source, &ReplaySource::positionChanged, this, &ReplayBar::onPosition);
    connect(&m_source, &ReplaySource::playingChanged, this, &ReplayBar::onPlaying);
    onPlaying(false);
    onPosition(0);
}

void ReplayBar::onReady()
{
    const QSignalBlocker block(m_slider);
    m_slider->setRange(0, int(std::ceil(m_source.length() * kStepsPerSecond)));
    m_source.setSpeed(m_speed->currentData().toDouble());
}

void ReplayBar::onPosition(double seconds)
{
    const QSignalBlocker block(m_slider);
    m_slider->setValue(int(std::lround(seconds * kStepsPerSecond)));
    m_time->setText(QStringLiteral("%1 / %2").arg(format::clock(seconds), format::clock(m_source.length())));
}

void ReplayBar::onPlaying(bool playing)
{
    m_play->setIcon(Theme::instance().icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setToolTip(playing ? tr("Pause the replay (Ctrl+Space)") : tr("Play (Ctrl+Space)"));
    m_play->setAccessibleName(playing ? tr("Pause the replay") : tr("Play"));
}

} // namespace dyno
