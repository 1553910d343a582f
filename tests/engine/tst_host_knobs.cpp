// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of the machine: read from the real /sys, written in a tree of files like it. Whether /sys itself may be
// written depends on where the test runs; both answers are looked at.
#include "server/host/host_knobs.h"
#include "server/knobs/knob_guard.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/machine_settings.h>
#include <dyno/preflight.h>
#include <dyno/runner.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace dyno::tst_host_knobs {

class TestHostKnobs : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void readsTheRealMachine();
    void readsWhatIsChosen();
    void governorsMayDiffer();
    void setsAndRestores();
    void schedulerOfTheDevice();
    void whatIsNotThere();
    void whatMayNotBeWritten();
    void casesThatThisMachineCannotHave();

private:
    void put(const QString& file, const char* text) const
    {
        QVERIFY(QDir(m_root->path()).mkpath(QFileInfo(file).path()));
        QFile out(m_root->filePath(file));
        QVERIFY(out.open(QIODevice::WriteOnly));
        QVERIFY(out.write(text) >= 0);
    }
    QString get(const QString& file) const
    {
        QFile in(m_root->filePath(file));
        return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString("(missing)");
    }
    HostKnobs host(const std::filesystem::path& data = {}) const
    {
        return HostKnobs(data, m_root->path().toStdString());
    }
    std::unique_ptr<QTemporaryDir> m_root;
};

static const char* const kThp = "sys/kernel/mm/transparent_hugepage/enabled";

void TestHostKnobs::init()
{
    m_root = std::make_unique<QTemporaryDir>();
    put(kThp, "always [madvise] never\n");
    for (const char* cpu : {"0", "1"})
        put(QString("sys/devices/system/cpu/cpu%1/cpufreq/scaling_governor").arg(cpu), "powersave\n");
}

void TestHostKnobs::readsTheRealMachine()
{
    const HostKnobs machine(QDir::tempPath().toStdString());
    const Settings found = machine.read();
    QFile real("/sys/kernel/mm/transparent_hugepage/enabled");
    QCOMPARE(found.contains("transparent_hugepage"), real.exists());
    for (const auto& [name, value] : found) {
        QVERIFY2(!toText(value).empty(), name.c_str());
        QVERIFY2(toText(value).find_first_of("[] ") == std::string::npos, toText(value).c_str());
    }
}

void TestHostKnobs::readsWhatIsChosen()
{
    const Settings found = host().read();
    QCOMPARE(textOf(found, "transparent_hugepage"), std::string("madvise"));
    QCOMPARE(textOf(found, "cpu_governor"), std::string("powersave"));
    QVERIFY(!found.contains("io_scheduler"));
}

