// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One page of the manual, with links, back and forward. Nothing is fetched: pages are compiled in, and addresses
//! outside go to the system's browser after a click. GUI thread.
#pragma once

#include <QTextBrowser>

namespace dyno {

class ManualBrowser : public QTextBrowser
{
    Q_OBJECT
public:
    explicit ManualBrowser(QWidget* parent = nullptr);

    //! A page by its id, at one of its headings; pages that are not there are ignored.
    void open(const QString& page, const QString& anchor = {});
    [[nodiscard]] QString page() const;                       //!< id of the page that is shown
    [[nodiscard]] static QString pageOf(const QUrl& address); //!< id of the page that an address is of
    //! Marks these words on the page until the next one is opened.
    void mark(const QStringList& words);

    [[nodiscard]] QVariant loadResource(int type, const QUrl& name) override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void follow(const QUrl& link);
    void dress();
    void placeText();
};

} // namespace dyno
