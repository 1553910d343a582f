// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/servers.h>

#include <QWidget>

class QLabel;
class QPushButton;

namespace dyno {

class AppContext;
class Banner;

//! What ended sessions left on disk, and the button that removes it; hidden when there is nothing. GUI thread.
class LeftSpaceRow : public QWidget
{
    Q_OBJECT
public:
    LeftSpaceRow(AppContext& context, Banner& banner);
    void showSpace(const LeftSpace& space);

private:
    void freeSpace();

    AppContext& m_context;
    Banner& m_banner;
    QLabel* m_text;
    QPushButton* m_free;
};

} // namespace dyno
