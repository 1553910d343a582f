// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/server_in_folder.h"

#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/data_parts.h"
#include "server/lifecycle/free_port.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace dyno {

namespace fs = std::filesystem;

Expected<void> writeText(const fs::path& file, const std::string& text)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out)
        return fail({ErrorKind::Storage, fmt::format("cannot write: {}", std::strerror(errno)), file.string(),
                     "check that the disk is not full"});
    return {};
}

ServerInFolder::ServerInFolder(ServerPlace place)
    : m_workDir(std::move(place.workDir))
    , m_binaries(std::move(place.binaries))
    , m_folder(std::move(place.folder))
    , m_tcp(place.tcp)
{
    m_process.setManners(m_binaries.recipe->manners());
}

ServerInFolder::~ServerInFolder()
{
    // Data that nobody will read needs no orderly end.
    if (m_folder.kept())
        static_cast<void>(ServerInFolder::stop());
    m_process.kill();
    std::error_code ignored;
    fs::remove_all(copyFolder(), ignored);
}

void ServerInFolder::adopt(const FolderFacts& facts)
{
    m_initialisation = facts.initialisation;
    m_hasData = true;
    m_wasThere = true;
    m_dataFolderNumber = 1;
    std::error_code ignored;
    fs::create_directories(tmpFolder(), ignored);
    fs::remove_all(copyFolder(), ignored); // of an owner that died
}

Error ServerInFolder::died(const std::string& what) const
{
    return {ErrorKind::Failed, explainEnd(*m_binaries.recipe, what, logSince(m_logAtStart)), m_binaries.server.string(),
            remedyForEnd(logSince(m_logAtStart))};
}

std::vector<DataPart> ServerInFolder::dataParts() const
{
    return dataPartsOf(m_binaries.product(), dataFolder(), tmpFolder(), kManagedDatabase);
}

std::vector<DataPart> ServerInFolder::offPageParts(const std::vector<std::string>& tables) const
{
    return offPagePartsOf(m_binaries.product(), dataFolder(), kManagedDatabase, tables);
}

Settings ServerInFolder::connectionDefaults() const
{
    if (!m_tcp)
        return {};
    return {{"tls_ca", (m_folder.path() / "tls" / "ca.pem").string()}};
}

Settings ServerInFolder::initialisationKnobs(const Settings& knobs) const
{
    Settings result;
    for (const auto& [name, value] : knobs) {
        if (const KnobInfo* knob = findKnob(m_binaries.driver(), "server", name); knob && knob->initialisation)
            result.emplace(name, value);
    }
    return result;
}

std::string ServerInFolder::defaultOf(const std::string& name) const
{
    const KnobInfo* knob = findKnob(m_binaries.driver(), "server", name);
    return knob ? toText(knob->option.defaultValue) : "";
}

Expected<Settings> ServerInFolder::withMadeKnobs(Settings knobs) const
{
    if (!m_folder.named() || !m_hasData)
        return knobs;
    for (const auto& [name, value] : initialisationKnobs(knobs)) {
        const auto made = m_initialisation.find(name);
        const std::string is = made != m_initialisation.end() ? toText(made->second) : defaultOf(name);
        if (!sameSetting(value, is))
            return fail(
                {ErrorKind::Refused,
                 fmt::format("the data of this server was made with {}={}, the plan says {}", name, is, toText(value)),
                 m_folder.path().string(), "use another name, or remove this server with its data first"});
        knobs.erase(name); // a default need not have been named when the data was made
    }
    for (const auto& [name, value] : m_initialisation)
        knobs.insert_or_assign(name, value);
    return knobs;
}

Expected<void> ServerInFolder::makeDataFolder(const Settings& initialisation)
{
    if (m_hasData && initialisation == m_initialisation)
        return {};
    if (m_hasData && m_folder.named()) // withMadeKnobs() has seen to it; yet nobody else's data goes, whatever happens
        return fail({ErrorKind::Refused, "the plan asks for data that is made in another way than this server's",
                     m_folder.path().string(), "use another name, or remove this server with its data first"});
    std::error_code error;
    if (!m_folder.named()) // whose data are never made twice
        fs::remove_all(dataFolder(), error);
    m_hasData = false;
    // The name appears when the folder is complete: a named server must not be found with half a data folder.
    const fs::path half = m_folder.path() / "data.new";
    fs::remove_all(half, error);
    if (auto filled = fillDataFolder(half, initialisation); !filled) {
        fs::remove_all(half, error);
        return filled;
    }
    fs::create_directories(tmpFolder(), error);
    const FolderFacts facts{m_binaries.product(), m_binaries.version, m_binaries.folder.string(), initialisation, {}};
    if (auto written = writeFolderFacts(m_folder.path(), facts); !written)
        return written;
    fs::rename(half, dataFolder(), error);
    if (error)
        return fail({ErrorKind::Storage, fmt::format("cannot rename: {}", error.message()), half.string(), {}});
    m_hasData = true;
    m_initialisation = initialisation;
    ++m_dataFolderNumber;
    return {};
}

