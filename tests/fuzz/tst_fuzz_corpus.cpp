// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that fuzzing found worth keeping, and those that once broke a parser, through every build's parsers, and their
// beginnings: a file that is cut off. Importers read each other's samples too, those as they are.
#include "fuzz/parsers.h"
#include "support/file_content.h"
#include "support/long_form.h"
#include "support/suite.h"
#include <dyno/import.h>

#include <QTest>

#include <algorithm>
#include <iterator>

namespace fs = std::filesystem;
using namespace dyno;
using test::contentOf;

namespace {

std::vector<fs::path> filesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.is_regular_file())
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

} // namespace

class TestFuzzCorpus : public QObject
{
    Q_OBJECT

    std::vector<std::pair<fs::path, std::string>> m_samples; //!< of importers, each with the parser of its format

private slots:
    void initTestCase()
    {
        for (const fs::path& sample : filesIn(DYNO_TEST_DATA "/import")) {
            const auto format = detectImportFormat(sample);
            m_samples.emplace_back(sample, format ? "import-" + format->id : "import-mapped");
        }
    }

    void kept_data()
    {
        QTest::addColumn<QString>("name");
        for (const fuzz::Parser& parser : fuzz::parsers())
            QTest::newRow(parser.name.c_str()) << QString::fromStdString(parser.name);
    }

    void kept()
    {
        QFETCH(QString, name);
        const fuzz::Parser* parser = fuzz::findParser(name.toStdString());
        std::vector<fs::path> files = filesIn(fs::path(DYNO_SOURCE_DIR "/tests/fuzz/corpus") / parser->name), others;
        if (parser->name == "plan")
            std::ranges::copy(filesIn(DYNO_SOURCE_DIR "/resources/recipes"), std::back_inserter(files));
        if (parser->name.starts_with("import-")) {
            for (const auto& [sample, format] : m_samples)
                (parser->name == "import-detect" || parser->name == format ? files : others).push_back(sample);
        }
        QVERIFY2(!files.empty(), "no input of this parser is kept");
        const auto read = [&](const fs::path& file, std::size_t from, std::size_t step) {
            const std::string input = contentOf(file);
            try {
                for (std::size_t part = from; part <= 8; part += step)
                    parser->run(std::string_view(input).substr(0, input.size() * part / 8));
            } catch (const std::exception& broken) {
                QFAIL((file.string() + ": " + broken.what()).c_str());
            }
        };
        for (const fs::path& file : files)
            read(file, std::size_t(test::everyOf()), std::size_t(test::everyOf()));
        for (const fs::path& file : others)
            read(file, 8, 8);
    }

    //! A parser without a folder of its own name would be replayed with nothing, a folder without a parser by nobody.
    void foldersAreOfParsers()
    {
        for (const auto& folder : fs::directory_iterator(DYNO_SOURCE_DIR "/tests/fuzz/corpus"))
            QVERIFY2(fuzz::findParser(folder.path().filename().string()), folder.path().c_str());
    }
};

DYNO_SUITE(tst_fuzz_corpus, TestFuzzCorpus)
#include "tst_fuzz_corpus.moc"
