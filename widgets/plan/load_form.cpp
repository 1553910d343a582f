// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_form.h"

#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/load_parts_form.h"
#include "plan/plan_editor.h"
#include "theme.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>

#include <utility>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! Reads a whole number in a range; the text says what would be right.
template<class T>
QString readNumber(const QString& text, qint64 low, qint64 high, T& into)
{
    bool ok = false;
    QString plain = text;
    plain.remove(QChar(0x2009)).remove(QChar(0x202f)).remove(QChar(0xa0)).remove(u' ');
    const qint64 value = plain.toLongLong(&ok);
    if (!ok || value < low || value > high)
        return LoadForm::tr("Enter a whole number from %1 to %2").arg(low).arg(high);
    into = static_cast<T>(value);
    return {};
}

QString readSeconds(const QString& text, double low, double high, double& into)
{
    const auto seconds = secondsFromText(text);
    if (!seconds || *seconds < low || *seconds > high)
        return LoadForm::tr("Enter a time from %1 to %2, such as 30 s or 2 min")
            .arg(secondsText(low), secondsText(high));
    into = *seconds;
    return {};
}

//! Reads a field as a plan file does. `empty` stands for an empty field.
auto asInPlan(const char* name, const char* empty, const QString& wrong)
{
    return [path = std::string("load.") + name, empty = std::string(empty), wrong](const QString& text,
                                                                                   LoadProfile& load) {
        QString plain = text;
        plain.remove(QChar(0x2009)).remove(QChar(0x202f)).remove(QChar(0xa0));
        Plan scratch;
        scratch.load = load;
        if (!setField(scratch, path, plain.isEmpty() ? empty : plain.toStdString()))
            return wrong;
        load = scratch.load;
        return QString();
    };
}

QString numberOrNothing(double value)
{
    return value > 0 ? QString::number(value, 'g', 10) : QString();
}

constexpr int kSettles = 1, kPrewarms = 2; //!< of the box "Before each run"
constexpr double kFirstRate = 1000;        //!< arrivals a second when somebody turns to the open loop

} // namespace