Expected<Settings> ServerInFolder::named(const Settings& wanted) const
{
    return serverNames(m_binaries.driver(), wanted, m_binaries.name, m_binaries.version);
}

Expected<void> ServerInFolder::ensure(const Settings& wanted)
{
    auto known = named(wanted);
    auto knobs = known ? withMadeKnobs(std::move(*known)) : std::move(known);
    if (!knobs)
        return fail(std::move(knobs.error()));
    if (running()) {
        if (*knobs == m_knobs || changeWhileRunning(*knobs))
            return {};
        if (auto stopped = stop(); !stopped)
            return stopped;
    }
    return start(*knobs);
}

//! True when the difference is only variables that may be set while it runs, of which the server decides nothing at its
//! start, and all of them have been set. A knob that is not wanted any more goes back to its default by a restart,
//! which also leaves nothing behind of what it did.
bool ServerInFolder::changeWhileRunning(const Settings& knobs)
{
    const bool gone = std::ranges::any_of(m_knobs, [&](const auto& knob) { return !knobs.contains(knob.first); });
    if (gone || !takesKnobs() || initialisationKnobs(knobs) != m_initialisation)
        return false;
    auto admin = connect();
    if (!admin)
        return false;
    Settings changes;
    for (const auto& [name, value] : knobs) {
        const auto now = m_knobs.find(name);
        if (now != m_knobs.end() && now->second == value)
            continue;
        const auto must = mustSet(**admin, name, value);
        if (!must)
            return false;
        if (!*must)
            continue;
        const auto decided =
            decidedAtStart(m_binaries.recipe->names().driver, name, knobs, m_binaries.product(), m_binaries.version);
        if (std::ranges::any_of(decided, [&](const std::string& one) { return (*admin)->variable(one).has_value(); }))
            return false;
        changes.emplace(name, value);
    }
    if (!writeCommand(knobs))
        return false;
    for (const auto& [name, value] : changes) {
        if (!setAndVerify(**admin, name, value))
            return false; // a start with it in the option file gives the better message
    }
    setKnobs(knobs);
    return true;
}

Expected<void> ServerInFolder::start(const Settings& knobs)
{
    m_knobs.clear();
    if (auto written = writeCommand(knobs); !written)
        return fail(std::move(written.error()));
    if (auto made = makeLink(); !made)
        return made;
    if (auto made = makeDataFolder(initialisationKnobs(knobs)); !made)
        return made;
    if (auto filled = fillFolder(knobs); !filled)
        return filled;
    if (auto up = bringUp(knobs); !up) {
        m_process.kill();
        return up;
    }
    setKnobs(knobs);
    return {};
}

void ServerInFolder::choosePorts()
{
    m_port = freeLocalPort();
}

//! Before a start, and none of an earlier one when none is wanted now; it stays over restarts.
Expected<void> ServerInFolder::makeLink()
{
    if (m_linked == (m_link != nullptr))
        return {};
    if (!m_linked) {
        m_link.reset();
        m_process.setManners(m_binaries.recipe->manners());
        return {};
    }
    auto made = NetworkLink::make(m_stopped);
    if (!made)
        return fail(std::move(made.error()));
    m_link = std::move(*made);
    ProcessManners manners = m_binaries.recipe->manners();
    manners.network = m_link->space();
    m_process.setManners(std::move(manners));
    return {};
}

Expected<void> ServerInFolder::setLinked(bool linked)
{
    if (linked == m_linked)
        return {};
    // The network of a process is that of its start.
    if (auto stopped = running() ? stop() : Expected<void>(); !stopped)
        return stopped;
    m_linked = linked && m_tcp;
    m_port = 0;
    return {};
}

Expected<void> ServerInFolder::shapeLink(const LinkShape& shape)
{
    if (m_link)
        return m_link->shape(shape);
    if (shape == LinkShape())
        return {};
    return fail({ErrorKind::BadInput, "this server is not reached by a network link", std::string(kPathKey),
                 fmt::format("write managed:{}?transport=tcp", m_binaries.product())});
}

Expected<void> ServerInFolder::launch(const Settings& knobs)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kTries = 5; // of ports
    const auto until = Clock::now() + kPatience;
    for (int attempt = 1;;) {
        if (m_tcp && m_port == 0)
            choosePorts();
        const auto command = writeCommand(knobs);
        if (!command)
            return fail(command.error());
        std::error_code ignored;
        fs::remove(socketFile(), ignored);
        m_logAtStart = logSize();
        // Not where the user is: relative names in settings must not reach there.
        const bool handed = m_binaries.recipe->handsDataOver();
        m_process.workIn(handed ? fs::path("/") : m_folder.path());
        m_process.handOver(handed ? dataFolder() : fs::path());
        if (auto started = m_process.start(*command, logFile(), environment()); !started)
            return started;
        auto up = waitUntilUp();
        if (up)
            return up;
        const std::string log = logSince(m_logAtStart);
        if (m_tcp && attempt < kTries && saysPortTaken(log)) {
            ++attempt;
            m_port = 0;
        } else if (m_binaries.recipe->saysOthersStillEnd(log) && Clock::now() < until && !(m_stopped && m_stopped())) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100)); // nothing tells when they have ended
        } else {
            return up;
        }
        m_process.kill();
    }
}

