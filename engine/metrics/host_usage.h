// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a machine does while a run lasts: cores, memory, disks, network.
#pragma once

#include "metrics/host_place.h"

#include <dyno/samples.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Names of series of a network link, as its users see it: bytes with the headers of their packets,
//! Ethernet's too.
inline constexpr const char *kLinkReceived = "link received", *kLinkSent = "link sent";

//! From /proc: stat, meminfo, vmstat, diskstats, net/dev, net/snmp and pressure (PSI; Linux 4.20 or newer).
//! Disks are those that the machine has when the object is made, at most kDisks, the busiest since its start; latency
//! is that of the requests that ended in the interval, as iostat's r_await and w_await (Documentation/admin-guide/
//! iostats.rst). What the kernel does not tell has no series. Of this machine also the clock and temperature of its
//! processors (of four cores, and of whole processors, at most once a second, and only where reading them is quick) and
//! the use of limits of the nearest control group above this process that has any, in which the servers that it starts
//! are too. One thread at a time; a call reads nine files, two of the group, and at most eight of processors.
class HostUsage
{
public:
    static constexpr std::size_t kDisks = 8;

    //! The network link by which users reach the server, if they do: its device here, and its rate (0: no limit).
    struct Link
    {
        std::string device = {};
        double bitsPerSecond = 0;
    };
    //! `root`: where proc and sys are found, for tests.
    explicit HostUsage(std::string root = "");
    HostUsage(std::string root, Link link);
    //! Of another machine: its place holds an answer, and has a newer one at each take().
    HostUsage(std::shared_ptr<HostPlace> place, std::string source);
    HostUsage(std::shared_ptr<HostPlace> place, std::string source, Link link);
    //! The figures of each disk, behind its name.
    [[nodiscard]] static std::span<const std::string_view> diskFigures();
    //! What take() gives a value for, in its order.
    [[nodiscard]] const std::vector<CounterInfo>& series() const { return m_infos; }
    //! Since the last call, or since construction; not a number where a count is missing or went down.
    [[nodiscard]] std::vector<double> take();
    //! A count of /proc/vmstat at the last take(), of those that HostEvents watches; not a number where unknown.
    [[nodiscard]] double latest(std::string_view count) const;
    //! The next take() knows levels only: nothing is said of the time since the last one.
    void forget();

private:
    enum class Kind : std::uint8_t {
        Level,
        Rate, //!< increase a second
        Mean, //!< increase of one count for each of another
        Most, //!< the larger increase a second of two
    };
    struct Series
    {
        Kind kind = Kind::Level;
        std::size_t count = 0, per = 0; //!< indexes into what read() gives
        double scale = 1;
    };

    [[nodiscard]] std::size_t slot(std::string key);
    void add(Kind kind, std::string name, const char* unit, std::string key, double scale = 1, std::string per = {});
    void addDisks();
    void findInterfaces();
    //! One value for each slot.
    [[nodiscard]] std::vector<double> read();
    void set(std::vector<double>& values, std::string_view key, double value) const;
    [[nodiscard]] std::string_view text(std::string_view file) { return m_place->text(file); }
    void readProcessors(std::vector<double>& values);
    void readNamed(std::vector<double>& values, const char* file);
    void readDisks(std::vector<double>& values);
    void readNetwork(std::vector<double>& values);
    void readPressure(std::vector<double>& values);
    // Of this machine alone:
    [[nodiscard]] std::string limitedGroup(std::string_view controller, std::initializer_list<const char*> limits);
    void addGroup();
    void readGroup(std::vector<double>& values);
    void addProcessors();
    void findSensors();
    void readProcessorState(std::vector<double>& values);

    std::shared_ptr<HostPlace> m_place;
    std::string m_source;
    Link m_link;
    std::vector<std::string> m_disks, m_interfaces, m_keys; //!< m_keys: names of the slots
    std::string m_groupStat, m_groupMemory;                 //!< files of the control group; "" where none is told
    std::vector<std::string> m_clocks, m_heats;             //!< files
    std::optional<std::int64_t> m_stateNs;                  //!< when they were read
    double m_meanClock = 0, m_slowestClock = 0, m_heat = 0; //!< then
    std::vector<CounterInfo> m_infos;
    std::vector<Series> m_series; //!< of m_infos
    std::vector<double> m_last;
    std::int64_t m_takenNs = 0;
};

} // namespace dyno
