// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files of vectors for tests.
#pragma once

#include <QString>

#include <bit>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace dyno {

inline void writeFile(const QString& name, const std::string& bytes)
{
    std::ofstream out(name.toStdString(), std::ios::binary);
    out.write(bytes.data(), std::streamsize(bytes.size()));
}

//! A vector as fvecs has it.
inline std::string recordOf(std::uint32_t count, const std::vector<float>& vector)
{
    std::string bytes;
    const auto add = [&bytes](std::uint32_t word) {
        for (int i = 0; i < 4; ++i)
            bytes += char(word >> (8 * i) & 0xFF);
    };
    add(count);
    for (const float one : vector)
        add(std::bit_cast<std::uint32_t>(one));
    return bytes;
}

} // namespace dyno