LoadForm::LoadForm(PlanEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_model(makeModel())
    , m_order(new QComboBox)
    , m_executor(new QComboBox)
    , m_restart(new QComboBox)
    , m_data(new QComboBox)
    , m_before(new QComboBox)
    , m_phases(new LoadPartsForm(LoadPart::Phase, editor))
    , m_groups(new LoadPartsForm(LoadPart::Group, editor))
{
    auto* basic = makeBasic();
    auto* folded = makeFolded();
    auto* more = new Disclosure(tr("More options"), folded, this);
    auto* parts = new QWidget(this);
    auto* partsColumn = new QVBoxLayout(parts);
    partsColumn->setContentsMargins(0, 0, 0, 0);
    partsColumn->setSpacing(space::cardGap);
    partsColumn->addWidget(m_phases);
    partsColumn->addWidget(m_groups);
    m_parts = new Disclosure(tr("Mixed and phased load"), parts, this);
    describe(m_parts, u"load.parts"_s, tr("Mixed and phased load"),
             tr("Users and rates that change during a run, and groups of users that do different things at once"));
    for (LoadPartsForm* form : {m_phases, m_groups})
        connect(form, &LoadPartsForm::problemChanged, this, &LoadForm::problemChanged);
    describe(more, u"load.more"_s, tr("More load options"),
             tr("Interval, number of transactions, seed, executor, restarts, data of each run and what precedes it, "
                "objective, search, reconnecting"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::cardGap);
    layout->addWidget(basic);
    layout->addWidget(m_parts, 0, Qt::AlignLeft);
    layout->addWidget(parts);
    layout->addWidget(more, 0, Qt::AlignLeft);
    layout->addWidget(folded);
    connectChoices();
    connect(&editor, &PlanEditor::changed, this, &LoadForm::sync);
    connect(&editor, &PlanEditor::replaced, this, [this] { // what was typed belongs to the plan that goes
        for (Field* field : std::as_const(m_fields))
            field->setProblem({});
        m_hadParts = false;
        m_parts->setChecked(false);
    });
    sync();
}

QWidget* LoadForm::makeBasic()
{
    auto* basic = new QWidget(this);
    auto* flow = new FlowLayout(basic, space::cardGap);
    flow->addWidget(addLine(
        u"users"_s, tr("Users"), u"1, 4, 16"_s,
        tr("Concurrent users, one run each: 1, 4, 16; also 2-5 for each count between, 1-256*2 for doubling"), 168,
        [](const QString& text, LoadProfile& load) {
            QString error;
            const auto users = parseUsers(text, &error);
            if (users)
                load.users = *users;
            return error;
        },
        [](const LoadProfile& load) { return usersText(load.users); }));
    flow->addWidget(new Field(tr("Model"), m_model, 184));
    for (Field* field : arrivalFields())
        flow->addWidget(field);
    flow->addWidget(addLine(
        u"warmup"_s, tr("Warm-up"), u"0 s"_s,
        tr("Excluded from all figures; s, min or h, or “steady” to warm up until throughput and the 95th percentile "
           "have settled"),
        84,
        [](const QString& text, LoadProfile& load) {
            load.warmupUntilSteady = text == u"steady" || text == tr("steady");
            return load.warmupUntilSteady ? QString() : readSeconds(text, 0, 86400, load.warmupSeconds);
        },
        [](const LoadProfile& load) {
            return load.warmupUntilSteady ? tr("steady") : secondsText(load.warmupSeconds);
        }));
    flow->addWidget(addLine(
        u"time"_s, tr("Measure"), u"10 s"_s,
        tr("Measured time of each run; s, min or h. 0 only together with a number of transactions"), 84,
        [](const QString& text, LoadProfile& load) { return readSeconds(text, 0, 7 * 86400, load.timeSeconds); },
        [](const LoadProfile& load) { return secondsText(load.timeSeconds); }));
    flow->addWidget(addLine(
        u"repeats"_s, tr("Repeats"), u"1"_s, tr("Runs of each point; three or more give a confidence interval"), 76,
        [](const QString& text, LoadProfile& load) { return readNumber(text, 1, 1000, load.repeats); },
        [](const LoadProfile& load) { return QString::number(load.repeats); }));
    fillOrder();
    flow->addWidget(new Field(tr("Order"), m_order, 176));
    return basic;
}

QWidget* LoadForm::makeFolded()
{
    auto* folded = new QWidget(this);
    auto* foldedFlow = new FlowLayout(folded, space::cardGap);
    for (Field* field : limitFields())
        foldedFlow->addWidget(field);
    for (Field* field : machineFields())
        foldedFlow->addWidget(field);
    for (Field* field : furtherFields())
        foldedFlow->addWidget(field);
    return folded;
}

std::vector<Field*> LoadForm::limitFields()
{
    std::vector<Field*> fields;
    fields.push_back(addLine(
        u"interval"_s, tr("Interval"), u"1 s"_s, tr("Time between two samples, 0.1–10 s"), 100,
        [](const QString& text, LoadProfile& load) { return readSeconds(text, 0.1, 10, load.intervalSeconds); },
        [](const LoadProfile& load) { return secondsText(load.intervalSeconds); }));
    fields.push_back(addLine(
        u"events"_s, tr("Transactions"), tr("no limit"), tr("Maximum transactions per run; empty: no limit"), 120,
        [](const QString& text, LoadProfile& load) {
            if (text.isEmpty()) {
                load.events = 0;
                return QString();
            }
            return readNumber(text, 0, std::numeric_limits<qint64>::max(), load.events);
        },
        [](const LoadProfile& load) { return load.events ? QString::number(load.events) : QString(); }));
    fields.push_back(addLine(
        u"seed"_s, tr("Seed"), u"1"_s, tr("Same seed: same rows and same streams of requests"), 100,
        [](const QString& text, LoadProfile& load) {
            return readNumber(text, 0, std::numeric_limits<qint64>::max(), load.seed);
        },
        [](const LoadProfile& load) { return QString::number(load.seed); }));
    return fields;
}

std::vector<Field*> LoadForm::machineFields()
{
    std::vector<Field*> fields;
    m_executor->addItem(tr("auto"), int(ExecutorKind::Auto));
    m_executor->addItem(tr("threads"), int(ExecutorKind::Threads));
    m_executor->addItem(tr("event loops"), int(ExecutorKind::Loops));
    describe(m_executor, u"load.executor"_s, tr("Executor"),
             tr("How users run: a thread each, or many on event loops; auto picks the faster"));
    fields.push_back(new Field(tr("Executor"), m_executor, 130));
    fields.push_back(addLine(
        u"loaders"_s, tr("Loaders"), tr("one per core"),
        tr("Connections that load data in parallel; empty: one per core"), 110,
        [](const QString& text, LoadProfile& load) {
            if (text.isEmpty()) {
                load.loaders = 0;
                return QString();
            }
            return readNumber(text, 0, 1024, load.loaders);
        },
        [](const LoadProfile& load) { return load.loaders ? QString::number(load.loaders) : QString(); }));
    addChoices(m_restart, u"load.restart"_s, tr("Restart of the server"),
               tr("Managed servers, and remote servers with a command for it: when the server is restarted"),
               {{tr("when a knob needs it"), int(RestartPolicy::WhenNeeded),
                 tr("Only between points that differ in a knob which cannot be set while the server runs")},
                {tr("before each point"), int(RestartPolicy::EachPoint),
                 tr("Each point begins with empty caches; its repeats follow each other on a warm server")},
                {tr("before each run"), int(RestartPolicy::EachRun), tr("Each run begins with empty caches")}});
    fields.push_back(new Field(tr("Restart"), m_restart, 190));
    addChoices(m_data, u"load.data"_s, tr("Data of each run"),
               tr("Managed servers and private SQLite files: what a run begins with"),
               {{tr("as the last run left it"), int(DataPolicy::Keep),
                 tr("Nothing is copied; runs that write change what the next one finds")},
                {tr("as it was loaded"), int(DataPolicy::Restore),
                 tr("A copy of the loaded data is put back before each run, with blocks shared where the file system "
                    "can")}});
    fields.push_back(new Field(tr("Data"), m_data, 180));
    addChoices(
        m_before, u"load.before"_s, tr("Before each run"),
        tr("What the target does between the load and the run; each is an event on the time axis"),
        {{tr("nothing more"), 0, tr("The run begins as the load or the run before left the target")},
         {tr("settle"), kSettles, tr("Wait until changed pages are on disk and old versions of rows are gone")},
         {tr("read the data"), kPrewarms, tr("Read the tables and their indexes once, so that what fits is in memory")},
         {tr("settle, then read"), kSettles | kPrewarms, tr("Both, one after the other")}});
    fields.push_back(new Field(tr("Before each run"), m_before, 150));
    return fields;
}

void LoadForm::connectChoices()
{
    connect(m_order, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change order"),
                      [this](Plan& plan) { plan.load.order = RunOrder(m_order->currentData().toInt()); });
    });
    connect(m_restart, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change restarts"),
                      [this](Plan& plan) { plan.load.restart = RestartPolicy(m_restart->currentData().toInt()); });
    });
    connect(m_data, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change the data of runs"),
                      [this](Plan& plan) { plan.load.data = DataPolicy(m_data->currentData().toInt()); });
    });
    connect(m_before, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change what precedes a run"), [this](Plan& plan) {
            plan.load.settle = (m_before->currentData().toInt() & kSettles) != 0;
            plan.load.prewarm = (m_before->currentData().toInt() & kPrewarms) != 0;
        });
    });
    connect(m_executor, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change executor"),
                      [this](Plan& plan) { plan.load.executor = ExecutorKind(m_executor->currentData().toInt()); });
    });
}

