// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of fields: whatever a row says comes back from a plan's file, from the store and in exports, for every
// row.
#include "support/suite.h"

#include "store/codec/block_codec.h"
#include "store/codec/session_codec.h"
#include "store/library/schema.h"
#include <dyno/analysis.h>
#include <dyno/export.h>
#include <dyno/load_fields.h>
#include <dyno/plan.h>
#include <dyno/run_fields.h>
#include <dyno/view_fields.h>

#include <QTest>

#include <set>

namespace dyno::tst_fields {

namespace {

//! Values that some field takes and that are the usual one of none.
const std::vector<Value> kUnusual{std::string("7s"),          std::string("3"),
                                  std::string("0.25"),        std::string("true"),
                                  std::string("false"),       std::string("1,4"),
                                  std::string("shuffled"),    std::string("threads"),
                                  std::string("fixed"),       std::string("each-run"),
                                  std::string("restore"),     std::string("500:10s, 1000:10s"),
                                  std::string("p99 <= 20ms"), std::string("rate 100..200"),
                                  std::string("median"),      std::string("best"),
                                  std::string("stalls"),      std::string("light"),
                                  std::string("something")};

//! Sets the first value that the field takes and that is not its usual one; false when there is none.
template<class Field, class Of>
bool makeUnusual(const Field& field, Of& of)
{
    for (const Value& value : kUnusual) {
        Of changed;
        if (field.set(changed, value) && field.value(changed) != field.value(Of())) {
            of = changed;
            return true;
        }
    }
    return false;
}

//! What a plan's file says of a field, the last of that name, without quotes and brackets.
std::string writtenValue(const std::string& toml, const std::string& field)
{
    const std::string key = "\n" + field + " = ";
    const std::size_t at = toml.rfind(key);
    if (at == std::string::npos)
        return {};
    std::string value = toml.substr(at + key.size(), toml.find('\n', at + 1) - at - key.size());
    std::erase_if(value, [](char c) { return c == '"' || c == '[' || c == ']'; });
    return value;
}

//! A finished run of our own that has `value` in the field.
RunSummary summaryWith(const RunField& field, std::uint64_t value)
{
    RunSummary run;
    run.status = RunStatus::Done;
    if (field.count)
        run.*field.count = value;
    else if (field.real)
        run.*field.real = double(value);
    else if (field.maybe)
        run.*field.maybe = double(value);
    return run;
}

StoredSession sessionOf(const RunSummary& summary)
{
    StoredSession session;
    session.header.points.resize(1);
    StoredRun run;
    run.summary = summary;
    session.runs.push_back(run);
    return session;
}

//! The value of a column in the only row of a CSV.
QString valueIn(const std::string& csv, const char* heading)
{
    const QStringList lines = QString::fromStdString(csv).split('\n');
    const qsizetype at = lines.value(0).split(',').indexOf(QString::fromUtf8(heading));
    return lines.value(1).split(',').value(at);
}

template<class Field>
void addNames(const std::vector<Field>& fields)
{
    QTest::addColumn<QString>("name");
    for (const Field& field : fields)
        QTest::newRow(field.name.c_str()) << QString::fromStdString(field.name);
}

} // namespace

class TstFields : public QObject
{
    Q_OBJECT
private slots:
    void namesAndPlacesAreUnique()
    {
        std::set<std::string> names, places;
        for (const LoadField& field : loadFields()) {
            QVERIFY2(names.insert(field.name).second, field.name.c_str());
            QVERIFY2(!field.help.empty(), field.name.c_str());
            for (const LoadField::Stored& stored : field.stored)
                QVERIFY2(places.insert(stored.path).second, stored.path.c_str());
        }
        names.clear();
        for (const ViewField& field : viewFields())
            QVERIFY2(names.insert(field.name).second, field.name.c_str());
        QVERIFY(!findLoadField("no_such") && !findViewField("no_such"));
    }

    void usualValuesAreTaken()
    {
        LoadProfile load;
        for (const LoadField& field : loadFields()) {
            const auto set = field.set(load, field.value(LoadProfile()));
            QVERIFY2(set.has_value(), field.name.c_str());
        }
        for (const LoadField& field : loadFields())
            QVERIFY2(field.value(load) == field.value(LoadProfile()), field.name.c_str());
    }

    void loadFieldsComeBack_data() { addNames(loadFields()); }
    void loadFieldsComeBack()
    {
        QFETCH(QString, name);
        const LoadField& field = *findLoadField(name.toStdString());
        Plan plan;
        QVERIFY(makeUnusual(field, plan.load));
        Plan again;
        const std::string typed = writtenValue(writePlan(plan), field.name);
        const auto set = setField(again, "load." + field.name, typed);
        QVERIFY2(set.has_value(), typed.c_str());
        QVERIFY2(field.value(again.load) == field.value(plan.load), typed.c_str());
        PointSpec point;
        point.load = plan.load;
        const PointSpec stored = codec::readPoint(codec::write(point));
        for (const LoadField& other : loadFields())
            QVERIFY2(other.value(stored.load) == other.value(plan.load), other.name.c_str());
    }

