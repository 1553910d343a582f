// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The window: the rail, the pages, the message bar; opening of files, remembered geometry. GUI thread.
#pragma once

#include "bridge/job.h"
#include "sessions/import_text.h"

#include <dyno/error.h>

#include <QMainWindow>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QAction;
class QButtonGroup;
class QFrame;
class QLabel;
class QMenu;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace dyno {

struct ConsentAnswer;

class AppContext;
class Banner;
class ManualWindow;
class Page;
struct LeftoverReport;

class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(AppContext& context, QWidget* parent = nullptr);
    ~MainWindow() override;

    //! Opens a `.dyno` file (copied into the library, then compared) or a plan (`.toml`, shown on the Plan page).
    void openFile(const QString& file);
    //! Shows a page by its object name; unknown names are ignored.
    void showPage(const QString& objectName);
    [[nodiscard]] Page* page(const QString& objectName) const;
    [[nodiscard]] Page* currentPage() const;
    //! Makes the window no larger than `available`, a screen without its panels, and moves it there. The smallest size
    //! gives way too: at least everything that a screen can show of the window is on it.
    void fitInto(const QRect& available);
    //! Where the window may be, instead of its screen without panels: tests have no real screen. Before show().
    void setRoom(std::function<QRect()> room) { m_room = std::move(room); }
    //! Opens the manual at a page of it, by its id.
    void showManual(const QString& manualPage);
    [[nodiscard]] ManualWindow* manual() const { return m_manual.get(); } //!< nullptr until it was opened
    void showSettings();
    void showAbout();
    void showShortcuts();
    void showPalette();
    [[nodiscard]] QString message() const; //!< text of the message bar, "" while it is hidden

public slots:
    void showMessage(const QString& text, const QString& actionText, const std::function<void()>& action);
    void hideMessage();

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void moveEvent(QMoveEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildRail();
    void buildPages();
    void buildMessageBar();
    void buildCommands();
    void addPage(Page* page);
    void placeMessageBar();
    [[nodiscard]] QToolButton* addRailButton(const char* name, const QString& text, const QString& tip,
                                             const char* icon);
    [[nodiscard]] QWidget* activeDialog();
    void askAndClose();
    void ask(const QString& text, const QString& more, const std::vector<ConsentAnswer>& answers);
    void tellLeftovers(const LeftoverReport& report);
    void startPlan();
    void importResultsOf(const QStringList& files); //!< on the Sessions page
    void restoreState();
    void fitToScreen();
    void followScreen();

    AppContext& m_context;
    QFrame* m_rail;
    QVBoxLayout* m_railButtons = nullptr;
    QButtonGroup* m_group;
    Banner* m_banner;
    QStackedWidget* m_stack;
    QMenu* m_helpMenu = nullptr;
    QAction* m_settingsCommand = nullptr;
    QFrame* m_bar = nullptr;
    QLabel* m_barText = nullptr;
    QPushButton* m_barAction = nullptr;
    QTimer m_barTimer;
    std::function<void()> m_barFunction;
    std::vector<Page*> m_pages;
    std::unique_ptr<ManualWindow> m_manual; //!< a window of its own, that may lie behind this one
    Job<Expected<ImportedSessions>> m_import;
    std::function<QRect()> m_room;
    QMetaObject::Connection m_screenRoom; //!< of the screen that the window is on
    QTimer m_fitTimer;                    //!< until a window that is dragged to another screen comes to rest
    bool m_followed = false;
    bool m_closing = false;
};

} // namespace dyno
