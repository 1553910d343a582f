// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A searchable list of everything that can be set, with help, type, where it exists and safety cost. GUI thread; never
//! blocks: show it and listen to picked(). While it is not modal, its knobs can be dragged onto the axes.
#pragma once

#include "plan/knob_model.h"

#include <QDialog>

class QLineEdit;
class QListView;
class QLabel;
class QPushButton;

namespace dyno {

class KnobPicker : public QDialog
{
    Q_OBJECT
public:
    //! `freeScopes`: scopes in which any name may be typed, "" list for none.
    KnobPicker(const QString& title, std::vector<KnobChoice> choices, const QStringList& freeScopes,
               QWidget* parent = nullptr);

signals:
    void picked(const dyno::KnobChoice& choice);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search(const QString& text);
    void pick();
    void showDetails();
    [[nodiscard]] KnobChoice chosen() const; //!< empty path for none

    KnobModel m_model;
    KnobFilter m_filter;
    QStringList m_freeScopes;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_details;
    QPushButton* m_free;
    QPushButton* m_add;
};

} // namespace dyno
