// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "support/suite.h"
#include <dyno/histogram.h>
#include <dyno/samples.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dyno::tst_histogram {

namespace {

//! The value at percentile p by definition: the ceil(p/100·n)-th smallest. `p` in tenths of a percent: exact integers.
std::uint64_t exactPercentile(const std::vector<std::uint64_t>& sorted, std::uint64_t perMille)
{
    const std::uint64_t rank = (perMille * sorted.size() + 999) / 1000;
    return sorted[std::max<std::uint64_t>(rank, 1) - 1];
}

double widthAt(std::uint64_t value)
{
    const std::size_t bucket = hdr::bucketOf(value);
    return double(hdr::highestOf(bucket) - hdr::lowestOf(bucket) + 1);
}

} // namespace

class TstHistogram : public QObject
{
    Q_OBJECT

private slots:
    void bucketsTileTheRange()
    {
        QCOMPARE(hdr::lowestOf(0), std::uint64_t(0));
        for (std::size_t bucket = 0; bucket < hdr::kBuckets; ++bucket) {
            const std::uint64_t low = hdr::lowestOf(bucket);
            const std::uint64_t high = hdr::highestOf(bucket);
            QVERIFY(low <= high);
            QCOMPARE(hdr::bucketOf(low), bucket);
            QCOMPARE(hdr::bucketOf(high), bucket);
            QCOMPARE(hdr::bucketOf(hdr::middleOf(bucket)), bucket);
            if (bucket + 1 < hdr::kBuckets)
                QCOMPARE(hdr::lowestOf(bucket + 1), high + 1);
            // at most 1/64 wide
            QVERIFY(double(high - low + 1) <= std::max(1.0, double(low) / 64));
        }
        QCOMPARE(hdr::highestOf(hdr::kBuckets - 1), hdr::kMaxValue);
        QCOMPARE(hdr::bucketOf(hdr::kMaxValue), hdr::kBuckets - 1);
        QCOMPARE(hdr::bucketOf(hdr::kMaxValue + 1), hdr::kBuckets - 1);
        QCOMPARE(hdr::bucketOf(UINT64_MAX), hdr::kBuckets - 1);
        QVERIFY(hdr::kMaxValue > 3600ull * 1'000'000'000); // over an hour
    }

    void percentilesAgainstSortedValues_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("shape");
        for (const int count : {1, 2, 3, 10, 99, 1000, 100000}) {
            for (int shape = 0; shape < 4; ++shape)
                QTest::addRow("%d values, shape %d", count, shape) << count << shape;
        }
    }
    void percentilesAgainstSortedValues()
    {
        QFETCH(int, count);
        QFETCH(int, shape);
        Random random(std::uint64_t(count * 10 + shape));
        std::vector<std::uint64_t> values;
        Histogram histogram;
        for (int i = 0; i < count; ++i) {
            std::uint64_t value = 0;
            if (shape == 0)
                value = std::uint64_t(random.uniform(0, 200));
            else if (shape == 1)
                value = std::uint64_t(random.uniform(50'000, 5'000'000));
            else if (shape == 2)
                value = std::uint64_t(-1e6 * std::log(1 - random.unit()));
            else
                value = random.next() >> (22 + std::uint64_t(random.uniform(0, 41))); // all magnitudes up to 2^42
            values.push_back(value);
            histogram.record(value);
        }
        std::sort(values.begin(), values.end());
        QCOMPARE(histogram.count(), std::uint64_t(count));
        QCOMPARE(histogram.maxNs(), values.back());
        double previous = 0;
        for (const std::uint64_t perMille : {1u, 10u, 250u, 500u, 900u, 950u, 990u, 999u, 1000u}) {
            const std::uint64_t exact = exactPercentile(values, perMille);
            const double got = histogram.percentileNs(double(perMille) / 10);
            QVERIFY2(std::abs(got - double(exact)) <= widthAt(exact),
                     qPrintable(QString("p%1: %2, exactly %3").arg(double(perMille) / 10).arg(got).arg(exact)));
            QVERIFY(got >= previous);
            QVERIFY(got <= double(histogram.maxNs()));
            previous = got;
        }
    }

    //! 1 … 1000: the p-th percentile of n equally spaced values is the ceil(p·n)-th one.
    void rankIsNotOffByOne()
    {
        Histogram histogram;
        for (std::uint64_t i = 1; i <= 100; ++i)
            histogram.record(i); // below 128 the buckets are exact
        QCOMPARE(histogram.percentileNs(50), 50.0);
        QCOMPARE(histogram.percentileNs(50.1), 51.0);
        QCOMPARE(histogram.percentileNs(99), 99.0);
        QCOMPARE(histogram.percentileNs(99.9), 100.0);
        QCOMPARE(histogram.percentileNs(100), 100.0);
        QCOMPARE(histogram.percentileNs(0), 1.0);
        QCOMPARE(histogram.percentileNs(-5), 1.0);
        QCOMPARE(histogram.percentileNs(500), 100.0);
        // 99.9 % of 1000 is the 999th value, although 99.9 is not a binary fraction
        Histogram thousand;
        thousand.record(10, 999);
        thousand.record(100, 1);
        QCOMPARE(thousand.percentileNs(99.9), 10.0);
        QCOMPARE(thousand.percentileNs(99.91), 100.0);
    }

    //! Quantiles in closed form: uniform on [0, w) has p·w, exponential with mean m has −m·ln(1 − p).
    void closedForms()
    {
        Random random(3);
        Histogram uniform;
        Histogram exponential;
        constexpr int kCount = 400000;
        constexpr double kWidth = 8e6;
        constexpr double kMean = 1e6;
        for (int i = 0; i < kCount; ++i) {
            uniform.record(std::uint64_t(random.unit() * kWidth));
            exponential.record(std::uint64_t(-kMean * std::log(1 - random.unit())));
        }
        for (const double p : {0.1, 0.5, 0.9, 0.95, 0.99, 0.999}) {
            // standard error of a quantile: sqrt(p(1 − p)/n) / density; five of them, and one bucket
            const double spread = std::sqrt(p * (1 - p) / kCount);
            const double wantedUniform = p * kWidth;
            QVERIFY(std::abs(uniform.percentileNs(p * 100) - wantedUniform) <=
                    5 * spread * kWidth + wantedUniform / 64);
            const double wantedExponential = -kMean * std::log(1 - p);
            QVERIFY(std::abs(exponential.percentileNs(p * 100) - wantedExponential) <=
                    5 * spread * kMean / (1 - p) + wantedExponential / 64);
        }
        // the mean is exact but for the whole nanoseconds of each value
        QVERIFY(std::abs(uniform.meanNs() - kWidth / 2) < 5 * kWidth / std::sqrt(12.0 * kCount));
        QVERIFY(std::abs(exponential.meanNs() - kMean) < 5 * kMean / std::sqrt(double(kCount)));
    }

    void emptyAndSaturated()
    {
        Histogram histogram;
        QCOMPARE(histogram.percentileNs(50), 0.0);
        QCOMPARE(histogram.meanNs(), 0.0);
        histogram.record(5, 0);
        QVERIFY(histogram.empty());
        histogram.record(hdr::kMaxValue + 1000, 2);
        QCOMPARE(histogram.saturated(), std::uint64_t(2));
        QCOMPARE(histogram.maxNs(), hdr::kMaxValue + 1000);
        QCOMPARE(histogram.sumNs(), 2 * (hdr::kMaxValue + 1000));
        QCOMPARE(histogram.buckets().size(), std::size_t(1));
        QCOMPARE(histogram.buckets().front().index, std::uint32_t(hdr::kBuckets - 1));
    }

    //! A step of 80 minutes is told exactly; of several only the longest is, and nothing is made up for the others.
    void stepsLongerThanTheRange()
    {
        constexpr std::uint64_t kMinute = 60'000'000'000;
        Histogram one;
        one.record(80 * kMinute);
        for (const double p : {0.0, 50.0, 95.0, 99.9, 100.0})
            QCOMPARE(one.percentileNs(p), 80.0 * kMinute);
        const LatencySummary alone = summarize(one);
        QCOMPARE(alone.minMs, 4'800'000.0);
        QCOMPARE(alone.p50Ms, 4'800'000.0);
        QCOMPARE(alone.maxMs, 4'800'000.0);

        Histogram two;
        two.record(75 * kMinute);
        two.record(120 * kMinute);
        QCOMPARE(summarize(two).minMs, 4'500'000.0);
        QCOMPARE(summarize(two).p50Ms, 4'500'000.0);
        QCOMPARE(summarize(two).p95Ms, 7'200'000.0);

        Histogram three = two;
        three.record(90 * kMinute);
        const LatencySummary known = summarize(three);
        QVERIFY(std::isnan(known.minMs) && std::isnan(known.p50Ms)); // 75 and 90: only known to be more than 73
        QCOMPARE(known.p99Ms, 7'200'000.0);
        QCOMPARE(known.meanMs, 5'700'000.0);
        QVERIFY(three.percentileNs(50) == double(hdr::kMaxValue)); // a bound, for whoever compares with a limit

        // Nine of a second, one of 73 minutes within the last bucket, one of 80.
        Histogram mixed;
        mixed.record(1'000'000'000, 9);
        mixed.record(hdr::kMaxValue - 5);
        mixed.record(80 * kMinute);
        QVERIFY(std::abs(summarize(mixed).minMs - 1000) < 1000.0 / 64);
        QVERIFY(std::abs(mixed.percentileNs(90) - double(hdr::kMaxValue)) < double(hdr::kMaxValue) / 64);
        QVERIFY(std::isfinite(summarize(mixed).p90Ms));
        QCOMPARE(summarize(mixed).p99Ms, 4'800'000.0);
        // A value of just the range is not above it.
        Histogram edge;
        edge.record(hdr::kMaxValue, 3);
        QVERIFY(std::isfinite(summarize(edge).p50Ms));
    }

    void mergingIsRecordingTogether()
    {
        Random random(9);
        Histogram all;
        std::vector<Histogram> parts(5);
        for (int i = 0; i < 5000; ++i) {
            const std::uint64_t value = random.next() >> random.uniform(20, 63);
            all.record(value);
            parts[std::size_t(i % 5)].record(value);
        }
        Histogram merged;
        for (const Histogram& part : parts)
            merged.merge(part);
        QCOMPARE(merged, all);
        merged.merge(Histogram());
        QCOMPARE(merged, all);
        QCOMPARE(Histogram::fromBuckets(all.buckets(), all.sumNs(), all.maxNs(), all.saturated()), all);
    }

    void blobsReadBack()
    {
        Random random(21);
        for (const int count : {0, 1, 2, 100, 20000}) {
            Histogram histogram;
            for (int i = 0; i < count; ++i)
                histogram.record(random.next() >> random.uniform(0, 63), std::uint64_t(random.uniform(1, 1'000'000)));
            bool ok = false;
            const Histogram again = Histogram::fromBlob(histogram.toBlob(), &ok);
            QVERIFY(ok);
            QCOMPARE(again, histogram);
        }
    }

    //! The stored form is a promise to files on disk: this blob was made by version 1 of the format, step by step with
    //! Python's zlib, and must stay readable.
    void blobOfVersionOne()
    {
        // sum 1300, max 700, saturated 0, three buckets: index 100 × 3, index 101 × 1, index 292 × 1
        const QByteArray blob = QByteArray::fromHex("01789c9bc2b587958139959991713f2323001585028e");
        bool ok = false;
        const Histogram histogram =
            Histogram::fromBlob(std::string_view(blob.constData(), std::size_t(blob.size())), &ok);
        QVERIFY(ok);
        QCOMPARE(histogram.sumNs(), std::uint64_t(1300));
        QCOMPARE(histogram.maxNs(), std::uint64_t(700));
        const std::vector<Histogram::Bucket> expected = {{100, 3}, {101, 1}, {292, 1}};
        QCOMPARE(histogram.buckets(), expected);
    }

    void damagedBlobsAreRefused()
    {
        Histogram histogram;
        Random random(5);
        for (int i = 0; i < 500; ++i)
            histogram.record(random.next() >> random.uniform(22, 63));
        const std::string blob = histogram.toBlob();
        bool ok = true;
        QCOMPARE(Histogram::fromBlob({}, &ok), Histogram());
        QVERIFY(!ok);
        for (std::size_t size = 0; size < blob.size(); ++size) {
            ok = true;
            QVERIFY(Histogram::fromBlob(std::string_view(blob).substr(0, size), &ok).empty());
            QVERIFY2(!ok, "a blob that was cut off");
        }
        Histogram::fromBlob(blob + "x", &ok);
        QVERIFY2(!ok, "a blob with something behind it");
        // zlib's checksum finds every single flipped bit
        for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
            std::string flipped = blob;
            flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << (bit % 8)));
            ok = true;
            const Histogram result = Histogram::fromBlob(flipped, &ok);
            // a flip in a part that deflate does not use (the window size in the header) may still unpack to the same
            QVERIFY(!ok || result == histogram);
        }
    }