    void viewFieldsComeBack_data() { addNames(viewFields()); }
    void viewFieldsComeBack()
    {
        QFETCH(QString, name);
        const ViewField& field = *findViewField(name.toStdString());
        View view;
        QVERIFY(makeUnusual(field, view));
        Plan plan;
        plan.views = {view};
        const std::string typed = writtenValue(writePlan(plan), field.name);
        View read;
        QVERIFY2(field.set(read, typed), typed.c_str());
        QVERIFY2(field.value(read) == field.value(view), typed.c_str());
        const auto kept = viewFromText(viewText(view));
        QVERIFY(kept.has_value());
        for (const ViewField& other : viewFields())
            QVERIFY2(other.value(*kept) == other.value(view), other.name.c_str());
    }

    void runFieldsAreUnique()
    {
        std::set<std::string> ids;
        std::set<std::string> columns;
        for (const RunField& field : runFields()) {
            QVERIFY2(ids.insert(field.info.id).second, field.info.id.c_str());
            QCOMPARE(findMeasure(field.info.id) != nullptr, !field.info.label.empty());
            QVERIFY2(*field.of == '\0' || findRunField(field.of), field.info.id.c_str());
            if (*field.heading != '\0' || *field.longName != '\0' || field.inDocument)
                QVERIFY2(field.count, field.info.id.c_str());
            if (field.interval.isThere())
                QVERIFY2(columns.insert(field.interval.column).second, field.interval.column);
        }
        QVERIFY(!findRunField("no_such"));
    }

    void runFieldsComeBack_data()
    {
        QTest::addColumn<QString>("id");
        for (const RunField& field : runFields()) {
            if (field.count || field.real || field.maybe)
                QTest::newRow(field.info.id.c_str()) << QString::fromStdString(field.info.id);
        }
    }
    void runFieldsComeBack()
    {
        QFETCH(QString, id);
        const RunField& field = *findRunField(id.toStdString());
        const RunSummary run = summaryWith(field, 7);
        const RunSummary stored = codec::readSummary(codec::write(run));
        for (const RunField& other : runFields()) {
            if (other.count)
                QVERIFY2(stored.*other.count == run.*other.count, other.info.id.c_str());
            if (other.real)
                QVERIFY2(stored.*other.real == run.*other.real, other.info.id.c_str());
            if (other.maybe)
                QVERIFY2(stored.*other.maybe == run.*other.maybe, other.info.id.c_str());
        }
        if (!field.info.label.empty())
            QCOMPARE(measureOf(run, {}, field.info.id), std::optional(7.0));
        const StoredSession session = sessionOf(run);
        if (*field.heading != '\0')
            QCOMPARE(valueIn(runsCsv(session), field.heading), QString("7"));
        if (*field.longName != '\0')
            QVERIFY(QString::fromStdString(runsLongCsv(session)).contains(QString(",%1,1,7\n").arg(field.longName)));
        if (field.inDocument)
            QVERIFY(QString::fromStdString(sessionJson(session)).contains(QString("\"%1\": 7,").arg(id)));
    }

    void intervalFieldsComeBack_data()
    {
        QTest::addColumn<QString>("id");
        for (const RunField* field : intervalFields())
            QTest::newRow(field->info.id.c_str()) << QString::fromStdString(field->info.id);
    }
    void intervalFieldsComeBack()
    {
        QFETCH(QString, id);
        const RunField& field = *findRunField(id.toStdString());
        std::vector<IntervalSample> samples(2);
        for (IntervalSample& sample : samples) {
            sample.tNs = &sample == &samples.front() ? 0 : 1'000'000'000;
            sample.lengthNs = 1'000'000'000;
        }
        field.interval.with(samples[0], [](auto& value) { value = 5; });
        field.interval.with(samples[1], [](auto& value) { value = 3; });
        std::vector<IntervalSample> read(2);
        QVERIFY(block::readTimes(block::writeTimes(samples), read, false));
        for (const RunField* other : intervalFields()) {
            for (std::size_t i = 0; i < read.size(); ++i) {
                double written = 0, found = -1;
                other->interval.with(samples[i], [&written](auto value) { written = double(value); });
                other->interval.with(read[i], [&found](auto value) { found = double(value); });
                QVERIFY2(found == written, other->info.id.c_str());
            }
        }
        if (*field.interval.heading != '\0')
            QCOMPARE(valueIn(intervalsCsv({}, samples), field.interval.heading).toDouble(), 5.0);
        if (!field.count)
            return;
        SummaryBuilder builder({});
        for (const IntervalSample& sample : samples)
            builder.add(sample);
        using Fold = IntervalField::Fold;
        const Fold fold = field.interval.fold;
        QCOMPARE(builder.summary().*field.count, std::uint64_t(fold == Fold::Sum ? 8 : fold == Fold::Last ? 3 : 5));
    }

    //! Seals are over these values in this order: a column of a later version comes behind them.
    void columnsOfIntervalsStayWhereTheyAre()
    {
        QCOMPARE(QString::fromStdString(intervalColumns(7)),
                 QString("idx, t_ns, length_ns, phase, users, retried, dropped, reconnects, lock_waits, errors, cpu_s,"
                         " rss_bytes, host_busy, sched_delay_s, arrivals, backlog, changed_rows, rollbacks,"
                         " allowed_busy, allowed_cores, busiest_thread, switches, late_starts, loop_lag_ms"));
        QVERIFY(intervalColumns().starts_with(intervalColumns(7)));
        for (const RunField* field : intervalFields())
            QVERIFY(field->interval.since <= kSchemaVersion);
    }
};

} // namespace dyno::tst_fields

DYNO_SUITE(tst_fields, dyno::tst_fields::TstFields)
#include "tst_fields.moc"