void LoadForm::addChoices(QComboBox* box, const QString& name, const QString& label, const QString& tip,
                          const std::vector<Choice>& choices)
{
    for (const Choice& choice : choices) {
        box->addItem(choice.text, choice.value);
        box->setItemData(box->count() - 1, choice.tip, Qt::ToolTipRole);
    }
    describe(box, name, label, tip);
}

void LoadForm::fillOrder()
{
    addChoices(
        m_order, u"load.order"_s, tr("Order of the runs"),
        tr("Points that are compared should not be measured hours apart: slow drifts would look like a "
           "difference"),
        {{tr("as listed"), int(RunOrder::AsListed), tr("All repeats of a point, then the next point: AABB")},
         {tr("interleaved (ABAB)"), int(RunOrder::Interleaved),
          tr("All points once, then all again: slow drifts hit all of them alike")},
         {tr("shuffled"), int(RunOrder::Shuffled),
          tr("In an order that the seed decides: neither drifts nor neighbours favour a point")},
         {tr("fewest restarts"), int(RunOrder::FewestRestarts),
          tr("Points that need no restart between them follow each other: quickest, but drifts are not spread")}});
}

QComboBox* LoadForm::makeModel()
{
    auto* model = new QComboBox;
    model->addItem(tr("closed loop"), int(ArrivalModel::Closed));
    model->addItem(tr("open, random gaps"), int(ArrivalModel::Poisson));
    model->addItem(tr("open, even gaps"), int(ArrivalModel::Fixed));
    describe(model, u"load.arrival"_s, tr("Load model"),
             tr("Closed loop: each user sends the next transaction when the last one is answered. Open: transactions "
                "arrive at "
                "a rate of their own, and the response time counts from the arrival, also when all users are busy"));
    connect(model, &QComboBox::activated, this, [this, model] {
        const auto chosen = ArrivalModel(model->currentData().toInt());
        m_editor.edit(tr("Change load model"), [chosen](Plan& plan) {
            Arrival& arrival = plan.load.arrival;
            arrival.model = chosen;
            if (chosen == ArrivalModel::Closed) {
                arrival.rate = arrival.rateTo = 0;
                arrival.steps.clear();
                if (plan.load.search.what == Search::What::Rate)
                    plan.load.search = {};
            } else {
                arrival.thinkSeconds = 0;
                if (arrival.rate <= 0 && arrival.steps.empty())
                    arrival.rate = kFirstRate;
            }
        });
    });
    return model;
}