    void hostileBlobsStaySmall_data()
    {
        QTest::addColumn<QByteArray>("plain");
        const auto varints = [](std::initializer_list<quint64> numbers) {
            QByteArray out;
            for (quint64 number : numbers) {
                for (; number >= 0x80; number >>= 7)
                    out += char((number & 0x7f) | 0x80);
                out += char(number);
            }
            return out;
        };
        QTest::newRow("2^60 buckets announced") << varints({0, 0, 0, quint64(1) << 60});
        QTest::newRow("more buckets than there are") << varints({0, 0, 0, hdr::kBuckets + 1});
        QTest::newRow("buckets announced, none there") << varints({0, 0, 0, 5});
        QTest::newRow("index beyond the last") << varints({0, 0, 0, 1, hdr::kBuckets + 1, 1});
        QTest::newRow("index overflow") << varints({0, 0, 0, 2, 5, 1, UINT64_MAX - 3, 1});
        QTest::newRow("step 0") << varints({0, 0, 0, 1, 0, 1});
        QTest::newRow("count 0") << varints({0, 0, 0, 1, 1, 0});
        QTest::newRow("count overflow") << varints({0, 0, 0, 2, 1, UINT64_MAX, 1, 1});
        QTest::newRow("rest") << varints({0, 0, 0, 0, 7});
        QTest::newRow("endless varint") << QByteArray(64, char(0xff));
        QTest::newRow("a bomb: 4 MiB of zeros") << QByteArray(4 << 20, '\0');
    }
    void hostileBlobsStaySmall()
    {
        QFETCH(QByteArray, plain);
        // qCompress puts four bytes of length before the zlib stream
        const std::string blob = "\1" + qCompress(plain, 9).mid(4).toStdString();
        bool ok = true;
        QVERIFY(Histogram::fromBlob(blob, &ok).empty());
        QVERIFY(!ok);
    }

    void blobsAreSmall()
    {
        Random random(8);
        Histogram histogram;
        for (int i = 0; i < 20000; ++i)
            histogram.record(std::uint64_t(-2e5 * std::log(1 - random.unit())) + 50'000);
        QVERIFY2(histogram.toBlob().size() < 2000, qPrintable(QString::number(histogram.toBlob().size())));
    }
};

} // namespace dyno::tst_histogram

DYNO_SUITE(tst_histogram, dyno::tst_histogram::TstHistogram)
#include "tst_histogram.moc"
