// SPDX-License-Identifier: GPL-3.0-or-later
// Files of vectors in the format HDF5, written by its library as ann-benchmarks does: both sets are read, and what a
// stranger's file could use to reach others is refused.
#include "support/suite.h"
#include "workload/vectors/vector_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <functional>
#include <hdf5.h>
#include <sys/stat.h>

namespace dyno::tst_hdf5_file {

namespace {

using namespace dyno::vectors;

const auto always = [] { return true; };

//! A data set of rows × columns, with the creation properties that `how` sets.
void addSet(hid_t file, const char* name, hid_t type, std::array<hsize_t, 2> sizes, const std::vector<float>& numbers,
            const std::function<void(hid_t)>& how = {})
{
    const hid_t space = H5Screate_simple(2, sizes.data(), nullptr), properties = H5Pcreate(H5P_DATASET_CREATE);
    if (how)
        how(properties);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (set >= 0 && !numbers.empty())
        H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
}

} // namespace

class TstHdf5File : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void bothSetsAreRead()
    {
        std::vector<float> rows(1000 * 3), queries{0.5F, -1, 2, 7, 8, 9};
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] = float(i) / 4;
        const std::string path = make("good.hdf5", [&](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {1000, 3}, rows);
            addSet(file, "test", H5T_IEEE_F64BE, {2, 3}, queries);
        });
        QVERIFY(hasBothSets(path));
        const auto train = openVectors(path, VectorSet::Rows, always),
                   test = openVectors(path, VectorSet::Queries, always);
        QVERIFY2(train && test, train ? test ? "" : test.error().text().c_str() : train.error().text().c_str());
        QCOMPARE((*train)->size(), 1000);
        QCOMPARE((*train)->dimension(), 3);
        QCOMPARE((*test)->size(), 2);
        std::vector<float> some(5 * 3);
        QVERIFY((*train)->read(62, some));
        QVERIFY(std::equal(some.begin(), some.end(), rows.begin() + std::ptrdiff_t(62 * 3)));
        std::vector<float> both(2 * 3);
        QVERIFY((*test)->read(0, both));
        QCOMPARE(both, queries);
        QVERIFY(!(*test)->read(1, both)); // beyond its end
        const auto stopped = openVectors(path, VectorSet::Rows, [] { return false; });
        QVERIFY(!stopped && stopped.error().kind == ErrorKind::Interrupted);
    }

    void wholeNumbersAreRead()
    {
        const std::string path = make("bytes.hdf5", [](hid_t file) {
            addSet(file, "train", H5T_STD_U8LE, {2, 2}, {0, 255, 17, 1});
        });
        const auto file = openVectors(path, VectorSet::Rows, always);
        QVERIFY(file);
        std::vector<float> all(4);
        QVERIFY((*file)->read(0, all));
        QCOMPARE(all, (std::vector<float>{0, 255, 17, 1}));
    }

    //! Other files are not opened, not even those that this account may read.
    void whatLeadsElsewhereIsRefused()
    {
        const QByteArray good = QFile::encodeName(m_folder.filePath("target.hdf5"));
        make("target.hdf5", [](hid_t file) { addSet(file, "train", H5T_IEEE_F32LE, {1, 2}, {1, 2}); });
        refused("link", "is a link to somewhere else", [&](hid_t file) {
            H5Lcreate_external(good.constData(), "/train", file, "train", H5P_DEFAULT, H5P_DEFAULT);
        });
        refused("soft", "is a link to somewhere else",
                [](hid_t file) { H5Lcreate_soft("/other", file, "train", H5P_DEFAULT, H5P_DEFAULT); });
        const QByteArray secret = QFile::encodeName(m_folder.filePath("secret"));
        QFile bytes(m_folder.filePath("secret"));
        QVERIFY(bytes.open(QIODevice::WriteOnly) && bytes.write(QByteArray(8, 'x')) == 8);
        bytes.close();
        refused("external", "is kept in other files", [&](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {1, 2}, {},
                   [&](hid_t how) { H5Pset_external(how, secret.constData(), 0, 8); });
        });
        // One without an end, whose source is a pipe that nobody writes into: it must not be waited for.
        const QByteArray pipe = QFile::encodeName(m_folder.filePath("pipe"));
        QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
        for (const QByteArray& source : {good, pipe}) {
            refused("virtual", "is put together of other data sets", [&](hid_t file) {
                const std::array<hsize_t, 2> sizes{1, 2}, most{H5S_UNLIMITED, 2}, from{0, 0}, one{1, 2},
                    count{H5S_UNLIMITED, 1};
                const hid_t space = H5Screate_simple(2, sizes.data(), most.data()), how = H5Pcreate(H5P_DATASET_CREATE);
                H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), one.data(), count.data(), one.data());
                H5Pset_virtual(how, space, source.constData(), "train", space);
                H5Dclose(H5Dcreate2(file, "train", H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
                H5Pclose(how);
                H5Sclose(space);
            });
        }
    }

    void faultsAreNamed()
    {
        refused("missing", "\"train\" is missing", [](hid_t file) { addSet(file, "a", H5T_STD_I8LE, {1, 1}, {1}); });
        refused("group", "cannot be read",
                [](hid_t file) { H5Gclose(H5Gcreate2(file, "train", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); });
        refused("nan", "has nan as number 2 of vector 3", [](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {3, 2}, {1, 2, 3, 4, 5, std::nanf("")});
        });
        refused("empty", "0 vectors of 0 numbers", [](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {0, 0}, {});
        });
        refused("words", "holds no numbers", [](hid_t file) { addSet(file, "train", H5T_C_S1, {1, 1}, {}); });
        refused("flat", "is no list of vectors", [](hid_t file) {
            const hsize_t size = 4;
            const hid_t space = H5Screate_simple(1, &size, nullptr);
            H5Dclose(H5Dcreate2(file, "train", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            H5Sclose(space);
        });
        refused("chunk", "is stored in chunks", [](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {8, 2}, std::vector<float>(16), [](hid_t how) {
                const std::array<hsize_t, 2> chunk{4, 2};
                H5Pset_chunk(how, 2, chunk.data());
                H5Pset_deflate(how, 6);
            });
        });
        // Nobody wrote these; the library would give zeros.
        refused("claim", "holds less than it says", [](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {1 << 30, 1000}, {});
        });
    }

    //! Each cut of a file, and each changed byte, is an error or other numbers; nothing crashes.
    void damagedFilesDoNoHarm()
    {
        const std::string path = make("whole.hdf5", [](hid_t file) {
            addSet(file, "train", H5T_IEEE_F32LE, {2, 2}, {1, 2, 3, 4});
        });
        QFile whole(QFile::decodeName(path.c_str()));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        const QString name = m_folder.filePath("damaged.hdf5");
        const auto opens = [&name](const QByteArray& changed) {
            QFile file(name);
            if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(changed) != changed.size())
                return true;
            file.close();
            const auto read = openVectors(name.toStdString(), VectorSet::Rows, always);
            return read.has_value();
        };
        QVERIFY(opens(bytes));
        int refusals = 0;
        for (qsizetype length = 0; length < bytes.size(); length += 61)
            QVERIFY(!opens(bytes.left(length)));
        for (qsizetype at = 8; at < bytes.size(); at += 7) {
            QByteArray changed = bytes;
            changed[at] = char(changed.at(at) ^ 0xFF);
            refusals += opens(changed) ? 0 : 1;
        }
        QVERIFY(refusals > 10);
    }

private:
    std::string make(const QString& name, const std::function<void(hid_t)>& fill)
    {
        std::string path = m_folder.filePath(name).toStdString();
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        fill(file);
        H5Fclose(file);
        return path;
    }
    void refused(const char* name, const char* words, const std::function<void(hid_t)>& fill)
    {
        const auto read = openVectors(make(name, fill), VectorSet::Rows, always);
        QVERIFY2(!read, name);
        QVERIFY2(read.error().message.find(words) != std::string::npos, read.error().message.c_str());
        QVERIFY(!read.error().remedy.empty());
    }
    QTemporaryDir m_folder;
};

} // namespace dyno::tst_hdf5_file

DYNO_SUITE(tst_hdf5_file, dyno::tst_hdf5_file::TstHdf5File)
#include "tst_hdf5_file.moc"