std::vector<Field*> LoadForm::arrivalFields()
{
    return {
        addLine(u"rate"_s, tr("Arrivals/s"), u"1000"_s,
                tr("Transactions that arrive per second, of all users together"), 96,
                asInPlan("rate", "0", tr("Enter transactions per second, such as 1000")),
                [](const LoadProfile& load) { return numberOrNothing(load.arrival.rate); }),
        addLine(
            u"rate_to"_s, tr("Rising to"), tr("constant"),
            tr("The rate rises to this many transactions per second during the measured time; empty: it is constant"),
            96, asInPlan("rate_to", "0", tr("Enter transactions per second, such as 5000")),
            [](const LoadProfile& load) { return numberOrNothing(load.arrival.rateTo); }),
    };
}

std::vector<Field*> LoadForm::furtherFields()
{
    return {
        addLine(
            u"think_time"_s, tr("Think time"), u"0 s"_s, tr("Closed loop: pause of a user between two transactions"),
            100,
            [](const QString& text, LoadProfile& load) {
                return readSeconds(text, 0, 3600, load.arrival.thinkSeconds);
            },
            [](const LoadProfile& load) { return secondsText(load.arrival.thinkSeconds); }),
        addLine(u"steps"_s, tr("Steps of the rate"), u"500:10s, 1000:10s"_s,
                tr("Rates in transactions a second and how long each lasts, one after the other; instead of one rate"),
                190, asInPlan("steps", "", tr("Enter RATE:TIME, such as 500:10s, 1000:10s")),
                [](const LoadProfile& load) {
                    QStringList parts;
                    for (const RateStep& step : load.arrival.steps)
                        parts << u"%1:%2s"_s.arg(step.rate, 0, 'g', 10).arg(step.seconds, 0, 'g', 10);
                    return parts.join(u", "_s);
                }),
        addLine(u"objective"_s, tr("Objective"), u"p99 <= 20ms"_s,
                tr("The goal: a percentile of the response time, without failed or dropped transactions"), 130,
                asInPlan("objective", "", tr("Enter a percentile and a time, such as p99 <= 20ms")),
                [](const LoadProfile& load) { return QString::fromStdString(toText(load.objective)); }),
        addLine(u"search"_s, tr("Search"), u"rate 100..20000"_s,
                tr("Finds the highest rate or number of users that meets the objective, and measures there"), 160,
                asInPlan("search", "", tr("Enter what to search and its range: rate 100..20000 or users 1..256")),
                [](const LoadProfile& load) {
                    const Search& search = load.search;
                    if (search.what == Search::What::Nothing)
                        return QString();
                    return u"%1 %2..%3"_s.arg(search.what == Search::What::Users ? u"users"_s : u"rate"_s)
                        .arg(search.from, 0, 'g', 10)
                        .arg(search.to, 0, 'g', 10);
                }),
        addLine(
            u"reconnect"_s, tr("Reconnect for"), u"10 s"_s,
            tr("How long to retry a lost connection before the run fails; 0: it fails at once"), 110,
            [](const QString& text, LoadProfile& load) { return readSeconds(text, 0, 3600, load.reconnectSeconds); },
            [](const LoadProfile& load) { return secondsText(load.reconnectSeconds); }),
    };
}

