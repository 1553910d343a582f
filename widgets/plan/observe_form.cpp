// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/observe_form.h"

#include "bridge/library_worker.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/names_completer.h"
#include "parts/plan_text.h"
#include "plan/chart_picker.h"
#include "plan/plan_editor.h"
#include "plots/pivot_table_model.h"
#include "theme.h"

#include <dyno/chart_kinds.h>
#include <dyno/load_fields.h>
#include <dyno/main_counters.h>
#include <dyno/report.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

struct Item
{
    QString text;
    QString value;
    QString unit = {}; //!< in the list's tooltip: the closed box has no room for it
};

QList<Item> axisItems(const Plan& plan, const QString& none)
{
    QList<Item> items;
    if (!none.isEmpty())
        items.append({none, QString()});
    items.append({ObserveForm::tr("users"), u"users"_s});
    for (const Axis& axis : plan.axes)
        items.append({qtText(axis.name), qtText(axis.name)});
    return items;
}

QList<Item> baselineItems(const Plan& plan, const View& view)
{
    QList<Item> items{{ObserveForm::tr("the first"), QString()}};
    for (const Axis& axis : plan.axes) {
        if (axis.name != view.series)
            continue;
        for (const Case& one : axis.cases)
            items.append({qtText(one.label), qtText(one.label)});
    }
    if (view.series == "users") {
        for (int users : plan.load.users)
            items.append({QString::number(users), QString::number(users)});
    }
    return items;
}

//! Of a course, what intervals tell; and what the view says, with the number of rows in it.
QList<Item> measureItems(const View& view)
{
    QList<Item> items;
    const auto add = [&items](const MeasureInfo& info) {
        items.append({PivotTableModel::measureLabel(info), qtText(info.id), qtText(info.unit)});
    };
    for (const MeasureInfo& info : measures()) {
        const IntervalMeasures course = intervalMeasuresOf(info.id);
        if (!hasChart(view.chart, &ChartKind::rows) || course.amount == info.id || course.latency == info.id)
            add(info);
    }
    const bool listed = std::any_of(items.cbegin(), items.cend(),
                                    [&view](const Item& item) { return item.value == qtText(view.measure); });
    if (const MeasureInfo* own = findMeasure(view.measure); own && !listed)
        add(*own);
    return items;
}

//! None where it is no list of names, as with a comma at its end.
std::optional<std::vector<std::string>> namesIn(const QString& text)
{
    LoadProfile load;
    const auto set = findLoadField("observe")->set(load, text.toStdString());
    return set ? std::optional(load.observe) : std::nullopt;
}

QString observedText(const Plan& plan)
{
    QStringList names;
    for (const std::string& name : plan.load.observe)
        names.append(qtText(name));
    return names.join(u", "_s);
}

//! What the chart of the view does not use is taken out of the view.
void keepWhatFits(View& view)
{
    if (!hasChart(view.chart, &ChartKind::summary)) { // it shows runs as they were measured
        view.relativeTo = RelativeTo::Nothing;
        view.centre = Centre::Mean;
    }
    if (!hasChart(view.chart, &ChartKind::rows))
        view.over.clear();
    if (!showsSeconds(view.chart, view.over))
        view.from = view.to = 0;
}

//! The fields of one view of the plan, side by side.
class ViewRow : public QWidget
{
    Q_DECLARE_TR_FUNCTIONS(dyno::ObserveForm)
public:
    ViewRow(PlanEditor& editor, int view)
        : m_editor(editor)
        , m_view(view)
    {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(space::grid);
        addKinds(column);
        auto* fields = new QWidget;
        m_flow = new FlowLayout(fields, space::cardGap);
        column->addWidget(fields);
        addSubject();
        addAxes();
        addSummary();
        addRemove();
    }

private:
    void addText(const QString& name, const QString& label, const QString& tip, std::string View::*member,
                 const QList<Item>& items, int width);
    //! A field of the view that is a word of its own type.
    template<class Set>
    void addWord(const QString& name, const QString& label, const QString& tip, const QList<Item>& items,
                 const QString& now, int width, Set set);
    //! An end of the part of the time; 0 has a name.
    void addSeconds(const QString& name, const QString& label, const QString& tip, const QString& none,
                    double View::*member);
    void addKinds(QVBoxLayout* column);
    void addSubject();
    void addAxes();
    void addSummary();
    void addRemove();
    [[nodiscard]] const View& shown() const { return m_editor.plan().views[std::size_t(m_view)]; }
    [[nodiscard]] bool has(bool ChartKind::*property) const { return hasChart(shown().chart, property); }

