// SPDX-License-Identifier: GPL-3.0-or-later
// The probe of a disk by fio, one job after the other: each is told what to do by arguments, and answers in JSON.
#include <dyno/device_probe.h>

#include "server/lifecycle/child_process.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;
using FioJson = nlohmann::json;

//! Of the system's path alone.
fs::path fioProgram()
{
    const char* path = std::getenv("PATH");
    std::string_view left = path ? path : "";
    while (!left.empty()) {
        const std::size_t end = std::min(left.find(':'), left.size());
        const fs::path program = fs::path(left.substr(0, end)) / "fio";
        if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0)
            return program;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return {};
}

//! A folder of nobody else's below that of the request, which goes with what fio leaves in it.
class FioFolder
{
public:
    explicit FioFolder(const std::string& parent)
    {
        std::string name = parent + "/.dynobench-fio-XXXXXX";
        if (const char* made = ::mkdtemp(name.data()))
            m_path = made;
    }
    ~FioFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
    }
    FioFolder(const FioFolder&) = delete;
    FioFolder& operator=(const FioFolder&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

//! Nanoseconds at a place of an object, as milliseconds; 0 where there is no such number.
double fioMs(const FioJson& json, const char* name)
{
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (!json.is_object() || found == json.end() || !found->is_number())
        return 0;
    const double ns = found->get<double>();
    return std::isfinite(ns) && ns > 0 ? ns * 1e-6 : 0;
}

const FioJson& fioPart(const FioJson& json, const char* name)
{
    static const FioJson none = FioJson::object();
    const auto found = json.is_object() ? json.find(name) : json.end();
    return json.is_object() && found != json.end() && found->is_object() ? *found : none;
}

LatencySummary fioTimes(const FioJson& json)
{
    const FioJson& percentiles = fioPart(json, "percentile");
    LatencySummary times;
    times.meanMs = fioMs(json, "mean");
    times.p50Ms = fioMs(percentiles, "50.000000");
    times.p99Ms = fioMs(percentiles, "99.000000");
    times.maxMs = fioMs(json, "max");
    return times;
}

//! Bytes a second that the job wrote.
double fioBytesPerSecond(std::string_view text)
{
    const FioJson json = FioJson::parse(text, nullptr, false);
    const auto jobs = json.is_object() ? json.find("jobs") : json.end();
    if (!json.is_object() || jobs == json.end() || !jobs->is_array() || jobs->empty())
        return 0;
    const FioJson& writes = fioPart(jobs->front(), "write");
    const auto bytes = writes.find("bw_bytes");
    return bytes != writes.end() && bytes->is_number() ? std::max(0.0, bytes->get<double>()) : 0;
}

//! fio takes ':' for the end of a file's name.
std::string fioName(const fs::path& file)
{
    std::string name;
    for (const char c : file.string()) {
        if (c == ':' || c == '\\')
            name += '\\';
        name += c;
    }
    return name;
}

class FioProbe
{
public:
    FioProbe(const DeviceProbeRequest& request, const std::function<bool()>& stopped,
             const std::function<void(const std::string&)>& tell, fs::path program, const fs::path& folder)
        : m_request(request)
        , m_stopped(stopped)
        , m_tell(tell)
        , m_program(std::move(program))
        , m_folder(folder)
    {
    }

    //! `like`: the folder's facts, as our own probe has them.
    Expected<DeviceFigures> measure(DeviceFigures like)
    {
        m_direct = like.direct;
        const auto version = runCommand({m_program.string(), "--version"}, std::chrono::seconds(10));
        if (!version)
            return fail(version.error());
        like.tool = version->substr(0, version->find('\n'));
        const std::string block = fmt::format("{}", m_request.blockBytes);
        const auto written = job("writing the file", {"--rw=write", "--bs=1M", "--end_fsync=1"}, 0);
        if (!written)
            return fail(written.error());
        like.bytesPerSecond = fioBytesPerSecond(*written);
        constexpr std::uint64_t kFioLogBytes = 64ULL << 20;
        struct Part
        {
            const char* what;
            std::vector<std::string> how;
            DeviceWork* work;
            bool reads;
        };
        const std::vector<Part> parts{
            {"reading, one block at a time", {"--rw=randread", "--bs=" + block}, &like.read, true},
            {"reading, several blocks at once",
             {"--rw=randread", "--bs=" + block, "--thread", fmt::format("--numjobs={}", m_request.readers),
              "--group_reporting"},
             &like.reads,
             true},
            {"writing with a sync each",
             {"--rw=write", "--bs=4k", "--fdatasync=1", "--overwrite=1",
              fmt::format("--size={}", std::min(kFioLogBytes, m_request.fileBytes))},
             &like.sync,
             false}};
        for (const Part& part : parts) {
            const auto json = job(part.what, part.how, m_request.seconds);
            if (!json)
                return fail(json.error());
            const auto work = workOfFio(*json, part.reads);
            if (!work)
                return fail(work.error());
            *part.work = *work;
        }
        return like;
    }

private:
    //! `seconds`: 0 = until the file is full.
    Expected<std::string> job(const char* what, const std::vector<std::string>& how, double seconds)
    {
        if (m_tell)
            m_tell(what);
        const fs::path output = m_folder / "output.json";
        std::vector<std::string> command{m_program.string(),
                                         "--name=probe",
                                         "--ioengine=psync",
                                         "--filename=" + fioName(m_folder / "data"),
                                         fmt::format("--size={}", m_request.fileBytes),
                                         fmt::format("--direct={}", m_direct ? 1 : 0),
                                         "--randrepeat=1",
                                         "--refill_buffers",
                                         "--output-format=json",
                                         "--output=" + output.string()};
        if (seconds > 0) {
            command.emplace_back("--time_based");
            command.push_back(fmt::format("--runtime={}ms", std::llround(seconds * 1e3)));
        }
        command.insert(command.end(), how.begin(), how.end());
        constexpr std::chrono::seconds kPatience{3600};
        if (auto ran = runCommand(command, kPatience, {}, Bond::DiesWithUs, Inherit::Needed, m_stopped); !ran)
            return ran;
        std::ifstream in(output);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }

    const DeviceProbeRequest& m_request;
    const std::function<bool()>& m_stopped;
    const std::function<void(const std::string&)>& m_tell;
    fs::path m_program, m_folder;
    bool m_direct = true;
};

} // namespace

