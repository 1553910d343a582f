// SPDX-License-Identifier: GPL-3.0-or-later
// The manual: its list, its links, its examples, and its pages that are made from tables. The C++ of its pages is
// compiled by tests/manual.
#include "cli_test.h"
#include "core/exit_text.h"
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/plan_fields.h"
#include "plan/plan_keys.h"
#include "server/knobs/knob_catalog.h"
#include "server/remote/remote_servers.h"
#include "support/suite.h"

#include <dyno/load_fields.h>
#include <dyno/manual.h>
#include <dyno/plan.h>
#include <dyno/report.h>
#include <dyno/view_fields.h>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>

namespace dyno::tst_manual {

namespace {

constexpr int kLongestPage = 150;   //!< lines
constexpr int kLongestReadme = 150; //!< lines
const QString kTop = QStringLiteral(DYNO_SOURCE_DIR);
const QString kFolder = kTop + "/resources/manual/";
//! Made from tables, or as long as what they list.
const QStringList kLongPages{"plan-reference", "commands", "measures",     "experiments",
                             "benchmarks",     "counters", "workload-data"};

QString contentOf(const QString& file)
{
    QFile page(file);
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

QString textOf(const ManualPage& page)
{
    return QString::fromUtf8(page.markdown.data(), qsizetype(page.markdown.size()));
}

struct Block
{
    QString language, text;
};
QList<Block> blocksIn(const QString& markdown)
{
    static const QRegularExpression block("^```(\\w*)\\n(.*?)^```$",
                                          QRegularExpression::MultilineOption |
                                              QRegularExpression::DotMatchesEverythingOption);
    QList<Block> blocks;
    for (auto it = block.globalMatch(markdown); it.hasNext();) {
        const auto match = it.next();
        blocks.append({match.captured(1), match.captured(2)});
    }
    return blocks;
}

QString withoutBlocks(QString markdown)
{
    static const QRegularExpression block("^```.*?^```$", QRegularExpression::MultilineOption |
                                                              QRegularExpression::DotMatchesEverythingOption);
    return markdown.remove(block);
}

QStringList anchorsIn(const QString& markdown)
{
    static const QRegularExpression heading("^#+ (.*)$", QRegularExpression::MultilineOption);
    QStringList anchors;
    for (auto it = heading.globalMatch(withoutBlocks(markdown)); it.hasNext();)
        anchors += QString::fromStdString(manualAnchor(it.next().captured(1).toStdString()));
    return anchors;
}

//! What is wrong with the links of a file: "plans.md: no heading #settings".
QStringList brokenLinks(const QString& file)
{
    static const QRegularExpression link("\\]\\(([^)\\s]+)\\)");
    QStringList broken;
    const QString text = withoutBlocks(contentOf(file));
    for (auto it = link.globalMatch(text); it.hasNext();) {
        const QString address = it.next().captured(1);
        if (address.startsWith("https://") || address.startsWith("http://"))
            continue;
        const QString path = address.section('#', 0, 0), anchor = address.section('#', 1);
        const QString target = path.isEmpty() ? file : QDir::cleanPath(QFileInfo(file).path() + '/' + path);
        if (!QFileInfo::exists(target))
            broken += address + ": there is no such file";
        else if (!anchor.isEmpty() && !anchorsIn(contentOf(target)).contains(anchor))
            broken += address + ": there is no such heading";
    }
    return broken;
}

//! The flags of each command, from the reference: "dyno run" → --set, …
std::map<QString, QStringList> commandFlags()
{
    std::map<QString, QStringList> flags;
    static const QRegularExpression flag("`(-[-\\w]+)`");
    QString command;
    for (const QString& line : textOf(*findManualPage("commands")).split('\n')) {
        if (line.startsWith("## dyno "))
            flags[command = line.mid(3)];
        if (line.startsWith("| `-")) {
            for (auto it = flag.globalMatch(line.section('|', 1, 1)); it.hasNext();)
                flags[command] += it.next().captured(1);
        }
    }
    return flags;
}

//! What is wrong with a line "dyno run x --set a=b"; "" when it could be typed.
QString faultOf(const QString& line, const std::map<QString, QStringList>& flags)
{
    QStringList words = QProcess::splitCommand(line);
    QString command = words.takeFirst();
    while (!words.isEmpty() && flags.contains(command + ' ' + words.front()))
        command += ' ' + words.takeFirst();
    if (!flags.contains(command))
        return "there is no such command: " + line;
    for (const QString& word : words) {
        if (word.startsWith("--") && word != "--help" && word != "--version" &&
            !flags.at(command).contains(word.section('=', 0, 0)))
            return QString("%1 has no %2: %3").arg(command, word, line);
    }
    return {};
}

//! The commands in a page: lines of its blocks, and words in backticks.
QStringList commandsIn(const QString& markdown)
{
    QStringList commands;
    for (const Block& block : blocksIn(markdown)) {
        if (block.language != "sh")
            continue;
        for (QString line : block.text.split('\n', Qt::SkipEmptyParts)) {
            line = line.section(" #", 0, 0).trimmed();
            line.remove(QRegularExpression("^(\\w+=\\S+ )*(build/release/bin/)?"));
            if (line.startsWith("dyno "))
                commands += line.section('|', 0, 0).section(" > ", 0, 0).trimmed();
        }
    }
    static const QRegularExpression code("`(dyno [a-z][^`]*)`");
    for (auto it = code.globalMatch(withoutBlocks(markdown)); it.hasNext();)
        commands += it.next().captured(1).section('|', 0, 0).remove(QRegularExpression("[\\[\\]…]")).trimmed();
    return commands;
}

//! A part of a plan becomes a whole one: only what it lacks is added.
QString wholePlan(QString toml)
{
    if (!toml.contains("[workload]"))
        toml.prepend("[workload]\nname = \"oltp_update_index\"\n");
    if (!toml.contains("[target]"))
        toml.prepend("[target]\nuri = \"sqlite:\"\n");
    if (!toml.contains("[load]"))
        toml += "\n[load]\nusers = [1, 16]\n";
    if (toml.contains("durability =") && !toml.contains("[[axis]]"))
        toml += "\n[[axis]]\nname = \"durability\"\ncases = [ { label = \"flush=0, no binlog\", set = {} }, "
                "{ label = \"flush=1\", set = { \"connection.synchronous\" = \"FULL\" } } ]\n";
    return toml;
}

} // namespace

class TstManual : public QObject, private test::CliRig
{
    Q_OBJECT
private slots:
    void theListOwnsAllPages()
    {
        QStringList listed{"contents.md"};
        QSet<QString> groups;
        for (const ManualPage& page : manualPages()) {
            listed += QString::fromStdString(page.id) + ".md";
            QVERIFY2(!page.markdown.empty(), page.id.c_str());
            QVERIFY2(page.markdown.starts_with("# " + page.title + "\n"), page.id.c_str());
            QVERIFY2(!page.group.empty(), page.id.c_str());
            groups.insert(QString::fromStdString(page.group));
            // As the list calls it.
            const QString entry =
                QString("- [%1](%2.md)").arg(QString::fromStdString(page.title), QString::fromStdString(page.id));
            QVERIFY2(textOf(manualContents()).contains(entry), qPrintable(entry));
        }
        listed.sort();
        QCOMPARE(QDir(kFolder).entryList({"*.md"}, QDir::Files, QDir::Name), listed);
        QVERIFY(groups.size() > 4);
        QVERIFY(findManualPage("plans") && !findManualPage("nowhere"));
    }

