// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dynobench`: the window, and what it can do without a display.
#include "bridge/app_context.h"
#include "desktop/language.h"
#include "desktop/pseudo_language.h"
#include "gui/outcome.h"
#include "gui/pictures.h"
#include "gui/quickstart.h"
#include "gui/tour.h"
#include "main_window.h"
#include "theme.h"

#include <dyno/catalog.h>

#include <CLI/CLI.hpp>

#include <QApplication>

#include <csignal>
#include <cstdio>
#include <exception>

namespace {

using namespace dyno;
using namespace dyno::gui;

struct Arguments
{
    std::string file, library, session, out, png, svg, pdf, theme = "light", size, sample, recipe = "durability-sqlite",
                                                            recipeSize, tourTheme, tourScale;
    double scale = 2;
    bool pseudo = false, transparent = false, noHead = false, noCaption = false;
    ExportRequest files;
};

bool haveDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

//! Names and fonts, colours, translations: the same for the window and the pictures.
void dress(QApplication& app, bool pseudo)
{
    QApplication::setOrganizationName(QStringLiteral("dynobench"));
    QApplication::setApplicationName(QStringLiteral("dynobench"));
    QApplication::setApplicationDisplayName(QStringLiteral("Dynobench"));
    QApplication::setApplicationVersion(QString::fromLatin1(softwareVersion()));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.dynobench.Dynobench"));
    Theme::instance().apply(app);
    if (pseudo)
        applyLanguage(app, QString::fromLatin1(kPseudoLanguage));
    else
        applyLanguage(app);
}

//! "1440x900"; an empty text keeps `fallback`, anything else is a fault.
bool readSize(const std::string& text, QSize& size)
{
    if (text.empty())
        return true;
    const QStringList parts = QString::fromStdString(text).split(QLatin1Char('x'));
    bool wide = false, high = false;
    const QSize read(parts.value(0).toInt(&wide), parts.value(1).toInt(&high));
    if (parts.size() != 2 || !wide || !high || read.width() < 100 || read.height() < 100 || read.width() > 20000 ||
        read.height() > 20000) {
        say("dynobench: --size is written WIDTHxHEIGHT in pixels, as in 1440x900");
        return false;
    }
    size = read;
    return true;
}

int exportCommand(const Arguments& arguments, const std::filesystem::path& library)
{
    PictureRequest request;
    request.pngDir = QString::fromStdString(arguments.png);
    request.svgDir = QString::fromStdString(arguments.svg);
    request.pdfFile = QString::fromStdString(arguments.pdf);
    request.files = arguments.files;
    request.options.head = !arguments.noHead;
    request.options.caption = !arguments.noCaption;
    request.options.transparent = arguments.transparent;
    if (request.empty()) {
        say("dynobench: nothing to write (give --png DIR, --svg DIR, --pdf FILE, --html FILE, --markdown FILE, --csv "
            "DIR,"
            " --hdr DIR, --json FILE or --out FILE.dyno)");
        return kBadInput;
    }
    if (!readSize(arguments.size, request.options.size))
        return kBadInput;
    request.options.scale = arguments.scale;
    request.options.theme = arguments.theme == "dark"    ? ThemeMode::Dark
                            : arguments.theme == "print" ? ThemeMode::Print
                                                         : ThemeMode::Light;
    return runExport(arguments.session, library, request);
}

int tourCommand(const Arguments& arguments)
{
    TourRequest request;
    request.out = QString::fromStdString(arguments.out);
    request.sample = QString::fromStdString(arguments.sample);
    if (!arguments.tourTheme.empty())
        request.themes = {arguments.tourTheme == "dark" ? Theme::Choice::Dark : Theme::Choice::Light};
    return readSize(arguments.size, request.size) ? runTour(request) : int(kBadInput);
}

int quickstartCommand(const Arguments& arguments, const std::filesystem::path& library)
{
    QuickstartRequest request;
    request.out = QString::fromStdString(arguments.out);
    request.library = library;
    request.recipe = arguments.recipe;
    request.size = arguments.recipeSize;
    return runQuickstart(request);
}

int windowCommand(const Arguments& arguments, const std::filesystem::path& library)
{
    AppContext context(library);
    MainWindow window(context);
    window.show();
    if (!arguments.file.empty())
        window.openFile(QString::fromStdString(arguments.file));
    return QApplication::exec();
}

int runProgram(int argc, char** argv)
{
    Arguments arguments;
    CLI::App cli{"Workbench for database benchmarks.", "dynobench"};
    cli.set_version_flag("--version", std::string("dynobench ") + softwareVersion());
    cli.add_option("file", arguments.file,
                   "a session (.dyno), a plan (.toml) or a script (.workload, .sql, .lua) to open");
    cli.add_option("--library", arguments.library, "library of sessions")->type_name("FILE");
    cli.add_flag("--pseudo", arguments.pseudo, "texts 40 % longer, with accents: what is cut in other languages?");
    cli.fallthrough();
    auto* pictures = cli.add_subcommand("export", "write the charts of a session, without a display");
    pictures->add_option("session", arguments.session, "id, a prefix of it, \"last\", or a .dyno file")->required();
    pictures->add_option("--png", arguments.png, "folder for PNG pictures")->type_name("DIR");
    pictures->add_option("--svg", arguments.svg, "folder for SVG pictures")->type_name("DIR");
    pictures->add_option("--pdf", arguments.pdf, "PDF with all charts")->type_name("FILE");
    pictures->add_option("--theme", arguments.theme, "colours")->check(CLI::IsMember({"light", "dark", "print"}));
    pictures->add_option("--size", arguments.size, "size in points, 1200x675")->type_name("WxH");
    pictures->add_option("--scale", arguments.scale, "PNG: pixels per point")->check(CLI::Range(0.5, 8.0));
    pictures->add_flag("--transparent", arguments.transparent, "PNG and SVG without a background");
    pictures->add_flag("--no-head", arguments.noHead, "without title, verdict and workload above");
    pictures->add_flag("--no-caption", arguments.noCaption, "without versions, hardware and repeats below");
    pictures->add_option("--html", arguments.files.html, "a post as one file, with the charts inside")
        ->type_name("FILE");
    pictures->add_option("--markdown", arguments.files.markdown, "a post, with the charts in a folder beside it")
        ->type_name("FILE");
    pictures->add_option("--csv", arguments.files.csv, "folder for runs.csv, runs-long.csv and the intervals")
        ->type_name("DIR");
    pictures->add_option("--hdr", arguments.files.hdr, "folder for HdrHistogram logs")->type_name("DIR");
    pictures->add_option("--json", arguments.files.json, "the document of `dyno run --json`")->type_name("FILE");
    pictures->add_option("--out", arguments.files.out, "the whole session as a .dyno file")->type_name("FILE");
    pictures->add_flag_callback(
        "--appendix", [&arguments] { arguments.files.appendix = Appendix::Yes; },
        "posts with the settings as read back, the plan and the option files");
    pictures->add_flag("--anonymous", arguments.files.anonymous, "without names of hosts and users and addresses");
    auto* tour = cli.add_subcommand("tour", "write pictures of every page from the sample session");
    tour->add_option("--out", arguments.out, "folder")->required()->type_name("DIR");
    tour->add_option("--size", arguments.size, "size of the window, 1440x900")->type_name("WxH");
    tour->add_option("--scale", arguments.tourScale, "pixels per point, as on a screen of that scale")
        ->check(CLI::IsMember({"1", "1.25", "1.5", "2"}));
    tour->add_option("--theme", arguments.tourTheme, "one theme; both without it")
        ->check(CLI::IsMember({"light", "dark"}));
    tour->add_option("--sample", arguments.sample, "another session in place of the shipped one")
        ->type_name("FILE.dyno");
    auto* quick = cli.add_subcommand("quickstart", "run the first recipe in the window and write its results");
    quick->add_option("--out", arguments.out, "folder for the results")->required()->type_name("DIR");
    quick->add_option("--recipe", arguments.recipe, "another recipe or plan")->type_name("ID");
    quick->add_option("--size", arguments.recipeSize, "size of the recipe")
        ->check(CLI::IsMember({"quick", "laptop", "published"}));
    cli.require_subcommand(0, 1);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return cli.exit(error) == 0 ? int(kDone) : int(kBadInput);
    }
    const bool wantsWindow = !pictures->parsed() && !tour->parsed() && !quick->parsed();
    if (wantsWindow && !haveDisplay()) {
        say("dynobench: there is no display (DISPLAY and WAYLAND_DISPLAY are not set). "
            "Without one: dynobench quickstart, dynobench export, dyno run");
        return kBadInput;
    }
    // Pictures of fixed size do not want a window manager's opinion.
    if (pictures->parsed() || tour->parsed() || !haveDisplay())
        qputenv("QT_QPA_PLATFORM", "offscreen");
    // The scale of the screen: everything is drawn at it, hairlines and icons too. An enlarged picture would not be.
    if (!arguments.tourScale.empty())
        qputenv("QT_SCALE_FACTOR", arguments.tourScale.c_str());
    QApplication app(argc, argv);
    dress(app, arguments.pseudo);
    const std::filesystem::path library =
        arguments.library.empty() ? defaultLibrary() : std::filesystem::path(arguments.library);
    if (pictures->parsed())
        return exportCommand(arguments, library);
    if (tour->parsed())
        return tourCommand(arguments);
    if (quick->parsed())
        return quickstartCommand(arguments, library);
    return windowCommand(arguments, library);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // a connection that its other side has closed must not end the window
    try {
        static_cast<void>(drivers()); // while there is one thread: some change the environment for their libraries
        return runProgram(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dynobench: %s\n", error.what());
        return kFailed;
    }
}