    PlanEditor& m_editor;
    int m_view;
    FlowLayout* m_flow = nullptr;
};

void ViewRow::addText(const QString& name, const QString& label, const QString& tip, std::string View::*member,
                      const QList<Item>& items, int width)
{
    auto* box = new QComboBox;
    for (const Item& item : items) {
        box->addItem(item.text, item.value);
        const QString hint = item.unit.isEmpty() ? item.text : tr("%1, %2").arg(item.text, item.unit);
        box->setItemData(box->count() - 1, hint, Qt::ToolTipRole);
    }
    const QString now = qtText(shown().*member);
    if (box->findData(now) < 0)
        box->addItem(now, now); // what the plan says, right or wrong; checkPlan() judges it
    box->setCurrentIndex(box->findData(now));
    describe(box, u"view%1.%2"_s.arg(m_view).arg(name), label, tip);
    connect(box, &QComboBox::activated, this, [this, box, member] {
        const std::string value = box->currentData().toString().toStdString();
        m_editor.edit(tr("Change chart"), [&](Plan& next) {
            View& changed = next.views[std::size_t(m_view)];
            changed.*member = value;
            if (member == &View::series) { // it named a case of the axis that goes
                changed.verdict.clear();
                changed.verdictAt.clear();
            }
            keepWhatFits(changed);
        });
    });
    m_flow->addWidget(new Field(label, box, width));
}

template<class Set>
void ViewRow::addWord(const QString& name, const QString& label, const QString& tip, const QList<Item>& items,
                      const QString& now, int width, Set set)
{
    auto* box = new QComboBox;
    for (const Item& item : items)
        box->addItem(item.text, item.value);
    box->setCurrentIndex(box->findData(now));
    describe(box, u"view%1.%2"_s.arg(m_view).arg(name), label, tip);
    connect(box, &QComboBox::activated, this, [this, box, set] {
        const QString value = box->currentData().toString();
        m_editor.edit(tr("Change chart"), [&](Plan& next) { set(next.views[std::size_t(m_view)], value); });
    });
    m_flow->addWidget(new Field(label, box, width));
}

void ViewRow::addSeconds(const QString& name, const QString& label, const QString& tip, const QString& none,
                         double View::*member)
{
    constexpr double kMost = 7 * 24 * 3600.0;
    auto* box = new QDoubleSpinBox;
    box->setRange(0, kMost);
    box->setDecimals(1);
    box->setSuffix(tr(" s"));
    box->setSpecialValueText(none);
    box->setValue(m_editor.plan().views[std::size_t(m_view)].*member);
    describe(box, u"view%1.%2"_s.arg(m_view).arg(name), label, tip);
    connect(box, &QDoubleSpinBox::editingFinished, this, [this, box, member] {
        const double value = box->value();
        if (std::size_t(m_view) >= m_editor.plan().views.size() ||
            std::fabs(m_editor.plan().views[std::size_t(m_view)].*member - value) < 0.05)
            return; // what a file says with more digits stays
        m_editor.edit(tr("Change chart"),
                      [this, member, value](Plan& next) { next.views[std::size_t(m_view)].*member = value; });
    });
    m_flow->addWidget(new Field(label, box, 116));
}

void ViewRow::addKinds(QVBoxLayout* column)
{
    auto* kinds = new ChartPicker(u"view%1.chart"_s.arg(m_view), qtText(shown().chart));
    connect(kinds, &ChartPicker::picked, this, [this](const QString& kind) {
        m_editor.edit(tr("Change chart"), [&](Plan& next) {
            View& changed = next.views[std::size_t(m_view)];
            changed.chart = kind.toStdString();
            keepWhatFits(changed);
        });
    });
    column->addWidget(makeStrongLabel(tr("Chart %1").arg(m_view + 1)));
    column->addWidget(kinds);
}

void ViewRow::addSubject()
{
    const View& shown = this->shown();
    if (has(&ChartKind::measure))
        addText(u"measure"_s, tr("Measure"), tr("What is on the y axis"), &View::measure, measureItems(shown),
                shown.measure.find(':') == std::string::npos ? 186 : 262); // with a number of rows or an operation
    if (has(&ChartKind::rows))
        addText(u"over"_s, tr("Over"), tr("What the x axis counts"), &View::over,
                {{tr("time"), {}}, {tr("rows changed"), u"rows"_s}}, 124);
    if (showsSeconds(shown.chart, shown.over)) {
        addSeconds(u"from"_s, tr("From"), tr("The part of the run that the chart shows first"), tr("the start"),
                   &View::from);
        addSeconds(u"to"_s, tr("To"), tr("The part of the run that the chart shows first"), tr("the end"), &View::to);
    }
}