    void pagesAreShort()
    {
        for (const ManualPage& page : manualPages()) {
            const auto lines = textOf(page).count('\n');
            QVERIFY2(lines <= kLongestPage || kLongPages.contains(QString::fromStdString(page.id)),
                     qPrintable(QString("%1: %2 lines").arg(QString::fromStdString(page.id)).arg(lines)));
            const QStringList anchors = anchorsIn(textOf(page));
            QVERIFY2(QSet<QString>(anchors.begin(), anchors.end()).size() == anchors.size(), page.id.c_str());
        }
        QVERIFY(contentOf(kTop + "/README.md").count('\n') <= kLongestReadme);
    }

    void linksLeadSomewhere()
    {
        QStringList files{kTop + "/README.md"};
        for (const char* folder : {"engine", "widgets", "app", "tests"})
            files += QString("%1/%2/README.md").arg(kTop, folder);
        for (const QString& file : QDir(kFolder).entryList({"*.md"}, QDir::Files))
            files += kFolder + file;
        for (const QString& file : files) {
            const QStringList broken = brokenLinks(file);
            QVERIFY2(broken.isEmpty(), qPrintable(file + ": " + broken.join(", ")));
        }
        // The test itself sees what is wrong.
        const QString wrong = write("wrong.md", "# A\n[a](nowhere.md) [b](#c) [d](#a)\n");
        QCOMPARE(brokenLinks(wrong),
                 QStringList({"nowhere.md: there is no such file", "#c: there is no such heading"}));
    }