void TestHostKnobs::governorsMayDiffer()
{
    put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    HostKnobs machine = host();
    QCOMPARE(machine.variable("cpu_governor").value_or(""), std::string("powersave,performance"));
    QVERIFY(machine.setVariable("cpu_governor", std::string("schedutil")));
    QCOMPARE(machine.variable("cpu_governor").value_or(""), std::string("schedutil"));
    QVERIFY(machine.setVariable("cpu_governor", std::string("powersave,performance")));
    QCOMPARE(get("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), QString("powersave"));
    QCOMPARE(get("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"), QString("performance"));
    QVERIFY(!machine.setVariable("cpu_governor", std::string("a,b,c")));
    QVERIFY(machine.maySet("cpu_governor"));
    QVERIFY(!machine.maySet("no_such_thing"));
    QCOMPARE(get("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), QString("powersave"));
}

void TestHostKnobs::setsAndRestores()
{
    HostKnobs machine = host();
    std::vector<KnobChange> announced;
    KnobGuard guard([&](const KnobChange& change) -> Expected<void> {
        announced.push_back(change);
        return {};
    });
    const auto applied = guard.apply(
        machine, {{"transparent_hugepage", std::string("never")}, {"cpu_governor", std::string("performance")}});
    QVERIFY2(applied, applied ? "" : applied.error().text().c_str());
    QCOMPARE(get(kThp), QString("never"));
    QCOMPARE(announced.size(), std::size_t(2));
    QVERIFY(guard.restore(machine));
    QCOMPARE(get(kThp), QString("madvise"));
    QCOMPARE(machine.variable("cpu_governor").value_or(""), std::string("powersave"));
}

void TestHostKnobs::schedulerOfTheDevice()
{
    // The device of the folder, as the kernel shows it: a link from its numbers to it, and a partition inside the
    // device.
    struct stat info
    {
    };
    QCOMPARE(::stat(m_root->path().toUtf8().constData(), &info), 0);
    put("sys/block/sda/sda1/partition", "1\n");
    put("sys/block/sda/queue/scheduler", "[mq-deadline] kyber none\n");
    QVERIFY(QDir(m_root->path()).mkpath("sys/dev/block"));
    const QString link =
        m_root->filePath(QString("sys/dev/block/%1:%2").arg(major(info.st_dev)).arg(minor(info.st_dev)));
    QVERIFY(QFile::link(m_root->filePath("sys/block/sda/sda1"), link));
    HostKnobs machine = host((m_root->path() + "/not/there/yet").toStdString());
    QCOMPARE(textOf(machine.read(), "io_scheduler"), std::string("mq-deadline"));
    const std::string name = machine.fullName("io_scheduler");
    QCOMPARE(name, std::string("io_scheduler:sda"));
    QVERIFY(machine.setVariable(name, std::string("none")));
    QCOMPARE(get("sys/block/sda/queue/scheduler"), QString("none"));
    // Whoever puts it back after a crash does not know where the data were.
    HostKnobs later = host();
    QCOMPARE(later.variable(name).value_or(""), std::string("none"));
    QVERIFY(!later.variable("io_scheduler:../../etc"));
    QVERIFY(!later.variable("io_scheduler"));
}

void TestHostKnobs::whatIsNotThere()
{
    HostKnobs machine = host();
    const auto unknown = machine.variable("nonsense");
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().kind, ErrorKind::BadInput);
    QFile::remove(m_root->filePath(kThp));
    const auto missing = machine.setVariable("transparent_hugepage", std::string("never"));
    QVERIFY(!missing);
    QCOMPARE(missing.error().kind, ErrorKind::Refused);
    QVERIFY(missing.error().text().find("leave it out") != std::string::npos);
}

void TestHostKnobs::whatMayNotBeWritten()
{
    HostKnobs machine;
    const auto before = machine.variable("transparent_hugepage");
    if (!before)
        QSKIP("this machine shows no transparent_hugepage");
    // What it is already: changes nothing where it may be written, and is refused clearly where not.
    const auto may = machine.maySet("transparent_hugepage");
    const auto written = machine.setVariable("transparent_hugepage", *before);
    QCOMPARE(may.has_value(), written.has_value());
    if (!may)
        QCOMPARE(may.error().text(), written.error().text());
    if (!written) {
        QCOMPARE(written.error().kind, ErrorKind::Refused);
        QVERIFY(written.error().text().find("host.transparent_hugepage may not be changed") != std::string::npos);
        QVERIFY(!written.error().remedy.empty());
    }
    QCOMPARE(machine.variable("transparent_hugepage").value_or(""), *before);
}

//! A setting that this machine does not have, or does not let us change, is a reason in plain words: an optional case
//! is skipped with it, another one is a blocker of the pre-flight.
void TestHostKnobs::casesThatThisMachineCannotHave()
{
    HostKnobs machine(QDir::tempPath().toStdString());
    if (machine.maySet("cpu_governor"))
        QSKIP("this machine lets its CPU governor be changed");
    if (!findDriver("sqlite"))
        QSKIP("built without the SQLite driver");
    QVERIFY(!machineProblem({}, {}));
    const auto problem = machineProblem({{"cpu_governor", std::string("performance")}}, {});
    QVERIFY(problem && problem->kind == ErrorKind::Refused && !problem->remedy.empty());
    const QTemporaryDir folder;
    const auto parsed = parsePlan(fmt::format(R"(
[target]
uri = "sqlite:{}"
[workload]
name = "oltp_read_only"
params = {{ table_size = 100 }}
[[axis]]
name = "governor"
cases = [
  {{ label = "as it is", set = {{ }} }},
  {{ label = "performance", set = {{ "host.cpu_governor" = "performance" }}, optional = true }},
]
)",
                                              folder.filePath("a.db").toStdString()),
                                  "h.toml");
    QVERIFY2(parsed.plan, parsed.faults.empty() ? "" : parsed.faults.front().what.c_str());
    Plan less = *parsed.plan;
    RunnerOptions options;
    options.consent.allow("all");
    const std::vector<std::string> told = skipMissingCases(less, options);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(told[0].starts_with("governor performance is skipped: ") && told[0].find("cpu_governor") != told[0].npos,
             told[0].c_str());
    QCOMPARE(expand(less).points.size(), std::size_t(1));
    Plan must = *parsed.plan;
    must.axes[0].cases[1].optional = false;
    const auto reports = preflight(must, options);
    QVERIFY2(reports, reports ? "" : reports.error().text().c_str());
    QVERIFY(reports->front().blocked());
    const auto isIt = [](const PreflightItem& item) {
        return item.id == "host_settings" && item.level == PreflightLevel::Blocker && !item.remedy.empty();
    };
    QVERIFY(std::ranges::any_of(reports->front().items, isIt));
}

} // namespace dyno::tst_host_knobs

DYNO_SUITE(tst_host_knobs, dyno::tst_host_knobs::TestHostKnobs)
#include "tst_host_knobs.moc"
