// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Asks what a script is to be called among the person's own workloads. GUI thread.
#pragma once

#include <QDialog>
#include <QStringList>

class QLabel;
class QLineEdit;
class QPushButton;

namespace dyno {

class SaveWorkloadDialog : public QDialog
{
    Q_OBJECT
public:
    //! `taken`: names of those that are there.
    SaveWorkloadDialog(const QString& suggested, const QStringList& taken, QWidget* parent);

signals:
    void chosen(const QString& name, bool replace); //!< as it stands in the list; that one there is replaced was said

private:
    void check();
    [[nodiscard]] QString name() const;

    QStringList m_taken;
    QLineEdit* m_called;
    QLabel* m_told;
    QPushButton* m_save;
};

} // namespace dyno