    void plansAreWithoutFaults()
    {
        int plans = 0;
        for (const ManualPage& page : manualPages()) {
            for (const Block& block : blocksIn(textOf(page))) {
                if (block.language != "toml")
                    continue;
                if (block.text.startsWith("[[server]]")) {
                    const RemoteServers servers = parseRemoteServers(block.text.toStdString(), page.id);
                    QVERIFY2(servers.faults.empty() && servers.servers.size() == 1, page.id.c_str());
                    continue;
                }
                if (block.text.startsWith("[[knob]]")) {
                    Faults faults;
                    const auto file = parseKnobFile("driver = \"mysql\"\n" + block.text.toStdString(), page.id, faults);
                    QVERIFY2(faults.empty() && file.knobs.size() == 1, page.id.c_str());
                    continue;
                }
                const ParsedPlan parsed = parsePlan(wholePlan(block.text).toStdString(), page.id);
                for (const Fault& fault : parsed.faults)
                    qWarning("%s:%d: %s; %s", page.id.c_str(), fault.line, fault.what.c_str(), fault.remedy.c_str());
                QVERIFY2(parsed.plan, page.id.c_str());
                for (const Fault& fault : checkPlan(*parsed.plan))
                    QFAIL(qPrintable(
                        QString("%1: %2: %3").arg(page.id.c_str(), fault.where.c_str(), fault.what.c_str())));
                ++plans;
            }
        }
        QVERIFY(plans >= 5);
        QVERIFY(!parsePlan(wholePlan("[load]\nuser = 1\n").toStdString(), "wrong").plan);
    }

    //! The page has the keys that the program prints.
    void documentOfAPlanIsDescribed()
    {
        const QString page = textOf(*findManualPage("json"));
        const QList<Block> blocks = blocksIn(page.mid(page.indexOf("## Of a plan")));
        QVERIFY(!blocks.isEmpty());
        const QJsonObject told = QJsonDocument::fromJson(blocks.front().text.toUtf8()).object();
        const QString plan = write("document.toml", wholePlan("").toUtf8());
        const QJsonObject printed = QJsonDocument::fromJson(dyno({"check", plan, "--json"}).out.toUtf8()).object();
        QVERIFY(!printed.isEmpty());
        QCOMPARE(told.keys(), printed.keys());
        QCOMPARE(told["points"][0].toObject().keys(), printed["points"][0].toObject().keys());
        const QString wrong = write("faulty.toml", "[load]\nuser = 1\n");
        const QJsonObject faulty = QJsonDocument::fromJson(dyno({"check", wrong, "--json"}).out.toUtf8()).object();
        QCOMPARE(faulty.keys(), QStringList({"faults", "plan"}));
        QCOMPARE(told["faults"][0].toObject().keys(), faulty["faults"][0].toObject().keys());
    }

