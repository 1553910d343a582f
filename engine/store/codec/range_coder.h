// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! An adaptive binary range coder (as in LZMA: G. N. N. Martin 1979, carries as in Schindler's) and a model of whole
//! numbers over it. Series of small noisy numbers, which histograms are, come within a few per cent of their entropy; a
//! general packer needs half as much again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::rc {

//! What is known of one yes-or-no place: the chance of "no", learnt quickly at first.
class Chance
{
public:
    [[nodiscard]] std::uint32_t ofNo() const { return std::clamp<std::uint32_t>(m_no >> 4, 1, 4095); } //!< of 4096
    void learn(bool yes)
    {
        const int target = yes ? 0 : 65535;
        m_no = static_cast<std::uint16_t>(m_no + (std::int64_t(target - m_no) * kShare[m_seen] >> 16));
        m_seen = static_cast<std::uint8_t>(m_seen + (m_seen < kSlowest ? 1 : 0));
    }

private:
    static constexpr std::uint8_t kSlowest = 60;
    //! Of 65536: how much the next one counts after so many.
    static constexpr auto kShare = [] {
        std::array<std::int32_t, kSlowest + 1> shares{};
        for (std::size_t seen = 0; seen < shares.size(); ++seen)
            shares[seen] = std::int32_t(2 * 65536 / (2 * seen + 3));
        return shares;
    }();
    std::uint16_t m_no = 32768;
    std::uint8_t m_seen = 0;
};

constexpr std::uint32_t kLeastRange = 1u << 24;

class Encoder
{
public:
    void bit(Chance& chance, bool yes)
    {
        const std::uint32_t bound = (m_range >> 12) * chance.ofNo();
        if (yes) {
            m_low += bound;
            m_range -= bound;
        } else {
            m_range = bound;
        }
        chance.learn(yes);
        grow();
    }
    //! The lowest `count` bits of `value` as they are; count ≤ 64.
    void plain(std::uint64_t value, unsigned count)
    {
        while (count > 0) {
            const unsigned now = std::min(count, 16u);
            count -= now;
            m_range >>= now;
            m_low += std::uint64_t(m_range) * (value >> count & ((1u << now) - 1));
            grow();
        }
    }
    [[nodiscard]] std::string finish()
    {
        for (int i = 0; i < 5; ++i)
            shift();
        for (int i = 0; i < 4 && !m_out.empty() && m_out.back() == '\0';
             ++i) // the decoder reads noughts behind the end
            m_out.pop_back();
        return std::move(m_out);
    }

private:
    void grow()
    {
        while (m_range < kLeastRange) {
            m_range <<= 8;
            shift();
        }
    }
    void shift()
    {
        if (m_low < 0xff000000u || m_low > 0xffffffffu) {
            const auto carry = static_cast<unsigned char>(m_low >> 32);
            if (!m_first)
                m_out += static_cast<char>(m_held + carry);
            m_first = false;
            for (; m_waiting > 0; --m_waiting)
                m_out += static_cast<char>(0xff + carry);
            m_held = static_cast<unsigned char>(m_low >> 24);
        } else {
            ++m_waiting;
        }
        m_low = (m_low & 0x00ffffff) << 8;
    }

    std::string m_out;
    std::uint64_t m_low = 0, m_waiting = 0;
    std::uint32_t m_range = 0xffffffff;
    unsigned char m_held = 0;
    bool m_first = true;
};