void ServerInFolder::setKnobs(const Settings& knobs)
{
    m_knobs = knobs;
    if (!m_folder.named())
        return;
    FolderFacts facts = readFolderFacts(m_folder.path());
    if (facts.last == knobs)
        return;
    facts.last = knobs;
    static_cast<void>(writeFolderFacts(m_folder.path(), facts)); // without it a later look only asks more
}

std::string ServerInFolder::endedBy(std::chrono::milliseconds patience)
{
    if (!m_process.waitForEnd(patience))
        return {};
    constexpr int kLines = 5;
    std::string text = m_process.howItEnded();
    std::istringstream log(logTail(kLines)); // on one line: it becomes a run's reason, which stands in tables
    const char* between = "; its log ends with: ";
    for (std::string line; std::getline(log, line); between = " / ") {
        if (!line.empty())
            text += between + line;
    }
    return text;
}

Expected<void> ServerInFolder::waitForStart(const std::function<Expected<bool>()>& look)
{
    using Clock = std::chrono::steady_clock;
    auto until = Clock::now() + kPatience;
    bool givenUp = false;
    const auto gaveUp = [this] {
        Error error = died("the server did not answer, and its start was given up after the stop");
        error.kind = ErrorKind::Interrupted;
        return fail(std::move(error));
    };
    do {
        const auto answers = look();
        if (!answers && answers.error().kind == ErrorKind::Interrupted)
            return gaveUp();
        if (!answers)
            return fail(answers.error());
        if (*answers)
            return {};
        if (m_process.waitForEnd(std::chrono::milliseconds(10)))
            return fail(died(fmt::format("the server ended at its start with {}", m_process.endText())));
        if (!givenUp && m_stopped && m_stopped()) {
            givenUp = true;
            until = std::min(until, Clock::now() + kStopPatience);
        }
    } while (Clock::now() < until);
    if (givenUp)
        return gaveUp();
    return fail(died(fmt::format("the server did not answer within {} s", kPatience.count())));
}

Expected<std::unique_ptr<Admin>> ServerInFolder::control(Driver& driver, const ConnectTarget& target) const
{
    return controlAdmin(driver, target, m_stopped,
                        {.connect = double(kStopPatience.count()), .call = double(kStopPatience.count())});
}

Expected<void> ServerInFolder::stop()
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLook(20);
    if (!running())
        return {};
    m_process.terminate();
    auto until = Clock::now() + kPatience;
    bool givenUp = false;
    do {
        if (m_process.waitForEnd(kLook))
            return {};
        if (!givenUp && m_stopped && m_stopped()) {
            givenUp = true;
            // Data that nobody will read needs no orderly end.
            until = std::min(until, Clock::now() + (m_folder.kept() ? kEndPatience : std::chrono::seconds(0)));
        }
    } while (Clock::now() < until);
    m_process.kill();
    const std::string recovers = m_folder.kept() ? "; it should recover its data at its next start" : "";
    if (!givenUp)
        return fail(
            died(fmt::format("the server did not end within {} s and was killed{}", kPatience.count(), recovers)));
    Error error =
        died(m_folder.kept() ? fmt::format("the server did not shut down within {} s of the stop and was killed{}",
                                           kEndPatience.count(), recovers)
                             : std::string("the server was killed at the stop"));
    error.kind = ErrorKind::Interrupted;
    return fail(std::move(error));
}

Expected<void> ServerInFolder::keepCopy()
{
    if (auto stopped = stop(); !stopped)
        return stopped;
    m_copyOf = 0;
    std::error_code ignored;
    fs::remove_all(copyFolder(), ignored);
    if (auto copied = copyTree(dataFolder(), copyFolder()); !copied) {
        fs::remove_all(copyFolder(), ignored);
        return copied;
    }
    m_copyOf = m_dataFolderNumber;
    return {};
}

Expected<void> ServerInFolder::putBack()
{
    if (m_copyOf == 0 || m_copyOf != m_dataFolderNumber)
        return fail({ErrorKind::Failed, "there is no copy of the data to put back", m_folder.path().string(), {}});
    m_process.kill(); // what it holds is thrown away: it need not write it
    if (m_folder.kept())
        return swapData(m_folder.path(), [this](const fs::path& into) { return copyTree(copyFolder(), into); });
    std::error_code error;
    fs::remove_all(dataFolder(), error); // nobody reads it after us, and a second one may not find room
    return copyTree(copyFolder(), dataFolder());
}

} // namespace dyno