void ViewRow::addAxes()
{
    const Plan& plan = m_editor.plan();
    addText(u"x"_s, tr("x axis"), tr("What is on the x axis"), &View::x, axisItems(plan, {}), 104);
    addText(u"series"_s, tr("Series"), tr("One line or colour for each case of it"), &View::series,
            axisItems(plan, tr("none")), 132);
    addText(u"facet"_s, tr("Facet"), tr("One small chart for each case of it"), &View::facet,
            axisItems(plan, tr("none")), 170);
    addText(u"baseline"_s, tr("Baseline"), tr("The series that ratios refer to"), &View::baseline,
            baselineItems(plan, shown()), 142);
    if (has(&ChartKind::log))
        addText(u"log"_s, tr("Axes"), tr("Logarithmic axes show ratios: equal steps are equal factors"), &View::log,
                {{tr("automatic"), {}},
                 {tr("linear"), QString::fromLatin1(kLinearAxes)},
                 {tr("log y"), u"y"_s},
                 {tr("log x"), u"x"_s},
                 {tr("log x and y"), u"xy"_s}},
                116);
}

void ViewRow::addSummary()
{
    if (!has(&ChartKind::summary))
        return;
    addWord(u"relative_to"_s, tr("Shown"), tr("As measured, or in percent of the baseline or of the best figure"),
            {{tr("as measured"), u""_s}, {tr("% of the baseline"), u"baseline"_s}, {tr("% of the best"), u"best"_s}},
            QLatin1String(toText(shown().relativeTo)), 130, [](View& one, const QString& value) {
                one.relativeTo = value == u"best"_s       ? RelativeTo::Best
                                 : value == u"baseline"_s ? RelativeTo::Baseline
                                                          : RelativeTo::Nothing;
                if (one.relativeTo == RelativeTo::Best)
                    one.baseline.clear(); // ratios refer to the best then
            });
    addWord(u"centre"_s, tr("Of the runs"), tr("Their mean with its interval, or the middle one of the repeats"),
            {{tr("mean"), u"mean"_s}, {tr("median"), u"median"_s}}, QLatin1String(toText(shown().centre)), 96,
            [](View& one, const QString& value) { one.centre = value == u"median"_s ? Centre::Median : Centre::Mean; });
}

void ViewRow::addRemove()
{
    auto* remove = makeButton(tr("Remove"), "link");
    describe(remove, u"view%1.remove"_s.arg(m_view), tr("Remove chart %1").arg(m_view + 1));
    connect(remove, &QPushButton::clicked, this, [this] {
        m_editor.edit(tr("Remove chart"), [this](Plan& next) { next.views.erase(next.views.begin() + m_view); });
    });
    auto* removeBox = new QWidget;
    auto* removeLayout = new QVBoxLayout(removeBox);
    removeLayout->setContentsMargins(0, 22, 0, 0);
    removeLayout->addWidget(remove);
    m_flow->addWidget(removeBox);
}

//! Names of counters that the driver's servers had in the last sessions, the main ones first.
QStringList counterNames(const std::filesystem::path& file, const std::string& driver)
{
    constexpr std::size_t kMostLooked = 30, kMostRead = 3; // sessions
    QStringList names, others;
    const auto offer = [](QStringList& list, const CounterInfo& counter) {
        // Others come from this session's own exporters, machines and queries.
        const bool known =
            counter.source == "server" || counter.source == kHostSource || counter.source == kProcessSource;
        const std::string name = counterPart(counter);
        const bool fits = known && namesIn(qtText(name)) == std::vector<std::string>{name}; // a label may have commas
        if (fits)
            list << qtText(name);
    };
    for (const MainCounter& one : mainCounters(driver))
        offer(names, {one.source, one.name, {}, false});
    const auto read =
        LibraryWorker::opened<bool>(file, Library::Mode::ReadOnly, [&](Library& library) -> Expected<bool> {
            const auto sessions = library.sessions(Library::Listing::All);
            std::size_t done = 0;
            for (std::size_t i = 0; sessions && i < std::min(sessions->size(), kMostLooked) && done < kMostRead; ++i) {
                const auto uri = parseUri((*sessions)[i].target);
                if (uri && uri->driver != driver)
                    continue;
                const auto session = library.session((*sessions)[i].id);
                if (!session)
                    continue; // a damaged one
                const std::vector<PointSpec>& points = session->header.points;
                for (const StoredRun& run : session->runs) {
                    const auto of = std::size_t(run.header.point) < points.size()
                                        ? parseUri(points[std::size_t(run.header.point)].target.uri)
                                        : Expected<TargetUri>();
                    if (!of || of->driver != driver || run.header.counters.empty())
                        continue;
                    ++done;
                    for (const CounterInfo& counter : run.header.counters)
                        offer(others, counter);
                    break; // its other runs have the same
                }
            }
            return true;
        });
    if (read)
        others.sort(Qt::CaseInsensitive);
    names += others;
    names.removeDuplicates();
    return names;
}

} // namespace