    void commandsCouldBeTyped()
    {
        const auto flags = commandFlags();
        QVERIFY(flags.size() > 30);
        QVERIFY(flags.at("dyno run").contains("--set"));
        QVERIFY(faultOf("dyno run x --sett a=b", flags).contains("--sett"));
        QVERIFY(!faultOf("dyno fly", flags).isEmpty());
        int commands = 0;
        QStringList pages{contentOf(kTop + "/README.md")};
        for (const ManualPage& page : manualPages())
            pages += textOf(page);
        for (const QString& page : pages) {
            for (const QString& command : commandsIn(page)) {
                if (command.contains("COMMAND"))
                    continue; // any of them
                const QString fault = faultOf(command, flags);
                QVERIFY2(fault.isEmpty(), qPrintable(page.section('\n', 0, 0) + ": " + fault));
                ++commands;
            }
        }
        QVERIFY2(commands > 80, qPrintable(QString::number(commands)));
    }

    //! What the program writes is what the pages say.
    void generatedPagesAreCurrent()
    {
        const QString folder = path("generated");
        QCOMPARE(dyno({"manual", "--generate", folder}).code, 0);
        const QStringList written = QDir(folder).entryList(QDir::Files, QDir::Name);
        QCOMPARE(written,
                 QStringList({"commands.md", "exit-codes.md", "experiments.md", "measures.md", "plan-reference.md"}));
        for (const QString& page : written)
            QVERIFY2(contentOf(folder + '/' + page) == contentOf(kFolder + page),
                     qPrintable(page + " is stale: dyno manual --generate resources/manual"));
    }

    void referencesAreComplete()
    {
        const QString plan = textOf(*findManualPage("plan-reference"));
        const auto hasRow = [](const QString& text, const std::string& name) {
            return text.contains(QString("\n| `%1` |").arg(QString::fromStdString(name)));
        };
        // Keys of the same name are in several tables.
        const auto section = [&plan](const QString& heading) {
            const auto begin = plan.indexOf("\n## " + heading + '\n');
            return begin < 0 ? QString() : plan.mid(begin + 1).section("\n## ", 0, 0);
        };
        const QString load = section("[load]"), view = section("[[view]]");
        for (const LoadField& field : loadFields())
            QVERIFY2(hasRow(load, field.name) && !field.help.empty() && !field.range.empty(), field.name.c_str());
        for (const ViewField& field : viewFields())
            QVERIFY2(hasRow(view, field.name) && !field.help.empty(), field.name.c_str());
        for (const PlanTable& table : planTables()) {
            for (const PlanKey& key : table.keys)
                QVERIFY2(hasRow(section(table.id.empty() ? "Top of the file" : QString::fromStdString(table.form)),
                                key.name) &&
                             !key.range.empty() && !key.help.empty(),
                         key.name.c_str());
        }
        // Tables whose keys have an owner of their own.
        for (const std::string& key : planKeys("target")) {
            TargetSpec target;
            const bool number = key == "cost_per_hour" || key == "watts";
            const auto set = setTargetField(target, key, number ? Value(1.5) : Value(std::string("haproxy")));
            QVERIFY2(set || set.error().message.find("target.") == std::string::npos, key.c_str());
        }
        std::vector<std::string> group = planKeys("group"), known = groupFields();
        known.insert(known.end(), {"name", "params"});
        std::ranges::sort(group);
        std::ranges::sort(known);
        QCOMPARE(group, known);
        std::vector<std::string> phase = planKeys("phase"), fields = phaseFields();
        fields.insert(fields.end(), {"name", "groups"});
        std::ranges::sort(phase);
        std::ranges::sort(fields);
        QCOMPARE(phase, fields);
        const QString figures = textOf(*findManualPage("measures"));
        for (const MeasureInfo& measure : measures())
            QVERIFY2(figures.contains('`' + QString::fromStdString(measure.id)), measure.id.c_str());
        const QString codes = textOf(*findManualPage("exit-codes"));
        for (const Exit code : {kDone, kFailed, kBadInput, kUnreachable, kObjective, kInterrupted})
            QVERIFY2(codes.contains(QString("\n| %1 |").arg(int(code))), "an exit code without a row");
        QCOMPARE(exitMeanings().size(), std::size_t(6));
    }

