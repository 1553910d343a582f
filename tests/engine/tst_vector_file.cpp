// SPDX-License-Identifier: GPL-3.0-or-later
// Files of vectors in the format fvecs: read as written, and each fault named with its place.
#include "support/fvecs.h"
#include "support/suite.h"
#include "workload/vectors/vector_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace dyno::tst_vector_file {

namespace {

using namespace dyno::vectors;

const auto always = [] { return true; };

std::vector<float> vectorOf(const VectorSource& source, std::int64_t number)
{
    std::vector<float> vector(std::size_t(source.dimension()));
    return source.read(number, vector) ? vector : std::vector<float>();
}

} // namespace

class TstVectorFile : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void fvecsIsRead()
    {
        const QString name = m_folder.filePath("good.fvecs");
        const std::vector<std::vector<float>> vectors{{1, -2.5F, 0}, {1e-3F, 7, 8}, {4, 5, 6}};
        std::string bytes;
        for (const auto& vector : vectors)
            bytes += recordOf(3, vector);
        writeFile(name, bytes);
        const auto file = openVectors(name.toStdString(), VectorSet::Rows, always);
        QVERIFY2(file, file ? "" : file.error().text().c_str());
        QCOMPARE((*file)->dimension(), 3);
        QCOMPARE((*file)->size(), 3);
        for (std::size_t i = 0; i < vectors.size(); ++i)
            QVERIFY(vectorOf(**file, std::int64_t(i)) == vectors[i]);
        QVERIFY(vectorOf(*partOf(*file, 1, 2), 1) == vectors[2]);
        const auto stopped = openVectors(name.toStdString(), VectorSet::Rows, [] { return false; });
        QVERIFY(!stopped && stopped.error().kind == ErrorKind::Interrupted);
        std::string text;
        appendVector(text, vectors[0]);
        appendVector(text, vectors[1]);
        QCOMPARE(text, std::string("[1,-2.5,0][0.001,7,8]"));
    }

    void faultsOfFilesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("words");
        const auto bytes = [](const std::string& text) { return QByteArray::fromStdString(text); };
        const std::string good = recordOf(2, {1, 2});
        QTest::newRow("empty") << QByteArray() << "holds no vector";
        QTest::newRow("text") << QByteArray("1.5, 2.5\n") << "is not of the format fvecs";
        QTest::newRow("no numbers") << bytes(recordOf(0, {})) << "would have 0 numbers";
        QTest::newRow("cut") << bytes(good + good.substr(0, 7)) << "ends within vector 2 (byte 19)";
        QTest::newRow("other length") << bytes(good + recordOf(3, {1, 2}))
                                      << "vector 2 (byte 12) has 3 numbers, the first one has 2";
        QTest::newRow("not a number") << bytes(good + recordOf(2, {1, std::nanf("")}))
                                      << "number 2 of vector 2 (byte 20) is nan";
        QTest::newRow("too large") << bytes(recordOf(2, {-1e20F, 1})) << "number 1 of vector 1 (byte 4) is -1e+20";
    }
    void faultsOfFilesAreNamed()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, words);
        const QString name = m_folder.filePath("bad.fvecs");
        writeFile(name, bytes.toStdString());
        const auto file = openVectors(name.toStdString(), VectorSet::Rows, always);
        QVERIFY(!file);
        QCOMPARE(file.error().kind, ErrorKind::BadInput);
        QVERIFY2(file.error().message.find(words.toStdString()) != std::string::npos, file.error().message.c_str());
        QVERIFY(file.error().message.find("bad.fvecs") != std::string::npos && !file.error().remedy.empty());
        for (const char* missing : {"/dev/zero", "/nowhere.fvecs"})
            QVERIFY(!openVectors(missing, VectorSet::Rows, always));
    }

private:
    QTemporaryDir m_folder;
};

} // namespace dyno::tst_vector_file

DYNO_SUITE(tst_vector_file, dyno::tst_vector_file::TstVectorFile)
#include "tst_vector_file.moc"