ObserveForm::ObserveForm(PlanEditor& editor, SourcesForm::Agree agree, std::filesystem::path library, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_counters(new QCheckBox(tr("Server counters, once per interval"), this))
    , m_snapshots(new QComboBox(this))
    , m_instruments(new QComboBox(this))
    , m_observe(new QLineEdit(this))
    , m_sources(new SourcesForm(editor, std::move(agree), this))
    , m_empty(makeLabel(tr("No chart yet: Compare shows throughput by users."), TextRole::Secondary, this))
    , m_library(std::move(library))
    , m_completer(new NamesCompleter(*m_observe))
    , m_names(this)
{
    m_empty->setObjectName(u"viewsEmpty"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::cardGap);
    describe(
        m_counters, u"load.counters"_s, m_counters->text(),
        tr("Read on a separate connection; costs the server one request per interval. Embedded databases have none"));
    connect(m_counters, &QCheckBox::clicked, this, [this](bool on) {
        m_editor.edit(tr("Change what is observed"), [on](Plan& plan) { plan.load.counters = on; });
    });
    layout->addWidget(m_counters);
    m_snapshots->addItem(tr("when you ask"), int(SnapshotsWhen::OnDemand));
    m_snapshots->addItem(tr("when you ask, and at stalls"), int(SnapshotsWhen::Stalls));
    m_snapshots->addItem(tr("never"), int(SnapshotsWhen::Off));
    describe(m_snapshots, u"load.snapshots"_s, tr("Snapshots of the server"),
             tr("What the server does at a moment. At stalls: one a second while throughput stalls, 5 at most"));
    connect(m_snapshots, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change what is observed"),
                      [this](Plan& plan) { plan.load.snapshots = SnapshotsWhen(m_snapshots->currentData().toInt()); });
    });
    m_instruments->addItem(tr("none: as they are"), int(InstrumentsLevel::None));
    m_instruments->addItem(tr("light: statements"), int(InstrumentsLevel::Light));
    m_instruments->addItem(tr("full: also waits, stages, locks"), int(InstrumentsLevel::Full));
    describe(m_instruments, u"load.instruments"_s, tr("Instruments of the server"),
             tr("Switched on for the runs and put back afterwards; light costs the server a little for each statement, "
                "full also for each wait, stage and lock"));
    connect(m_instruments, &QComboBox::activated, this, [this] {
        m_editor.edit(tr("Change what is observed"), [this](Plan& plan) {
            plan.load.instruments = InstrumentsLevel(m_instruments->currentData().toInt());
        });
    });
    auto* choices = new QWidget(this);
    auto* flow = new FlowLayout(choices, space::cardGap);
    flow->addWidget(new Field(tr("Snapshots of the server"), m_snapshots, 260));
    flow->addWidget(new Field(tr("Instruments of the server"), m_instruments, 260));
    layout->addWidget(choices);
    describe(m_observe, u"load.observe"_s, tr("Counters to show"),
             tr("Names with commas between them; * stands for any text. These are drawn first; all others that the "
                "server reports are kept and can be drawn afterwards"));
    m_observe->setPlaceholderText(tr("such as Key_reads, Innodb_log_waits"));
    connect(m_observe, &QLineEdit::textEdited, this, &ObserveForm::readObserved);
    m_completer->popup()->setObjectName(u"observeOffers"_s);
    m_observe->installEventFilter(this);
    connect(m_completer, &NamesCompleter::chosen, this, &ObserveForm::readObserved);
    connect(m_observe, &QLineEdit::editingFinished, this,
            [this] { m_observe->setText(observedText(m_editor.plan())); }); // in its usual form
    layout->addWidget(new Field(tr("Counters to show"), m_observe, 420));
    layout->addWidget(m_sources);
    layout->addWidget(m_empty);
    connect(&editor, &PlanEditor::changed, this, &ObserveForm::sync);
    sync();
}

