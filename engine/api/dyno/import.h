// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Results of other tools become sessions beside our own. What a file does not tell stays absent; service and response
//! time are never mixed, percentiles never averaged; lines that were not understood are counted and told; the original
//! is kept inside the session. Functions may be called from any thread; they read and write files, so not from one that
//! must not wait.
#pragma once

#include "library.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! One kind of file that can be read.
struct ImportFormat
{
    std::string id;      //!< "sysbench", as for `--format`
    std::string label;   //!< "sysbench log"
    std::string what;    //!< what such a file is, and how the tool writes it
    bool mapped = false; //!< needs to be told which column is what: ImportOptions::map
};
[[nodiscard]] const std::vector<ImportFormat>& importFormats();
[[nodiscard]] const ImportFormat* findImportFormat(std::string_view id);

struct DetectedFormat
{
    std::string id;
    std::string reason; //!< what in the file says so: "line 1 is sysbench's banner"
};
//! Looks at the file's content. The error says what to do when no format fits.
[[nodiscard]] Expected<DetectedFormat> detectImportFormat(const std::filesystem::path& file);

//! A field of ImportOptions::map: a column ("p95") or how the columns are to be read ("latency_unit").
struct ImportRole
{
    std::string id;
    std::string label;
    std::string help;
    bool column = true;               //!< its value is a column: its heading, or its number from 1
    std::vector<std::string> choices; //!< of those that are no column
};
[[nodiscard]] const std::vector<ImportRole>& importRoles();
//! Role → column or choice.
using ImportMap = std::map<std::string, std::string, std::less<>>;
//! Sets one field from "role=value"; the error names the roles.
[[nodiscard]] Expected<void> setImportField(ImportMap& map, std::string_view assignment);
//! Reads a TOML file of the same fields: `time = "elapsed"`, `p95 = 7`.
[[nodiscard]] Expected<ImportMap> readImportMap(const std::filesystem::path& file);

struct ImportOptions
{
    std::string format; //!< an id of importFormats(); "" = detect
    std::string title;  //!< of the session; "" = from the file
    int users = 0;      //!< where the file does not tell; 0 = not known
    ImportMap map;      //!< for formats that are mapped
};

struct ImportProgress
{
    std::uint64_t done = 0, total = 0; //!< bytes of all files
};
//! Called now and then from the calling thread; false cancels, and nothing is changed.
using ImportCallback = std::function<bool(const ImportProgress&)>;

//! A figure that the file tells and that no measure of ours stands for (fairness, tpmC).
struct ImportFigure
{
    std::string name, value, unit;
    bool operator==(const ImportFigure&) const = default;
};

struct UnknownLine
{
    std::string file;
    std::int64_t line = 0; //!< from 1
    std::string text;      //!< its beginning
    bool operator==(const UnknownLine&) const = default;
};

//! Where the figures of an imported session come from; kept inside it.
struct ImportOrigin
{
    std::string format, reason; //!< and why that format
    std::string tool, version;  //!< "sysbench", "1.0.20"; version "" when it is not told
    std::vector<std::string> files;
    std::string sample;    //!< what one latency sample is: "event", "call", "transaction"; "" = not told
    std::string latency;   //!< "service", "response" or "not told"
    std::string precision; //!< of latencies: "±0.9 % (1024 logarithmic buckets)"; "" = not told
    std::string warmup;    //!< "included", "left out" or "not told"
    std::uint64_t lines = 0, unknownLines = 0;
    std::vector<UnknownLine> unknown; //!< the first of them
    std::vector<std::string> notes;   //!< what a person has to know of the figures
    [[nodiscard]] std::string software() const { return version.empty() ? tool : tool + " " + version; }
};

//! One run, as far as it was understood.
struct ImportedRun
{
    std::string label;
    int users = 0;                   //!< 0 = not told
    std::size_t intervals = 0;       //!< as they are kept
    std::uint32_t folded = 1;        //!< so many intervals of the file make one of those
    RunSummary summary;              //!< `told` says which of its figures are known
    std::vector<std::string> series; //!< what is stated interval by interval: "latency p95 (ms)"
    std::vector<ImportFigure> figures;
};

struct ImportPreview
{
    ImportOrigin origin;
    std::string title;
    std::vector<ImportedRun> runs;
    std::vector<std::string> columns;           //!< of a mapped format: headings, or "1", "2", …
    std::vector<std::vector<std::string>> head; //!< of a mapped format: its first rows
    ImportMap map;                              //!< of a mapped format: as given, with what the headings say
};

//! Reads the files without changing anything. They become one session.
[[nodiscard]] Expected<ImportPreview> previewImport(const std::vector<std::filesystem::path>& files,
                                                    const ImportOptions& options, const ImportCallback& progress = {});

struct ImportResult
{
    std::string session; //!< its id
    ImportPreview preview;
};
//! Reads the files and adds one session to the library, in one transaction. Files of other tools only: for `.dyno`
//! files see Library::importFile().
[[nodiscard]] Expected<ImportResult> importResults(const std::filesystem::path& library,
                                                   const std::vector<std::filesystem::path>& files,
                                                   const ImportOptions& options, const ImportCallback& progress = {});

} // namespace dyno
