// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A real library with sample sessions in a folder of its own, for tests of pages.
#pragma once

#include "engine/store_sample.h"
#include "store/session/session_writer.h"

#include <dyno/library.h>
#include <dyno/report.h>

#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace dyno::test {

class SampleLibrary
{
public:
    [[nodiscard]] std::filesystem::path file() const { return path("library.dynolib").toStdString(); }
    [[nodiscard]] QString path(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }

    //! Records a session through the real writer; returns its id.
    QString add(sample::Options options, const char* title = nullptr)
    {
        options.id = "5e551011-0000-4000-8000-" + std::string(8, '0') + std::to_string(1000 + ++m_count);
        options.seed += std::uint64_t(m_count);
        auto writer = SessionWriter::open(file());
        if (!writer)
            qFatal("%s", writer.error().text().c_str());
        sample::feed(**writer, options);
        if (auto flushed = (*writer)->flush(); !flushed)
            qFatal("%s", flushed.error().text().c_str());
        writer->reset();
        if (title) {
            auto library = open();
            if (auto done = library->rename(options.id, title); !done)
                qFatal("%s", done.error().text().c_str());
        }
        return QString::fromStdString(options.id);
    }
    //! Quick to record: two values, short runs.
    QString addShort(const char* title, double scale = 1)
    {
        sample::Options options;
        options.intervals = 6;
        options.scale = scale;
        return add(options, title);
    }
    [[nodiscard]] std::unique_ptr<Library> open(Library::Mode mode = Library::Mode::ReadWrite) const
    {
        auto library = Library::open(file(), mode);
        if (!library)
            qFatal("%s", library.error().text().c_str());
        return std::move(*library);
    }
    [[nodiscard]] StoredSession session(const QString& id) const
    {
        auto session = open()->session(id.toStdString());
        if (!session)
            qFatal("%s", session.error().text().c_str());
        return *session;
    }
    [[nodiscard]] QStringList titles() const
    {
        QStringList list;
        for (const SessionInfo& info : open()->sessions().value())
            list += QString::fromStdString(info.title);
        return list;
    }

private:
    QTemporaryDir m_dir;
    int m_count = 0;
};

//! A plan with three user counts and one axis, so that lines are the natural chart.
inline std::string linesPlan()
{
    std::string plan = sample::kPlan;
    const auto swap = [&plan](const std::string& from, const std::string& to) {
        const auto at = plan.find(from);
        if (at != std::string::npos)
            plan.replace(at, from.size(), to);
    };
    swap("users = [1, 4]", "users = [1, 2, 4, 8]");
    swap("chart = \"bars\"", "chart = \"lines\"");
    swap("repeats = 2", "repeats = 3");
    return plan;
}

} // namespace dyno::test
