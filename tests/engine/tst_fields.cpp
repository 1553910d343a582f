// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of fields: whatever a row says comes back from a plan's file and from the store, for every row.
#include "support/suite.h"

#include "store/codec/session_codec.h"
#include <dyno/analysis.h>
#include <dyno/load_fields.h>
#include <dyno/plan.h>
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
};

} // namespace dyno::tst_fields

DYNO_SUITE(tst_fields, dyno::tst_fields::TstFields)
#include "tst_fields.moc"
