// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How far long work on the library is, with the time that is left and Cancel. The window can be used meanwhile. GUI
//! thread.
#pragma once

#include <QDialog>
#include <QElapsedTimer>

class QLabel;
class QProgressBar;
class QPushButton;

namespace dyno {

class CareDialog : public QDialog
{
    Q_OBJECT
public:
    CareDialog(const QString& what, QWidget* parent);

    void setShare(double share); //!< done of the whole, 0…1
    void end();                  //!< the work has ended: the dialog goes and deletes itself

signals:
    void cancelled(); //!< once

protected:
    void done(int result) override; //!< cancels; the dialog stays until end()

private:
    QProgressBar* m_bar;
    QLabel* m_left;
    QPushButton* m_cancel;
    QElapsedTimer m_since;
};

} // namespace dyno