    void pagesAreListedShownAndSearched()
    {
        const auto list = dyno({"manual"});
        QCOMPARE(list.code, 0);
        for (const ManualPage& page : manualPages())
            QVERIFY(list.out.contains(QString::fromStdString(page.title)));
        QCOMPARE(dyno({"manual", "plans"}).out, contentOf(kFolder + "plans.md"));
        const auto near = dyno({"manual", "plan"});
        QCOMPARE(near.code, 2);
        QVERIFY2(near.err.contains("plans"), qPrintable(near.err));
        QCOMPARE(dyno({"manual", "plans", "--html", path("both")}).code, 2);
        const auto found = dyno({"manual", "--search", "coordinated omission"});
        QVERIFY2(found.out.startsWith("methodology: Coordinated omission\n"), qPrintable(found.out));
        QCOMPARE(dyno({"manual", "--search", "wibblywobbly"}).out, QString());
    }

    void searchLooksAtAllWordsAndAnyCase()
    {
        const auto places = searchManual("SEALS forger");
        QVERIFY(!places.empty());
        QCOMPARE(QString::fromStdString(places.front().page->id), QString("files"));
        QCOMPARE(QString::fromStdString(places.front().anchor), QString("seals"));
        QVERIFY(!places.front().excerpt.empty() && places.front().excerpt.find('`') == std::string::npos);
        QVERIFY(searchManual("").empty() && searchManual("   ").empty());
        QCOMPARE(searchManual("Methodology").front().page->id, std::string("methodology"));
    }

    //! Brackets belong to the name of a plan's table; those of a link do not.
    void searchKeepsBrackets()
    {
        for (const char* name : {"[load]", "[[view]]"}) {
            const auto places = searchManual(name);
            QVERIFY2(!places.empty() && places.front().heading == name, name);
            QCOMPARE(places.front().page->id, std::string("plan-reference"));
            QCOMPARE(places.front().anchor, QString(name).remove('[').remove(']').toStdString());
        }
        const auto found = dyno({"manual", "--search", "[[view]]"});
        QVERIFY2(found.out.startsWith("plan-reference: [[view]]\n"), qPrintable(found.out));
        for (const ManualPage& page : manualPages()) {
            for (const ManualPlace& place : searchManual(page.title))
                QVERIFY2(place.excerpt.find("](") == std::string::npos, place.excerpt.c_str());
        }
    }

    void textOfACellStaysInIt()
    {
        QCOMPARE(markdownCell("a | b\nc <d> *e* [f] `g|h*i`"),
                 std::string("a \\| b c \\<d\\> \\*e\\* \\[f\\] `g\\|h*i`"));
    }

    void htmlIsWholeAndLinked()
    {
        const QString folder = path("html");
        QCOMPARE(dyno({"manual", "--html", folder}).code, 0);
        QCOMPARE(QDir(folder).entryList(QDir::Files).size(), qsizetype(manualPages().size()) + 1);
        static const QRegularExpression link("href=\"([^\"]+)\"");
        for (const QString& file : QDir(folder).entryList(QDir::Files)) {
            const QString html = contentOf(folder + '/' + file);
            QVERIFY2(html.contains("<h1") && html.contains("prefers-color-scheme"), qPrintable(file));
            QVERIFY2(!html.contains("<script") && !html.contains("src="), qPrintable(file));
            QVERIFY2(!html.contains(".md)") && !html.contains(".md\""), qPrintable(file));
            for (auto it = link.globalMatch(html); it.hasNext();) {
                const QString address = it.next().captured(1);
                if (address.startsWith("http"))
                    continue;
                const QString page = address.section('#', 0, 0), anchor = address.section('#', 1);
                const QString target = page.isEmpty() ? html : contentOf(folder + '/' + page);
                QVERIFY2(!target.isEmpty(), qPrintable(file + ": " + address));
                QVERIFY2(anchor.isEmpty() || target.contains("id=\"" + anchor + '"'),
                         qPrintable(file + ": " + address));
            }
        }
        QVERIFY(contentOf(folder + "/plans.html").contains("href=\"plan-reference.html\""));
        QVERIFY(contentOf(folder + "/commands.html").contains("<table>"));
    }
};

} // namespace dyno::tst_manual

DYNO_SUITE(tst_manual, dyno::tst_manual::TstManual)
#include "tst_manual.moc"
