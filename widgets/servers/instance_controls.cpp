// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/instance_controls.h"

#include "bridge/app_context.h"
#include "bridge/server_worker.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/question.h"
#include "plan/server_list_model.h"
#include "qt_text.h"
#include "servers/server_dialogs.h"

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

InstanceControls::InstanceControls(AppContext& context, ServerListModel& model, PageHeader& header, Banner& banner,
                                   QWidget* page)
    : QObject(page)
    , m_context(context)
    , m_model(model)
    , m_header(header)
    , m_banner(banner)
    , m_page(page)
{
}

ServerWorker& InstanceControls::worker() const
{
    return m_context.servers();
}

void InstanceControls::start(const ServerInstance& instance)
{
    if (const auto uri = parseUri(instance.uri))
        startAt(*uri, {}, instance.name);
    else
        m_banner.showError(tr("“%1” was not started").arg(qtText(instance.name)), uri.error());
}

void InstanceControls::startOne(const ServerProgram& program)
{
    const ServerList& list = m_model.list();
    const auto found = std::find_if(list.programs.begin(), list.programs.end(), [&program](const ServerProgram& one) {
        return ServerListModel::keyOf(one) == ServerListModel::keyOf(program);
    });
    QStringList taken;
    for (const ServerInstance& instance : list.instances)
        taken << qtText(instance.name);
    auto* dialog = new StartInstanceDialog(list.programs, int(found - list.programs.begin()), taken, m_page->window());
    connect(dialog, &StartInstanceDialog::startRequested, this,
            [this](const TargetUri& uri, const Settings& knobs, const Price& price) {
                const auto name = uri.query.find("name");
                startAt(uri, knobs, name == uri.query.end() ? std::string() : name->second, price);
            });
    dialog->open();
}

void InstanceControls::editPrice(const ServerInstance& instance)
{
    auto* dialog = new InstancePriceDialog(instance, m_page->window());
    connect(dialog, &InstancePriceDialog::saveRequested, this,
            [this, name = instance.name](const Price& price) { savePrice(name, price); });
    dialog->open();
}

void InstanceControls::savePrice(const std::string& name, const Price& price)
{
    worker().setPrice(this, name, price, [this, name](const Expected<void>& saved) {
        if (!saved)
            m_banner.showError(tr("The price of “%1” was not saved").arg(qtText(name)), saved.error());
        worker().refresh();
    });
}

void InstanceControls::startAt(const TargetUri& uri, const Settings& knobs, const std::string& name, const Price& price)
{
    m_model.setActivity(name, tr("starting…"));
    m_header.setChip(tr("starting %1").arg(qtText(name)), Tone::Accent);
    worker().start(this, uri, knobs, [this, name, price](const Expected<ServerInstance>& started) {
        m_model.setActivity(name, {});
        m_header.setChip({});
        if (!started) {
            m_banner.showError(tr("“%1” was not started").arg(qtText(name)), started.error());
        } else {
            m_banner.hide();
            emit this->started(ServerListModel::keyOf(*started));
            m_context.showMessage(tr("“%1” is running").arg(qtText(name)));
            if (price != Price())
                savePrice(name, price);
        }
        emit changed();
        worker().refresh();
    });
}

void InstanceControls::stop(const std::string& name)
{
    m_model.setActivity(name, tr("stopping…"));
    worker().stop(this, name, [this, name](const Expected<void>& stopped) {
        m_model.setActivity(name, {});
        if (!stopped)
            m_banner.showError(tr("“%1” was not stopped").arg(qtText(name)), stopped.error());
        emit changed();
        worker().refresh();
    });
}

void InstanceControls::askRemove(const ServerInstance& instance)
{
    auto* question = new Question(
        m_page, u"removeQuestion"_s, tr("Remove the instance"),
        tr("Remove “%1” and its data?").arg(qtText(instance.name)),
        tr("%1 on disk, in %2, is deleted permanently. Sessions that were measured on it stay in the library.")
            .arg(format::bytes(double(instance.bytes)), qtText(instance.folder.string())));
    question->addAct(
        u"removeQuestionYes"_s, tr("Remove"), [this, instance] { remove(instance); }, true);
    question->ask(u"removeQuestionNo"_s);
}

void InstanceControls::remove(const ServerInstance& instance)
{
    const std::string& name = instance.name;
    m_model.setActivity(name, tr("removing…"));
    worker().remove(this, name, [this, name, bytes = instance.bytes](const Expected<void>& removed) {
        m_model.setActivity(name, {});
        const QString size = format::bytes(double(bytes));
        if (!removed)
            m_banner.showError(tr("“%1” was not removed").arg(qtText(name)), removed.error());
        else
            m_context.showMessage(tr("Removed “%1” and its data, %2").arg(qtText(name), size));
        worker().refresh();
    });
}

} // namespace dyno
