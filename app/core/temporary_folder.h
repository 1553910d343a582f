// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dyno {

//! A folder in the system's place for such, gone with this and all that is in it.
class TemporaryFolder
{
public:
    TemporaryFolder()
    {
        std::error_code ignored;
        std::string form = (std::filesystem::temp_directory_path(ignored) / "dyno-XXXXXX").string();
        if (::mkdtemp(form.data()))
            m_path = form;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
            std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; } //!< "" when it could not be made

private:
    std::filesystem::path m_path;
};

} // namespace dyno
