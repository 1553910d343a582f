// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace dyno {

//! "Linear" and "Logarithmic", one of which is pressed: how the y axis of a chart counts. GUI thread.
class ScaleSwitch : public QWidget
{
    Q_OBJECT
public:
    explicit ScaleSwitch(QWidget* parent = nullptr);
    void setLogarithmic(bool on); //!< what is shown; emits nothing
    [[nodiscard]] bool hasFocusWithin() const;
    void takeFocus();                   //!< to the one that is pressed
    void placeBehind(QWidget* inFocus); //!< its buttons follow that widget in the tab order

signals:
    void chosen(bool logarithmic); //!< by the person

private:
    bool m_on = false; //!< logarithmic, as it was told or chosen
    QPushButton* m_linear;
    QPushButton* m_log;
};

} // namespace dyno
