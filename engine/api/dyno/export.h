// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sessions as files for others: posts, a page of its own, histogram logs, tidy tables. The same session gives the same
//! bytes. Pure functions but for those that take a Library or a path; any thread.
#pragma once

#include "analysis.h"
#include "report.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What a figure needs beside it to be believed: products and versions, what differs, the load generator's hardware,
//! repeats and what the interval is: of `charts`, where they are given, as spreadText() has it. One line for each,
//! without markup.
[[nodiscard]] std::vector<std::string> captionLines(const std::vector<StoredSession>& sessions,
                                                    const std::vector<Pivot>& charts = {});
//! The lines, joined with " · ".
[[nodiscard]] std::string captionOf(const std::vector<StoredSession>& sessions, const std::vector<Pivot>& charts = {});

//! What stands above and below an exported picture; none of it says again what the chart itself says.
struct PictureText
{
    std::string title;   //!< of the sessions
    std::string facts;   //!< the workload and its size: "oltp_update_index, tables = 4, 0.9 GiB of data"
    std::string caption; //!< as captionOf(), without the intervals and the numbers of users
};
//! `charts`: what the picture draws, where that is a pivot.
[[nodiscard]] PictureText pictureText(const std::vector<StoredSession>& sessions,
                                      const std::vector<Pivot>& charts = {});

//! A field of a CSV table as RFC 4180 has it. Text that a spreadsheet would run as a formula gets an apostrophe before
//! it: labels, titles and errors may be a stranger's. Numbers do not, whatever their sign.
[[nodiscard]] std::string csvField(std::string_view field);

//! A place of a picture that tells what it shows, in points from its upper left corner.
struct PictureSpot
{
    double x = 0, y = 0, width = 0, height = 0;
    std::string text; //!< "flush=0, 16: 12 713 transactions/s"; without markup
};

//! A chart that goes into a post.
struct ReportPicture
{
    std::string title;
    std::string file;                    //!< as the Markdown names it: "pictures/throughput.svg"
    std::string mediaType;               //!< "image/svg+xml", "image/png"
    std::string bytes;                   //!< what the page of its own carries inside
    double width = 0, height = 0;        //!< in points, where there are `spots`
    std::vector<PictureSpot> spots = {}; //!< shown under the mouse in a page of its own
};

//! A skeleton of a post: question, answer, pictures, a table for each of the plan's views (or for `request` when there
//! is none), set-up, what differs, and notes on honesty; with Appendix::Yes the settings as read back, the plan and the
//! option files too. Views of what only intervals tell (an exit rate, a counter) have tables where `figures` gives
//! them; what happens within a run (stalls and dips of views over time, the spread that a view asks for) stands there
//! where `courses` tells it.
enum class Appendix { No, Yes };
[[nodiscard]] std::string markdownPost(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                                       const std::vector<ReportPicture>& pictures = {}, const RunFigures& figures = {},
                                       const CoursesOf& courses = {}, Appendix appendix = Appendix::No);
//! The same as one HTML file: pictures inside, no script, nothing fetched from elsewhere, every text escaped.
[[nodiscard]] std::string htmlPost(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                                   const std::vector<ReportPicture>& pictures = {}, const RunFigures& figures = {},
                                   const CoursesOf& courses = {}, Appendix appendix = Appendix::No);
//! What Appendix::Yes adds, as Markdown; "" when there is nothing.
[[nodiscard]] std::string appendixOf(const std::vector<StoredSession>& sessions);
//! Markdown of the kinds that our reports and a person's notes use (headings, paragraphs, lists, tables, code,
//! emphasis, links to http, https and mailto) as HTML; all else stands as text. `pictures` are those that it names.
[[nodiscard]] std::string htmlOfMarkdown(std::string_view markdown, const std::vector<ReportPicture>& pictures = {});

//! The manual's page of the published experiments (ExperimentInfo), in Markdown: of each the recipes and how they
//! depart from the post, or why there is none. resources/manual/experiments.md is its output.
[[nodiscard]] std::string experimentsMarkdown();

//! One line a figure of a run: session, run, point, axes, repeat, status, operation, measure, unit, value.
[[nodiscard]] std::string runsLongCsv(const StoredSession& session);

//! From the actual start of an operation, or from its intended start.
enum class LatencyKind { Service, Response };
//! The measured intervals of a run as a log of HdrHistogram V2 (hdrhistogram.org), in nanoseconds with two significant
//! digits: a line an interval for transactions, and one with a tag for each operation kind. A bucket stands at its
//! middle, one of its values at the exact maximum.
[[nodiscard]] std::string hdrLog(const StoredSession& session, const StoredRun& run,
                                 const std::vector<IntervalSample>& intervals, LatencyKind kind);
//! Writes run-N-service.hlog and, where response times differ, run-N-response.hlog into `dir`; returns the files.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> exportHdr(Library& library, const StoredSession& session,
                                                                     const std::filesystem::path& dir);

//! Writes a file completely or not at all; an older one stays whole when that fails. What is no ordinary file (a pipe,
//! a terminal) is written to as it is.
[[nodiscard]] Expected<void> writeTextFile(const std::filesystem::path& file, std::string_view text);

} // namespace dyno
