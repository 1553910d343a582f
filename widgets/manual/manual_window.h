// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The manual in a window of its own: contents and search on the left, the page on the right. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace dyno {

class ManualBrowser;
class ManualContents;
class ManualHits;

class ManualWindow : public QWidget
{
    Q_OBJECT
public:
    explicit ManualWindow(QWidget* parent = nullptr);

    //! Shows a page by its id and brings the window to the front.
    void openPage(const QString& page, const QString& anchor = {});
    [[nodiscard]] QString page() const; //!< id of the page that is shown

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    QWidget* buildSide();
    QWidget* buildReader();
    void buildShortcuts();
    void search(const QString& words);
    void pageShown(const QUrl& address);

    QLineEdit* m_search;
    ManualContents* m_contents;
    ManualHits* m_hits;
    QLabel* m_nothing;
    QStackedWidget* m_lists;
    QLabel* m_place;
    QToolButton* m_back;
    QToolButton* m_forward;
    ManualBrowser* m_browser;
};

} // namespace dyno
