// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/about_dialog.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "qt_text.h"
#include "theme.h"

#include <dyno/catalog.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QSysInfo>
#include <QVBoxLayout>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLogo = 64, kAboutWidth = 460;

} // namespace

QString AboutDialog::versions()
{
    QStringList lines{u"Dynobench "_s + QLatin1String(softwareVersion()), u"Qt "_s + QLatin1String(qVersion()),
                      QSysInfo::prettyProductName() + u", "_s + QSysInfo::currentCpuArchitecture()};
    for (const DriverInfo& driver : drivers()) {
        if (driver.library != "none")
            lines << qtText(driver.library);
    }
    lines.removeDuplicates();
    return lines.join(u'\n');
}

AboutDialog::AboutDialog(QWidget* parent)
    : QDialog(parent)
{
    setObjectName(u"aboutDialog"_s);
    setWindowTitle(tr("About Dynobench"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFixedWidth(kAboutWidth);
    auto* logo = new QLabel;
    logo->setPixmap(QIcon(u":/icons/dynobench.svg"_s).pixmap(QSize(kLogo, kLogo), devicePixelRatioF()));
    logo->setAlignment(Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(8);
    words->addWidget(makeLabel(u"Dynobench "_s + QLatin1String(softwareVersion()), TextRole::PageTitle));
    words->addWidget(new WrapLabel(tr("Workbench for database benchmarks"), TextRole::Body));
    words->addWidget(
        new WrapLabel(tr("Free software under the GNU General Public License, version 3 or later. It comes "
                         "without any warranty."),
                      TextRole::Secondary));
    words->addSpacing(4);
    words->addWidget(makeLabel(tr("Versions"), TextRole::Section));
    auto* facts = new WrapLabel(versions(), TextRole::Secondary);
    facts->setObjectName(u"aboutVersions"_s);
    facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->addWidget(facts);
    auto* top = new QHBoxLayout;
    top->setSpacing(16);
    top->addWidget(logo);
    top->addLayout(words, 1);
    QPushButton* copy = makeButton(tr("Copy versions"));
    describe(copy, u"aboutCopy"_s, copy->text(), tr("Copy the versions, for a bug report"));
    copy->setAutoDefault(false);
    connect(copy, &QPushButton::clicked, this, [] { QGuiApplication::clipboard()->setText(versions()); });
    QPushButton* close = makeButton(tr("Close"));
    describe(close, u"aboutClose"_s, close->text());
    close->setDefault(true);
    close->setFocus();
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    foot->addWidget(copy);
    foot->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, 16);
    layout->setSpacing(16);
    layout->addLayout(top);
    layout->addLayout(foot);
}

} // namespace dyno
