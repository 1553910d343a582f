// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of blocks: the bytes of a block are what a hostile .dyno file may choose freely. It gives what the block
// holds or says that it is damaged, and what it gives is written and read back as the same. The first byte chooses the
// part, the second and third how many intervals it is said to have; the check sum is put right, so that the numbers are
// reached.
#include "fuzz/parsers.h"
#include "store/codec/block_codec.h"

#include <cstdint>
#include <vector>
#include <zlib.h>

namespace dyno::fuzz {

namespace {

void check(bool holds)
{
    require(holds, "what a block holds is written and read back as the same");
}

void tryTimes(const std::string& bytes, std::size_t size)
{
    std::vector<IntervalSample> samples(size), again(size);
    if (!block::readTimes(bytes, samples, false))
        return;
    const std::string written = block::writeTimes(samples);
    check(block::readTimes(written, again, false) && block::writeTimes(again) == written);
}

void tryOperation(const std::string& figureBytes, const std::string& bytes, std::size_t size)
{
    std::vector<block::Figures> figures(size), again(size);
    if (!block::readFigures(figureBytes, figures))
        return;
    check(block::readFigures(block::writeFigures(figures), again) && again == figures);
    std::vector<OpInterval> values(size);
    std::vector<OpInterval*> places;
    for (OpInterval& one : values)
        places.push_back(&one);
    if (!block::readHistograms(bytes, figures, places))
        return;
    std::vector<OpInterval> second(size);
    std::vector<OpInterval*> to;
    std::vector<const OpInterval*> from;
    for (std::size_t i = 0; i < size; ++i) {
        to.push_back(&second[i]);
        from.push_back(&values[i]);
    }
    check(block::readHistograms(block::writeHistograms(from), figures, to));
    for (std::size_t i = 0; i < size; ++i)
        check(second[i].service == values[i].service && second[i].response == values[i].response);
}

void tryValues(const std::string& bytes, std::size_t size)
{
    std::vector<double> values(size), again(size);
    if (!block::readValues(bytes, values))
        return;
    check(block::readValues(block::writeValues(values), again));
    for (std::size_t i = 0; i < size; ++i)
        check(values[i] == again[i] || (values[i] != values[i] && again[i] != again[i]));
}

//! A block of these numbers: with its version and its check sum.
std::string blockOf(std::string_view numbers)
{
    auto sum = std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(numbers.data()), uInt(numbers.size())));
    std::string bytes(1, '\1');
    for (int i = 0; i < 4; ++i, sum >>= 8)
        bytes += char(sum & 0xff);
    return bytes.append(numbers);
}

} // namespace

void readBlocks(std::string_view input)
{
    if (input.size() < 3)
        return;
    const auto byte = [input](std::size_t at) { return static_cast<unsigned char>(input[at]); };
    const std::size_t intervals = 1 + (std::size_t(byte(1)) << 8 | byte(2)) % 512;
    const std::string_view rest = input.substr(3);
    const std::size_t half = rest.size() / 2;
    tryTimes(std::string(rest), intervals);
    switch (byte(0) % 3) {
    case 0:
        tryTimes(blockOf(rest), intervals);
        break;
    case 1:
        tryOperation(blockOf(rest.substr(0, half)), blockOf(rest.substr(half)), intervals);
        break;
    default:
        tryValues(blockOf(rest), intervals);
    }
}

} // namespace dyno::fuzz
