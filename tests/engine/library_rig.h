// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A library of three sessions and a .dyno file of its first one, for tests of the store.
#pragma once

#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/file_content.h"
#include "support/must.h"
#include <dyno/library.h>

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dyno::test {

inline void write(const std::filesystem::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary) << content;
}

inline bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

constexpr const char* kFirst = "aaaa1111-0000-4000-8000-000000000001";
constexpr const char* kSecond = "aaaa2222-0000-4000-8000-000000000002";
constexpr const char* kThird = "bbbb3333-0000-4000-8000-000000000003";

//! The originals are made once, and each test has copies of its own.
class LibraryRig
{
protected:
    void makeLibrary()
    {
        m_original = m_shared.filePath("original.dynolib").toStdString();
        auto writer = must(SessionWriter::open(m_original));
        std::uint64_t seed = 1;
        for (const char* id : {kFirst, kSecond, kThird}) {
            sample::Options options;
            options.id = id;
            options.seed = seed++;
            options.scale = 1 + 0.1 * double(seed);
            options.intervals = 6;
            sample::feed(*writer, options);
        }
        if (const auto done = writer->flush(); !done)
            throw std::runtime_error(done.error().text());
    }
    //! After makeLibrary().
    void makeDyno()
    {
        m_dynoOriginal = m_shared.filePath("first.dyno").toStdString();
        const auto library = must(Library::open(m_original, Library::Mode::ReadOnly));
        if (const auto done = library->exportSession(kFirst, m_dynoOriginal); !done)
            throw std::runtime_error(done.error().text());
    }
    void copyOriginals()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath("library.dynolib").toStdString();
        m_dyno = m_dir->filePath("one.dyno").toStdString();
        std::filesystem::copy_file(m_original, m_file);
        std::filesystem::copy_file(m_dynoOriginal, m_dyno);
    }

    QTemporaryDir m_shared;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_original, m_dynoOriginal, m_file, m_dyno;
};

} // namespace dyno::test
