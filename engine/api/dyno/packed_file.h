// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The content of a file that a plan carries inside ([files] in TOML), so that it runs where the file is not. A plan
//! refers to it by its SHA-256 alone: settings stay short, and the same content is there once.
#pragma once

#include "error.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace dyno {

//! Immutable; any thread.
class PackedFile
{
public:
    static constexpr std::size_t kMostBytes = std::size_t(4) << 20;  //!< of all files of a plan together
    static constexpr std::size_t kMostPacked = std::size_t(3) << 20; //!< likewise, as text: a plan has up to 4 MiB

    //! The same object for the same content, while one lives. nullptr: it is longer than kMostBytes.
    [[nodiscard]] static std::shared_ptr<const PackedFile> pack(std::string_view content);
    //! Of text() as a plan has it, with any line breaks. An error: it is damaged, or its content has more than `most`
    //! bytes.
    [[nodiscard]] static Expected<std::shared_ptr<const PackedFile>> read(std::string_view text, std::size_t most);
    //! Of one that lives, in whatever plan; nullptr: none does.
    [[nodiscard]] static std::shared_ptr<const PackedFile> find(std::string_view sha256);

    [[nodiscard]] const std::string& sha256() const { return m_sha256; }
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }      //!< of the content
    [[nodiscard]] const std::string& text() const { return m_text; } //!< lines of base64 of a zlib stream
    [[nodiscard]] std::string content() const;                       //!< unpacks it each time

private:
    PackedFile() = default;
    [[nodiscard]] static std::shared_ptr<const PackedFile> known(std::string sha256, std::size_t bytes,
                                                                 std::string_view packed);
    std::string m_sha256, m_text;
    std::size_t m_bytes = 0;
};

//! By their digits.
using PlanFiles = std::map<std::string, std::shared_ptr<const PackedFile>, std::less<>>;

} // namespace dyno
