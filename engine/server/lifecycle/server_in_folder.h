// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What all managed servers have in common: a folder, a process that works in it, its log, copies of its data.
#pragma once

#include "driver/control_calls.h"
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/data_swap.h"
#include "server/lifecycle/managed_server.h"
#include "server/lifecycle/network_link.h"
#include "server/lifecycle/private_folder.h"
#include "server/lifecycle/server_log.h"
#include "server/lifecycle/server_recipe.h"

#include <chrono>
#include <functional>
#include <optional>

namespace dyno {

constexpr const char* kManagedDatabase = "dyno"; //!< the database of a managed server; its tables are named without it

//! What a server is made of before its product matters. Moved into the server.
struct ServerPlace
{
    std::filesystem::path workDir;
    ServerBinaries binaries;
    PrivateFolder folder;
    bool tcp = false;
};

//! A managed server without what its product decides: how it is told its knobs, how it says that it is up. Control
//! thread only.
class ServerInFolder : public ManagedServer
{
public:
    ~ServerInFolder() override; //!< stops it, orderly where its data is kept
    //! Takes over the data of a named server that was there.
    void adopt(const FolderFacts& facts);

    Expected<void> ensure(const Settings& wanted) final;
    void setStopped(std::function<bool()> stopped) override { m_stopped = std::move(stopped); }
    Expected<void> stop() override;
    bool running() override { return m_process.running(); }
    std::string endedBy(std::chrono::milliseconds patience) override;
    std::string logTail(int lines) const override { return tailOf(logFile(), lines); }
    std::uint64_t logSize() const override { return sizeOfLog(logFile()); }
    std::string logSince(std::uint64_t size) const override { return logFrom(logFile(), size); }
    std::string optionFile() const override { return m_optionText; }
    std::filesystem::path folder() const override { return m_folder.path(); }
    const ServerBinaries& binaries() const override { return m_binaries; }
    int process() override { return running() ? int(m_process.pid()) : 0; }
    void setKeepData(bool keep) override { m_folder.setKeep(keep); }
    bool wasThere() const override { return m_wasThere; }
    int dataFolderNumber() const override { return m_dataFolderNumber; }
    Expected<void> keepCopy() override;
    Expected<void> putBack() override;
    Expected<void> setLinked(bool linked) override;
    Expected<void> shapeLink(const LinkShape& shape) override;
    std::string linkDevice() const override { return m_link ? m_link->usersDevice() : std::string(); }
    std::vector<DataPart> dataParts() const override;
    std::vector<DataPart> offPageParts(const std::vector<std::string>& tables) const override;
    Settings connectionDefaults() const override;

protected:
    explicit ServerInFolder(ServerPlace place);
    //! Knobs under the names that this server has.
    [[nodiscard]] virtual Expected<Settings> named(const Settings& wanted) const;
    //! Of `knobs` those that a data folder is made with; other values need another folder.
    [[nodiscard]] virtual Settings initialisationKnobs(const Settings& knobs) const;
    //! Value of such a knob where the data was made without it.
    [[nodiscard]] virtual std::string defaultOf(const std::string& knob) const;
    //! A fresh data folder in `folder`, which is not there yet.
    [[nodiscard]] virtual Expected<void> fillDataFolder(const std::filesystem::path& folder,
                                                        const Settings& initialisation) = 0;
    //! Writes down what the server is told; the command that starts it. The first call finds the faults of knobs,
    //! before anything else is made.
    [[nodiscard]] virtual Expected<std::vector<std::string>> writeCommand(const Settings& knobs) = 0;
    //! What lies beside the data before a start: keys, certificates.
    [[nodiscard]] virtual Expected<void> fillFolder(const Settings& knobs) = 0;
    //! launch(), with accounts and databases before and after it; ends with a server that has these knobs.
    [[nodiscard]] virtual Expected<void> bringUp(const Settings& knobs) = 0;
    //! The process was started: waits until it answers, see waitForStart().
    [[nodiscard]] virtual Expected<void> waitUntilUp() = 0;
    [[nodiscard]] virtual Expected<std::unique_ptr<Admin>> connect() const = 0;
    //! Whether it could take another value of some variable while it runs. Default: yes.
    [[nodiscard]] virtual bool takesKnobs() const { return true; }
    //! Whether this value must be set; nothing when it cannot be while the server runs.
    [[nodiscard]] virtual std::optional<bool> mustSet(Admin& admin, const std::string& name,
                                                      const Value& value) const = 0;
    virtual void choosePorts();
    [[nodiscard]] virtual std::vector<std::string> environment() const { return m_binaries.environment(); }
    [[nodiscard]] virtual std::filesystem::path socketFile() const { return m_folder.socket(); }