//! Gives numbers whatever the bytes are; see damaged().
class Decoder
{
public:
    explicit Decoder(std::string_view bytes)
        : m_bytes(bytes)
    {
        for (int i = 0; i < 4; ++i)
            m_code = m_code << 8 | next();
    }
    [[nodiscard]] bool bit(Chance& chance)
    {
        const std::uint32_t bound = (m_range >> 12) * chance.ofNo();
        const bool yes = m_code >= bound;
        if (yes) {
            m_code -= bound;
            m_range -= bound;
        } else {
            m_range = bound;
        }
        chance.learn(yes);
        grow();
        return yes;
    }
    [[nodiscard]] std::uint64_t plain(unsigned count)
    {
        std::uint64_t value = 0;
        while (count > 0) {
            const unsigned now = std::min(count, 16u);
            count -= now;
            m_range >>= now;
            const std::uint32_t part = std::min(m_code / m_range, (1u << now) - 1);
            m_code -= part * m_range;
            value = value << now | part;
            grow();
        }
        return value;
    }
    //! More was read than is there: what came last is nonsense.
    [[nodiscard]] bool damaged() const { return m_at > m_bytes.size() + kSlack; }

private:
    static constexpr std::size_t kSlack = 8; //!< noughts that finish() may have cut off, and what is read ahead
    unsigned char next() { return m_at++ < m_bytes.size() ? static_cast<unsigned char>(m_bytes[m_at - 1]) : 0; }
    void grow()
    {
        while (m_range < kLeastRange) {
            m_range <<= 8;
            m_code = m_code << 8 | next();
        }
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::uint32_t m_code = 0, m_range = 0xffffffff;
};

//! Whole numbers from 0 to 2^64 − 1 of one kind: small ones, and the highest bits of larger ones, by how often they
//! came; of larger ones also whether the last one of that size came again.
class Numbers
{
public:
    Numbers() = default;
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    //! What came last is one for both.
    void remembersWith(Numbers& other) { m_memory = &other.m_own; }

    void write(Encoder& out, std::uint64_t value)
    {
        const unsigned size = sizeOf(value);
        out.bit(m_isLarge, size >= kSmall);
        unsigned node = 1;
        for (int i = size < kSmall ? 3 : 7; i >= 0; --i) {
            const bool yes = (size >> i & 1u) != 0;
            out.bit(size < kSmall ? m_small[node] : m_large[node], yes);
            node = node << 1 | unsigned(yes);
        }
        if (size < kSmall)
            return;
        const bool again = m_memory->last[size] == value;
        out.bit(m_memory->again[size], again);
        if (!again)
            out.plain(value, restOf(size));
        m_memory->last[size] = value;
    }
    [[nodiscard]] std::uint64_t read(Decoder& in)
    {
        unsigned node = 1;
        if (!in.bit(m_isLarge)) {
            while (node < kSmall)
                node = node << 1 | unsigned(in.bit(m_small[node]));
            return node - kSmall;
        }
        while (node < 256)
            node = node << 1 | unsigned(in.bit(m_large[node]));
        const unsigned size = std::max(node - 256, kSmall);
        if (!in.bit(m_memory->again[size])) {
            const unsigned rest = restOf(size);
            m_memory->last[size] = std::uint64_t(4 | (size & 3)) << rest | in.plain(rest);
        }
        return m_memory->last[size];
    }

private:
    static constexpr unsigned kSmall = 16;
    static unsigned sizeOf(std::uint64_t value)
    {
        if (value < kSmall)
            return unsigned(value);
        const auto bits = unsigned(std::bit_width(value)); // from 5 on
        return kSmall + (bits - 5) * 4 + unsigned(value >> (bits - 3) & 3);
    }
    static unsigned restOf(unsigned size) { return (size - kSmall) / 4 + 2; }

    Chance m_isLarge;
    std::array<Chance, kSmall> m_small{};
    std::array<Chance, 256> m_large{};
    struct Memory
    {
        std::array<Chance, 256> again{};
        std::array<std::uint64_t, 256> last{};
    };
    Memory m_own;
    Memory* m_memory = &m_own;
};

//! Numbers of either sign, small ones small.
[[nodiscard]] constexpr std::uint64_t folded(std::uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t(0) : 0);
}
[[nodiscard]] constexpr std::uint64_t unfolded(std::uint64_t value)
{
    return value >> 1 ^ ((value & 1) != 0 ? ~std::uint64_t(0) : 0);
}

} // namespace dyno::rc