Field* LoadForm::addLine(const QString& name, const QString& label, const QString& placeholder, const QString& tip,
                         int width, decltype(Line::read) read, decltype(Line::show) show)
{
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(placeholder);
    describe(edit, u"load."_s + name, label, tip);
    auto* field = new Field(label, edit, width);
    m_lines.insert(name, {edit, read, show, show(m_editor.plan().load)});
    m_fields.insert(name, field);
    connect(edit, &QLineEdit::textEdited, this, [this, name, field, label, read](const QString& text) {
        LoadProfile load = m_editor.plan().load;
        const QString problem = read(text.trimmed(), load);
        field->setProblem(problem);
        if (problem.isEmpty())
            m_editor.edit(
                tr("Change %1").arg(label), [&load](Plan& plan) { plan.load = load; }, u"load."_s + name);
        emit problemChanged();
    });
    // Leaving the field shows the value in its usual form, or brings back the last one that could be read.
    connect(edit, &QLineEdit::editingFinished, this, [this, name, edit, show, field] {
        if (field->problem().isEmpty())
            edit->setText(show(m_editor.plan().load));
    });
    return field;
}

QString LoadForm::problem() const
{
    for (auto it = m_fields.cbegin(); it != m_fields.cend(); ++it) {
        if (!it.value()->problem().isEmpty())
            return tr("%1: %2").arg(it.value()->label(), it.value()->problem());
    }
    const QString ofPhases = m_phases->problem();
    return ofPhases.isEmpty() ? m_groups->problem() : ofPhases;
}

//! What a plan has is in view from the beginning.
void LoadForm::unfoldParts(const LoadProfile& load)
{
    const bool has = !load.phases.empty() || !load.groups.empty();
    if (has && !std::exchange(m_hadParts, has))
        m_parts->setChecked(true);
    m_hadParts = has;
    if (const auto time = m_lines.constFind(u"time"_s); time != m_lines.constEnd())
        time->edit->setEnabled(load.phases.empty()); // their sum
}

void LoadForm::sync()
{
    const LoadProfile& load = m_editor.plan().load;
    unfoldParts(load);
    for (auto it = m_lines.begin(); it != m_lines.end(); ++it) {
        LoadProfile typed = load;
        const QString problem = it->read(it->edit->text().trimmed(), typed);
        const QString planned = it->show(load);
        // What cannot be read stays to be seen, with its fault, until the plan itself has another value here.
        const bool pending = !m_fields.value(it.key())->problem().isEmpty() && planned == it->planned;
        const bool same = problem.isEmpty() && it->show(typed) == planned;
        it->planned = planned;
        if (!same && !pending) {
            it->edit->setText(it->show(load));
            m_fields.value(it.key())->setProblem({});
        }
    }
    const bool open = load.arrival.open();
    m_model->setCurrentIndex(m_model->findData(int(load.arrival.model)));
    for (const QString& name : {u"rate"_s, u"rate_to"_s, u"steps"_s})
        m_fields.value(name)->setVisible(open);
    m_fields.value(u"think_time"_s)->setVisible(!open);
    m_order->setCurrentIndex(m_order->findData(int(load.order)));
    m_restart->setCurrentIndex(m_restart->findData(int(load.restart)));
    m_data->setCurrentIndex(m_data->findData(int(load.data)));
    m_before->setCurrentIndex(m_before->findData((load.settle ? kSettles : 0) | (load.prewarm ? kPrewarms : 0)));
    m_executor->setCurrentIndex(m_executor->findData(int(load.executor)));
    emit problemChanged();
}

void LoadForm::focusPath(const QString& where)
{
    const QString part = where.section(u'.', 1, 1), name = part.section(u'[', 0, 0);
    if (name == u"phase" || name == u"group") {
        m_parts->setChecked(true);
        LoadPartsForm* form = name == u"phase" ? m_phases : m_groups;
        return form->focusField(part.section(u'[', 1, 1).section(u']', 0, 0).toInt(), where.section(u'.', 2));
    }
    Field* field = m_fields.value(name == u"seconds" ? u"time"_s : name);
    if (!field)
        field = m_fields.value(u"users"_s);
    if (!field->isVisibleTo(this)) {
        if (auto* more = findChild<Disclosure*>(u"load.more"_s))
            more->setChecked(true);
    }
    field->control()->setFocus(Qt::OtherFocusReason);
}

} // namespace dyno
