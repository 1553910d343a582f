// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/left_space_row.h"

#include "bridge/app_context.h"
#include "bridge/server_worker.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/labels.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace dyno {

LeftSpaceRow::LeftSpaceRow(AppContext& context, Banner& banner)
    : m_context(context)
    , m_banner(banner)
    , m_text(new WrapLabel({}, TextRole::Secondary))
    , m_free(makeButton(tr("Remove"), "", {}))
{
    setObjectName(QStringLiteral("leftSpace"));
    m_text->setObjectName(QStringLiteral("leftSpaceText"));
    describe(m_free, QStringLiteral("leftSpaceRemove"), tr("Remove leftovers of ended sessions"),
             tr("Removes files that no session uses any more, and data folders that are made again in seconds when a "
                "server needs them. Sessions in the library and servers with a name stay."));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_text, 1);
    row->addWidget(m_free);
    hide();
    connect(m_free, &QPushButton::clicked, this, &LeftSpaceRow::freeSpace);
}

void LeftSpaceRow::showSpace(const LeftSpace& space)
{
    QStringList parts;
    if (space.files + space.folders > 0)
        parts << tr("Left by ended sessions: %n file(s) and folder(s), %1", nullptr, space.files + space.folders)
                     .arg(format::bytes(double(space.bytes)));
    if (space.templates > 0)
        parts << tr("Kept for new servers: %n data folder(s), %1", nullptr, space.templates)
                     .arg(format::bytes(double(space.templateBytes)));
    m_text->setText(parts.join(QStringLiteral(" · ")));
    setVisible(!space.empty());
}

void LeftSpaceRow::freeSpace()
{
    m_free->setEnabled(false);
    m_context.servers().freeSpace(this, [this](const Expected<LeftSpace>& freed) {
        m_free->setEnabled(true);
        if (freed && !freed->empty())
            m_context.showMessage(tr("Removed %1").arg(format::bytes(double(freed->bytes + freed->templateBytes))));
        else if (freed)
            m_banner.showText(tr("Nothing was removed"), Tone::Warn,
                              tr("It is in use again, or it belongs to somebody else."));
        m_context.servers().refresh();
    });
}

} // namespace dyno