void ObserveForm::sync()
{
    const Plan& plan = m_editor.plan();
    m_counters->setChecked(plan.load.counters);
    m_snapshots->setCurrentIndex(m_snapshots->findData(int(plan.load.snapshots)));
    m_snapshots->setEnabled(plan.load.counters);
    m_instruments->setCurrentIndex(m_instruments->findData(int(plan.load.instruments)));
    m_observe->setEnabled(plan.load.counters);
    if (namesIn(m_observe->text()) != plan.load.observe)
        m_observe->setText(observedText(plan));
    QStringList key;
    for (const View& view : plan.views)
        key << QString::number(view.from) << QString::number(view.to) << qtText(view.chart) << qtText(view.measure)
            << qtText(view.x) << qtText(view.series) << qtText(view.facet) << qtText(view.log) << qtText(view.over)
            << qtText(view.baseline) << QLatin1String(toText(view.centre)) << QLatin1String(toText(view.relativeTo));
    for (const Axis& axis : plan.axes) {
        key << qtText(axis.name);
        for (const Case& one : axis.cases)
            key << qtText(one.label);
    }
    key << usersText(plan.load.users);
    const QString now = key.join(QChar(0x1f)) + QString::number(plan.views.size());
    if (now == m_shown)
        return;
    m_shown = now;
    const QWidget* focused = m_rows && m_rows->isAncestorOf(focusWidget()) ? focusWidget() : nullptr;
    const auto* picker = focused ? qobject_cast<const ChartPicker*>(focused->parentWidget()) : nullptr;
    const QString focusName = picker ? picker->objectName() : focused ? focused->objectName() : QString();
    if (m_rows) {
        // Later, since one of its boxes may be the sender.
        m_rows->hide();
        m_rows->deleteLater();
    }
    m_rows = new QWidget(this);
    auto* column = new QVBoxLayout(m_rows);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2 * space::cardGap); // each wraps: what belongs together stands together
    for (int view = 0; view < int(plan.views.size()); ++view)
        column->addWidget(new ViewRow(m_editor, view));
    layout()->addWidget(m_rows);
    m_rows->setVisible(!plan.views.empty());
    m_empty->setVisible(plan.views.empty());
    if (!focusName.isEmpty()) {
        auto* again = m_rows->findChild<QWidget*>(focusName);
        if (again)
            again->setFocus();
        // An arrow key gives the focus to the picture that was there after its click: take it back, to the chosen one.
        if (again && picker)
            QTimer::singleShot(0, again, [again] { again->setFocus(); });
    }
}

void ObserveForm::readObserved()
{
    const std::optional<std::vector<std::string>> names = namesIn(m_observe->text());
    if (names && *names != m_editor.plan().load.observe)
        m_editor.edit(
            tr("Change what is observed"), [&names](Plan& plan) { plan.load.observe = *names; }, u"load.observe"_s);
}

bool ObserveForm::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_observe && event->type() == QEvent::FocusIn)
        readNames();
    return QWidget::eventFilter(watched, event);
}

void ObserveForm::forgetNames()
{
    m_driver.clear();
}

void ObserveForm::readNames()
{
    const auto uri = parseUri(m_editor.plan().target.uri);
    if (!uri || std::exchange(m_driver, uri->driver) == uri->driver)
        return;
    m_names.start([file = m_library, driver = m_driver] { return counterNames(file, driver); },
                  [this](const QStringList& names) { m_completer->setNames(names); });
}

void ObserveForm::addView()
{
    m_editor.edit(tr("Add chart"), [](Plan& plan) {
        View view;
        const bool sweep = plan.load.users.size() > 1;
        if (!sweep && !plan.axes.empty()) {
            view.chart = "bars";
            view.x = plan.axes.front().name;
            view.series = plan.axes.size() > 1 ? plan.axes[1].name : std::string();
        } else if (!plan.axes.empty()) {
            view.series = plan.axes.front().name;
        }
        plan.views.push_back(view);
    });
}

void ObserveForm::focusPath(const QString& where)
{
    constexpr QStringView kSet = u"set.";
    if (where.startsWith(kSet))
        return m_sources->focusSetting(where.sliced(kSet.size()));
    static const QRegularExpression path(u"^views?\\[(\\d+)\\](?:\\.(\\w+))?"_s);
    const QRegularExpressionMatch match = path.match(where);
    const QString field = match.captured(2).isEmpty() ? u"chart"_s : match.captured(2);
    if (auto* box = findChild<QWidget*>(u"view%1.%2"_s.arg(match.captured(1), field)))
        box->setFocus(Qt::OtherFocusReason); // of the pictures, the chosen one's
}

} // namespace dyno
