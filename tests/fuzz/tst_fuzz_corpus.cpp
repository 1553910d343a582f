// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that fuzzing found worth keeping, and those that once broke a parser, through every build's parsers. Importers
// read each other's samples too, and all read every beginning of their own: a file that is cut off.
#include "fuzz/parsers.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;
using namespace dyno;

namespace {

std::string contentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

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

private slots:
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
        std::vector<fs::path> files = filesIn(fs::path(DYNO_SOURCE_DIR "/tests/fuzz/corpus") / parser->name);
        const bool imports = parser->name.starts_with("import-");
        for (const fs::path& sample :
             filesIn(imports ? DYNO_TEST_DATA "/import" : DYNO_SOURCE_DIR "/resources/recipes")) {
            if (imports || parser->name == "plan")
                files.push_back(sample);
        }
        QVERIFY2(!files.empty(), "no input of this parser is kept");
        for (const fs::path& file : files) {
            const std::string input = contentOf(file);
            try {
                parser->run(input);
                for (std::size_t part = 1; part < 8; ++part)
                    parser->run(std::string_view(input).substr(0, input.size() * part / 8));
            } catch (const std::exception& broken) {
                QFAIL((file.string() + ": " + broken.what()).c_str());
            }
        }
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