    //! Starts the process; again when processes of a killed one held its place, for up to kPatience, and with other
    //! ports when the last ones were taken meanwhile.
    [[nodiscard]] Expected<void> launch(const Settings& knobs);
    //! Waits for a start: `look` says whether the server answers, or what went wrong, and may pause for some
    //! milliseconds. An error with the end of the server's log when it ends or does not answer in time.
    [[nodiscard]] Expected<void> waitForStart(const std::function<Expected<bool>()>& look);
    //! A control connection to it, which is given up likewise when the server freezes and somebody wants to stop.
    [[nodiscard]] Expected<std::unique_ptr<Admin>> control(Driver& driver, const ConnectTarget& target) const;
    //! Where it listens with m_tcp: 127.0.0.1, or its end of the network link once launch() has made that.
    [[nodiscard]] std::string tcpHost() const { return m_link ? m_link->serverAddress() : "127.0.0.1"; }
    //! Where its users come from with m_tcp, likewise.
    [[nodiscard]] std::string usersHost() const { return m_link ? m_link->usersAddress() : "127.0.0.1"; }
    [[nodiscard]] Error died(const std::string& what) const;
    [[nodiscard]] std::filesystem::path logFile() const { return m_folder.path() / "error.log"; }
    [[nodiscard]] std::filesystem::path dataFolder() const { return m_folder.path() / kDataFolder; }
    [[nodiscard]] std::filesystem::path tmpFolder() const { return m_folder.path() / "tmp"; }

    static constexpr std::chrono::seconds kPatience{120};   //!< for a start that recovers, for a stop that writes
    static constexpr std::chrono::seconds kStopPatience{3}; //!< for a start, once somebody wants to stop
    static constexpr std::chrono::seconds kEndPatience{5};  //!< for its end then, where its data is kept

    std::filesystem::path m_workDir;
    ServerBinaries m_binaries;
    PrivateFolder m_folder;              //!< outlives m_process, which works in it
    std::unique_ptr<NetworkLink> m_link; //!< likewise
    ChildProcess m_process;
    bool m_tcp = false;
    int m_port = 0; //!< of the last start, which the next one tries again
    std::uint64_t m_logAtStart = 0;
    std::string m_optionText;
    std::function<bool()> m_stopped;

private:
    //! `knobs` with what the data of a named server was made with; refused when the plan says something else.
    [[nodiscard]] Expected<Settings> withMadeKnobs(Settings knobs) const;
    //! Makes the data folder unless there is one that was made with these knobs.
    [[nodiscard]] Expected<void> makeDataFolder(const Settings& initialisation);
    [[nodiscard]] Expected<void> start(const Settings& knobs);
    [[nodiscard]] Expected<void> makeLink();
    [[nodiscard]] bool changeWhileRunning(const Settings& knobs);
    //! The knobs that are in force now. A named server's folder keeps them, so that a later look starts it as it was.
    void setKnobs(const Settings& knobs);
    [[nodiscard]] std::filesystem::path copyFolder() const { return m_folder.path() / "copy"; }

    Settings m_knobs;          //!< in force while it runs
    Settings m_initialisation; //!< what the data folder was made with
    bool m_linked = false;
    bool m_hasData = false;
    bool m_wasThere = false;
    int m_dataFolderNumber = 0;
    int m_copyOf = 0; //!< number of the data folder that the copy is of, 0 = none
};

//! Writes a file of a server's folder.
[[nodiscard]] Expected<void> writeText(const std::filesystem::path& file, const std::string& text);

constexpr const char* kNoFolder = "/managed"; //!< stands in option files that are written to see whether they can be

} // namespace dyno
