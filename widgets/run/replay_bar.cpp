// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/replay_bar.h"

#include "format.h"
#include "run/marker_slider.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSettings>

#include <algorithm>

namespace dyno {

namespace {

const char* const kSpeedKey = "replay/speed"; // in QSettings
constexpr int kUsualSpeed = 10;

QPushButton* iconButton(const char* objectName, const QString& icon, const QString& text, const QString& tip)
{
    QPushButton* button = makeButton(QString(), "", icon);
    button->setObjectName(QString::fromLatin1(objectName));
    button->setFixedWidth(40);
    button->setStyleSheet(QStringLiteral("padding: 0;"));
    button->setAccessibleName(text);
    button->setToolTip(tip);
    return button;
}

} // namespace

ReplayBar::ReplayBar(ReplayClock& clock, QWidget* parent)
    : QWidget(parent)
    , m_clock(clock)
    , m_back(iconButton("replayBack", QStringLiteral("back"), tr("Previous marker"), tr("Previous marker (Ctrl+Left)")))
    , m_play(iconButton("replayPlay", QStringLiteral("play"), {}, {}))
    , m_next(iconButton("replayNext", QStringLiteral("skip"), tr("Next marker"), tr("Next marker (Ctrl+Right)")))
    , m_speed(new QComboBox)
    , m_slider(new MarkerSlider)
    , m_time(new FigureLabel({}, TextRole::Secondary))
    , m_line(new QHBoxLayout(this))
{
    setObjectName(QStringLiteral("replayBar"));
    m_speed->setObjectName(QStringLiteral("replaySpeed"));
    m_speed->setAccessibleName(tr("Replay speed"));
    m_speed->setToolTip(tr("Replay speed (+ and −)"));
    for (const int factor : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000})
        m_speed->addItem(QStringLiteral("×%1").arg(format::count(factor)), factor);
    const int stored = m_speed->findData(QSettings().value(QLatin1String(kSpeedKey), kUsualSpeed).toInt());
    m_speed->setCurrentIndex(stored >= 0 ? stored : m_speed->findData(kUsualSpeed));
    m_speed->setFixedWidth(92);
    m_slider->setObjectName(QStringLiteral("replaySlider"));
    m_slider->setAccessibleName(tr("Position in the replay"));
    m_time->setObjectName(QStringLiteral("replayTime"));
    m_line->setContentsMargins(0, 0, 0, 0);
    m_line->setSpacing(6);
    for (QPushButton* button : {m_back, m_play, m_next})
        m_line->addWidget(button);
    m_line->addSpacing(4);
    m_line->addWidget(m_speed);
    m_line->addSpacing(4);
    m_line->addWidget(m_slider, 1);
    m_line->addSpacing(4);
    m_line->addWidget(m_time);
    connect(m_back, &QPushButton::clicked, this, [this] { m_clock.jump(false); });
    connect(m_next, &QPushButton::clicked, this, [this] { m_clock.jump(true); });
    connect(m_play, &QPushButton::clicked, this, [this] { m_clock.playing() ? m_clock.pause() : m_clock.play(); });
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] {
        m_clock.setSpeed(m_speed->currentData().toDouble());
        QSettings().setValue(QLatin1String(kSpeedKey), m_speed->currentData());
    });
    connect(m_slider, &MarkerSlider::wanted, &m_clock, &ReplayClock::seek);
    connect(&Theme::instance(), &Theme::changed, this, [this] { onPlaying(m_clock.playing()); });
    connect(&m_clock, &ReplayClock::axisChanged, this, &ReplayBar::updateAxis);
    connect(&m_clock, &ReplayClock::positionChanged, this, &ReplayBar::onPosition);
    connect(&m_clock, &ReplayClock::playingChanged, this, &ReplayBar::onPlaying);
    m_clock.setSpeed(m_speed->currentData().toDouble());
    onPlaying(false);
    updateAxis();
}

void ReplayBar::addChoice(QWidget* widget)
{
    m_line->insertWidget(m_line->indexOf(m_slider) - 1, widget);
}

void ReplayBar::updateAxis()
{
    m_slider->setAxis(m_clock.length(), m_clock.markers());
    for (QPushButton* button : {m_back, m_next})
        button->setEnabled(!m_clock.markers().empty());
    m_play->setEnabled(m_clock.length() > 0);
    onPosition(m_clock.position());
}

void ReplayBar::onPosition(double seconds)
{
    m_slider->setPosition(seconds);
    m_time->setText(QStringLiteral("%1 / %2").arg(format::clock(seconds), format::clock(m_clock.length())));
}

void ReplayBar::onPlaying(bool playing)
{
    m_play->setIcon(Theme::instance().icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setToolTip(playing ? tr("Pause the replay (Space)") : tr("Play (Space)"));
    m_play->setAccessibleName(playing ? tr("Pause the replay") : tr("Play"));
}

void ReplayBar::stepSpeed(int by)
{
    m_speed->setCurrentIndex(std::clamp(m_speed->currentIndex() + by, 0, m_speed->count() - 1));
}

bool ReplayBar::handleKey(const QKeyEvent& event)
{
    const double step = std::max(1.0, m_clock.length() / 200);
    const bool marker = event.modifiers().testFlag(Qt::ControlModifier);
    switch (event.key()) {
    case Qt::Key_Space:
        m_clock.playing() ? m_clock.pause() : m_clock.play();
        return true;
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const bool forward = event.key() == Qt::Key_Right;
        if (marker)
            m_clock.jump(forward);
        else
            m_clock.seek(m_clock.position() + (forward ? step : -step));
        return true;
    }
    case Qt::Key_PageUp:
        m_clock.seek(m_clock.position() - 10 * step);
        return true;
    case Qt::Key_PageDown:
        m_clock.seek(m_clock.position() + 10 * step);
        return true;
    case Qt::Key_Home:
        m_clock.seek(0);
        return true;
    case Qt::Key_End:
        m_clock.seek(m_clock.length());
        return true;
    case Qt::Key_Plus:
        stepSpeed(1);
        return true;
    case Qt::Key_Minus:
        stepSpeed(-1);
        return true;
    default:
        return false;
    }
}

} // namespace dyno