Expected<DeviceWork> workOfFio(std::string_view text, bool reads)
{
    const auto wrong = [](std::string what) {
        return fail({ErrorKind::Failed, std::move(what), "fio", "measure without it"});
    };
    const FioJson json = FioJson::parse(text, nullptr, false);
    const auto jobs = json.is_object() ? json.find("jobs") : json.end();
    if (!json.is_object() || jobs == json.end() || !jobs->is_array() || jobs->size() != 1)
        return wrong("what it printed is no result of one job");
    const FioJson& job = jobs->front();
    if (const auto error = job.is_object() ? job.find("error") : job.end();
        job.is_object() && error != job.end() && error->is_number() && error->get<double>() != 0)
        return wrong(fmt::format("its job failed with the error {}", error->get<double>()));
    const FioJson& side = fioPart(job, reads ? "read" : "write");
    const auto rate = side.find("iops");
    if (rate == side.end() || !rate->is_number() || !(rate->get<double>() > 0))
        return wrong("its job did nothing");
    DeviceWork work;
    work.perSecond = rate->get<double>();
    work.times = fioTimes(fioPart(side, "clat_ns"));
    if (!reads) { // its latency ends before the sync
        const LatencySummary sync = fioTimes(fioPart(fioPart(job, "sync"), "lat_ns"));
        work.times.meanMs += sync.meanMs;
        work.times.p50Ms = sync.p50Ms;
        work.times.p99Ms = sync.p99Ms;
        work.times.maxMs = sync.maxMs;
    }
    return work;
}

Expected<DeviceFigures> probeDeviceWithFio(const DeviceProbeRequest& request, const std::function<bool()>& stopped,
                                           const std::function<void(const std::string&)>& tell)
{
    const fs::path program = fioProgram();
    if (program.empty())
        return fail(
            {ErrorKind::BadInput, "fio is not installed", "fio", "install the package fio, or measure without it"});
    // Ours says what is wrong with the request, what the folder lies on, and whether it can be read past the cache.
    constexpr std::uint64_t kFewBlocks = 64;
    DeviceProbeRequest look = request;
    look.seconds = std::min(request.seconds, 0.001);
    const auto like = probeDevice(
        [&look, &request] {
            if (request.blockBytes > 0 && request.fileBytes >= kFewBlocks * request.blockBytes)
                look.fileBytes = kFewBlocks * request.blockBytes;
            return look;
        }(),
        stopped);
    if (!like)
        return like;
    std::error_code unknown;
    if (const auto space = fs::space(request.folder, unknown); !unknown && space.available < 2 * request.fileBytes)
        return fail({ErrorKind::BadInput,
                     fmt::format("{} MiB are free there, and twice the file's {} MiB are wanted", space.available >> 20,
                                 request.fileBytes >> 20),
                     request.folder, "free some space, or ask for a smaller file"});
    const FioFolder folder(request.folder);
    if (folder.path().empty())
        return fail({ErrorKind::Failed, "cannot create a folder there", request.folder, "choose another folder"});
    DeviceFigures figures = *like;
    figures.fileBytes = request.fileBytes;
    return FioProbe(request, stopped, tell, program, folder.path()).measure(std::move(figures));
}

} // namespace dyno
