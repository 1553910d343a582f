// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Options of mongod's configuration file that are knobs, by the knob's name. getCmdLineOpts tells them under their
//! paths. Source: "Configuration File Options" of MongoDB's manual.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace dyno {

struct MongodOption
{
    std::string_view knob, path;
};

constexpr std::array kMongodOptions = {
    MongodOption{"cacheSizeGB", "storage.wiredTiger.engineConfig.cacheSizeGB"},
    MongodOption{"journalCompressor", "storage.wiredTiger.engineConfig.journalCompressor"},
    MongodOption{"directoryForIndexes", "storage.wiredTiger.engineConfig.directoryForIndexes"},
    MongodOption{"zstdCompressionLevel", "storage.wiredTiger.engineConfig.zstdCompressionLevel"},
    MongodOption{"blockCompressor", "storage.wiredTiger.collectionConfig.blockCompressor"},
    MongodOption{"prefixCompression", "storage.wiredTiger.indexConfig.prefixCompression"},
    MongodOption{"storageEngine", "storage.engine"},
    MongodOption{"directoryPerDB", "storage.directoryPerDB"},
    MongodOption{"journal", "storage.journal.enabled"},
    MongodOption{"journalCommitInterval", "storage.journal.commitIntervalMs"},
    MongodOption{"syncPeriodSecs", "storage.syncPeriodSecs"},
    MongodOption{"replSetName", "replication.replSetName"},
    MongodOption{"oplogSizeMB", "replication.oplogSizeMB"},
    MongodOption{"maxIncomingConnections", "net.maxIncomingConnections"},
    MongodOption{"networkMessageCompressors", "net.compression.compressors"},
    MongodOption{"profilingMode", "operationProfiling.mode"},
    MongodOption{"slowOpThresholdMs", "operationProfiling.slowOpThresholdMs"},
    MongodOption{"enableEncryption", "security.enableEncryption"},
};

//! nullptr when it is a server parameter, or no knob at all.
[[nodiscard]] constexpr const MongodOption* findMongodOption(std::string_view knob)
{
    const auto* found = std::find_if(kMongodOptions.begin(), kMongodOptions.end(),
                                     [knob](const MongodOption& one) { return one.knob == knob; });
    return found == kMongodOptions.end() ? nullptr : found;
}

} // namespace dyno
