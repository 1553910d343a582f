// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/packed_file.h>

#include "base/packing.h"
#include "base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace dyno {

namespace {

constexpr std::size_t kPackedLine = 100; // characters: editors are slow with long lines
constexpr int kPackedLevel = 6;

//! The packed files that live.
struct LivingFiles
{
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<const PackedFile>, std::less<>> files; //!< with mutex
};

LivingFiles& livingFiles()
{
    static LivingFiles living;
    return living;
}

std::string withoutSpace(std::string_view text)
{
    std::string digits(text);
    std::erase_if(digits, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
    return digits;
}

} // namespace

std::shared_ptr<const PackedFile> PackedFile::known(std::string sha256, std::size_t bytes, std::string_view packed)
{
    const std::string digits = base64(packed);
    const std::shared_ptr<PackedFile> file(new PackedFile);
    for (std::size_t i = 0; i < digits.size(); i += kPackedLine)
        file->m_text += digits.substr(i, kPackedLine) + '\n';
    file->m_sha256 = std::move(sha256);
    file->m_bytes = bytes;
    LivingFiles& living = livingFiles();
    const std::lock_guard lock(living.mutex);
    std::erase_if(living.files, [](const auto& one) { return one.second.expired(); });
    auto& place = living.files[file->m_sha256];
    if (auto there = place.lock())
        return there;
    place = file;
    return file;
}

std::shared_ptr<const PackedFile> PackedFile::pack(std::string_view content)
{
    if (content.size() > kMostBytes)
        return nullptr;
    std::string sha256 = sha256Of(content);
    if (auto there = find(sha256))
        return there;
    return known(std::move(sha256), content.size(), deflated(content, kPackedLevel));
}

Expected<std::shared_ptr<const PackedFile>> PackedFile::read(std::string_view text, std::size_t most)
{
    const auto packed = text.size() <= 2 * kMostPacked ? fromBase64(withoutSpace(text)) : std::nullopt;
    if (!packed)
        return fail({ErrorKind::BadInput, "the content of a file is no base64", {}, "copy it whole from the plan"});
    const auto content = inflated(*packed, std::min(most, kMostBytes));
    if (!content)
        return fail({ErrorKind::BadInput,
                     fmt::format("the content of a file is damaged, or larger than the {} bytes that remain of {} MiB",
                                 std::min(most, kMostBytes), kMostBytes >> 20),
                     {},
                     "copy it whole from the plan, or name the file by its path"});
    return known(sha256Of(*content), content->size(), *packed);
}

std::shared_ptr<const PackedFile> PackedFile::find(std::string_view sha256)
{
    LivingFiles& living = livingFiles();
    const std::lock_guard lock(living.mutex);
    const auto found = living.files.find(sha256);
    return found == living.files.end() ? nullptr : found->second.lock();
}

std::string PackedFile::content() const
{
    return inflated(fromBase64(withoutSpace(m_text)).value_or(std::string()), m_bytes).value_or(std::string());
}

} // namespace dyno
