// SPDX-License-Identifier: GPL-3.0-or-later
// The Servers page: making, starting and stopping instances, their prices, and the space that is left.
#include "bridge/app_context.h"
#include "bridge/server_worker.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "servers/server_dialogs.h"
#include "servers/servers_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace dyno {

void ServersPage::startOne(const ServerProgram& program)
{
    const ServerList& list = m_model.list();
    const auto found = std::find_if(list.programs.begin(), list.programs.end(), [&program](const ServerProgram& one) {
        return ServerListModel::keyOf(one) == ServerListModel::keyOf(program);
    });
    QStringList taken;
    for (const ServerInstance& instance : list.instances)
        taken << qtText(instance.name);
    auto* dialog = new StartInstanceDialog(list.programs, int(found - list.programs.begin()), taken, window());
    connect(dialog, &StartInstanceDialog::startRequested, this,
            [this](const TargetUri& uri, const Settings& knobs, const Price& price) {
                const auto name = uri.query.find("name");
                startInstance(uri, knobs, name == uri.query.end() ? std::string() : name->second, price);
            });
    dialog->open();
}

void ServersPage::editPrice(const ServerInstance& instance)
{
    auto* dialog = new InstancePriceDialog(instance, window());
    connect(dialog, &InstancePriceDialog::saveRequested, this,
            [this, name = instance.name](const Price& price) { savePrice(name, price); });
    dialog->open();
}

void ServersPage::savePrice(const std::string& name, const Price& price)
{
    worker().setPrice(this, name, price, [this, name](const Expected<void>& saved) {
        if (!saved)
            m_banner->showError(tr("The price of “%1” was not saved").arg(qtText(name)), saved.error());
        worker().refresh();
    });
}

void ServersPage::startInstance(const TargetUri& uri, const Settings& knobs, const std::string& name,
                                const Price& price)
{
    m_model.setActivity(name, tr("starting…"));
    m_header->setChip(tr("starting %1").arg(qtText(name)), Tone::Accent);
    worker().start(this, uri, knobs, [this, name, price](const Expected<ServerInstance>& started) {
        m_model.setActivity(name, {});
        m_header->setChip({});
        if (!started) {
            m_banner->showError(tr("“%1” was not started").arg(qtText(name)), started.error());
        } else {
            m_banner->hide();
            select(ServerListModel::keyOf(*started));
            context().showMessage(tr("“%1” is running").arg(qtText(name)));
            if (price != Price())
                savePrice(name, price);
        }
        m_shown.clear();
        worker().refresh();
    });
}

void ServersPage::stopInstance(const std::string& name)
{
    m_model.setActivity(name, tr("stopping…"));
    worker().stop(this, name, [this, name](const Expected<void>& stopped) {
        m_model.setActivity(name, {});
        if (!stopped)
            m_banner->showError(tr("“%1” was not stopped").arg(qtText(name)), stopped.error());
        m_shown.clear();
        worker().refresh();
    });
}

QWidget* ServersPage::makeSpaceRow()
{
    m_spaceRow = new QWidget;
    m_spaceRow->setObjectName(QStringLiteral("leftSpace"));
    m_spaceText = new WrapLabel({}, TextRole::Secondary);
    m_spaceText->setObjectName(QStringLiteral("leftSpaceText"));
    m_spaceFree = makeButton(tr("Remove"), "", {});
    describe(m_spaceFree, QStringLiteral("leftSpaceRemove"), tr("Remove leftovers of ended sessions"),
             tr("Removes files that no session uses any more, and data folders that are made again in seconds when a "
                "server needs them. Sessions in the library and servers with a name stay."));
    auto* row = new QHBoxLayout(m_spaceRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_spaceText, 1);
    row->addWidget(m_spaceFree);
    m_spaceRow->hide();
    connect(m_spaceFree, &QPushButton::clicked, this, &ServersPage::freeSpace);
    return m_spaceRow;
}

void ServersPage::showSpace(const LeftSpace& space)
{
    QStringList parts;
    if (space.files + space.folders > 0)
        parts << tr("Left by ended sessions: %n file(s) and folder(s), %1", nullptr, space.files + space.folders)
                     .arg(format::bytes(double(space.bytes)));
    if (space.templates > 0)
        parts << tr("Kept for new servers: %n data folder(s), %1", nullptr, space.templates)
                     .arg(format::bytes(double(space.templateBytes)));
    m_spaceText->setText(parts.join(QStringLiteral(" · ")));
    m_spaceRow->setVisible(!space.empty());
}

void ServersPage::freeSpace()
{
    m_spaceFree->setEnabled(false);
    worker().freeSpace(this, [this](const Expected<LeftSpace>& freed) {
        m_spaceFree->setEnabled(true);
        if (freed && !freed->empty())
            context().showMessage(tr("Removed %1").arg(format::bytes(double(freed->bytes + freed->templateBytes))));
        else if (freed)
            m_banner->showText(tr("Nothing was removed"), Tone::Warn,
                               tr("It is in use again, or it belongs to somebody else."));
        worker().refresh();
    });
}

} // namespace dyno
