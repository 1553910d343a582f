// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace dyno {

//! The SHA-256 (FIPS 180-4) of bytes in 64 hexadecimal digits; "" where the library refuses. Any thread.
[[nodiscard]] std::string sha256Of(std::string_view bytes);

//! The same of bytes that come in parts. One thread.
class Sha256
{
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void add(std::string_view bytes);
    //! Of all that was added; nothing is added after it.
    [[nodiscard]] std::string digits();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace dyno
