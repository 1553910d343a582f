// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/run_order.h"

#include "format.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <QGridLayout>

#include <set>
#include <string>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLines = 8, kRowGap = 3;

//! Runs that follow each other and differ in nothing but users and repeats.
struct RunGroup
{
    QString cases;
    QStringList users, repeats;
    int runs = 0;
};

QString wordsOf(const RunGroup& group, const QString& repeatBefore)
{
    QStringList parts;
    if (!group.cases.isEmpty())
        parts << group.cases;
    parts << (group.users == QStringList{u"1"_s} ? RunOrderCard::tr("1 user")
                                                 : RunOrderCard::tr("%1 users").arg(group.users.join(u", "_s)));
    if (group.repeats.size() > 1)
        parts << RunOrderCard::tr("%1 times each").arg(group.repeats.size());
    else if (group.repeats.front() != repeatBefore)
        parts << RunOrderCard::tr("repeat %1").arg(group.repeats.front());
    return parts.join(u" · "_s);
}

QString caseText(const PointSpec& point)
{
    QStringList cases;
    for (const CaseRef& one : point.cases) {
        if (one.axis != "users")
            cases << qtText(one.label);
    }
    return cases.join(u", "_s);
}

} // namespace

std::vector<OrderLine> orderLines(const PlanCheck& check, int maxLines)
{
    std::vector<OrderLine> lines;
    RunGroup group;
    QString repeatBefore = u"1"_s;
    int groups = 0;
    double now = 0;
    std::set<std::string> started; // targets that run by then
    bool cut = check.runs > qint64(check.firstRuns.size());
    const auto close = [&] {
        if (group.runs == 0)
            return;
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
            if (line->kind != OrderLine::Kind::Runs)
                continue;
            line->text = wordsOf(group, repeatBefore);
            line->amount = runsText(group.runs);
            break;
        }
        repeatBefore = group.repeats.back();
        group = {};
    };
    for (const RunSlot& run : check.firstRuns) {
        if (run.point >= int(check.firstPoints.size())) {
            cut = true;
            break;
        }
        const PointSpec& point = check.firstPoints[std::size_t(run.point)];
        const RunTime time = timeOf(point, run);
        const QString cases = caseText(point), repeat = QString::number(run.repeat);
        // A plan without axes has one label: there each repeat is a line. What comes between two runs parts them.
        const bool same = group.runs > 0 && !run.restart && !run.loads && group.cases == cases &&
                          (!cases.isEmpty() || group.repeats.back() == repeat);
        if (!same) {
            close();
            if (groups == maxLines) {
                cut = true;
                break;
            }
            const bool first = started.insert(point.target.uri).second;
            if (run.restart)
                lines.push_back({first ? OrderLine::Kind::Start : OrderLine::Kind::Restart, now,
                                 first ? RunOrderCard::tr("start the server") : RunOrderCard::tr("restart the server"),
                                 format::duration(time.restart)});
            if (run.loads)
                lines.push_back({OrderLine::Kind::Load, now + time.restart, RunOrderCard::tr("load the data"), {}});
            lines.push_back({OrderLine::Kind::Runs, now + time.restart, {}, {}});
            group.cases = cases;
            ++groups;
        }
        ++group.runs;
        const QString users = QString::number(point.allUsers());
        if (!group.users.contains(users))
            group.users << users;
        if (!group.repeats.contains(repeat))
            group.repeats << repeat;
        now += time.total();
    }
    close();
    if (cut)
        lines.push_back(
            {OrderLine::Kind::Rest, now, RunOrderCard::tr("and so on, %1 in all").arg(runsText(check.runs)), {}});
    return lines;
}

RunOrderCard::RunOrderCard(QWidget* parent)
    : Card(tr("Order of runs"), {}, parent)
{
    setObjectName(u"runOrder"_s);
    setAccessibleName(tr("Order of runs"));
}

void RunOrderCard::setCheck(const PlanCheck& check)
{
    delete m_rows; // none of them has a signal that could be under way
    m_rows = new QWidget(this);
    m_rows->setObjectName(u"runOrderRows"_s);
    auto* grid = new QGridLayout(m_rows);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::cardGap);
    grid->setVerticalSpacing(kRowGap);
    grid->setColumnStretch(1, 1);
    const std::vector<OrderLine> lines = orderLines(check, kLines);
    int row = 0;
    for (const OrderLine& line : lines) {
        auto* clock = new FigureLabel(format::clock(line.begins), TextRole::Secondary);
        auto* text = new ElidedLabel(line.text, TextRole::Secondary);
        auto* amount = makeLabel(line.amount, TextRole::Secondary);
        clock->setObjectName(u"orderClock%1"_s.arg(row));
        text->setObjectName(u"orderText%1"_s.arg(row));
        text->setAccessibleName(tr("%1: %2").arg(
            format::clock(line.begins), line.amount.isEmpty() ? line.text : tr("%1, %2").arg(line.text, line.amount)));
        if (line.kind == OrderLine::Kind::Runs)
            text->setStyleSheet(u"color: palette(text)"_s);
        else if (line.kind == OrderLine::Kind::Restart)
            setTone(text, Tone::Warn);
        clock->setToolTip(tr("Estimated, after the start; loading the data comes on top"));
        grid->addWidget(clock, row, 0);
        grid->addWidget(text, row, 1);
        grid->addWidget(amount, row, 2, Qt::AlignRight);
        ++row;
    }
    body()->addWidget(m_rows);
    m_rows->show();
    QStringList facts;
    if (check.restarts > 0)
        facts << tr("%n restart(s)", nullptr, check.restarts);
    facts << tr("without loading");
    setSecondary(facts.join(u", "_s));
    setVisible(!lines.empty());
}

} // namespace dyno
