// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/import.h>

#include <QTest>

#include <cmath>
#include <fstream>
#include <string>

//! Stops the test with the error's text.
template<class T>
T importedMust(dyno::Expected<T> result)
{
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return std::move(*result);
}

inline std::filesystem::path importData(const std::string& name)
{
    return std::filesystem::path(DYNO_TEST_DATA) / "import" / name;
}

inline dyno::ImportPreview previewOf(const std::string& name, const dyno::ImportOptions& options = {})
{
    return importedMust(dyno::previewImport({importData(name)}, options));
}

//! The path of a file with this content below `folder`.
inline std::filesystem::path written(const QString& folder, const std::string& name, const std::string& content)
{
    const std::filesystem::path file = std::filesystem::path(folder.toStdString()) / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
}

inline bool near(double value, double expected, double tolerance)
{
    const bool fits = std::abs(value - expected) <= tolerance;
    if (!fits)
        qWarning("%g is not %g ± %g", value, expected, tolerance);
    return fits;
}

inline const dyno::OperationSummary& operationOf(const dyno::RunSummary& summary, const std::string& name)
{
    for (const dyno::OperationSummary& one : summary.operations)
        if (one.name == name)
            return one;
    qFatal("there is no operation %s", name.c_str());
}

inline bool hasFigure(const dyno::ImportedRun& run, const std::string& name, const std::string& value)
{
    for (const dyno::ImportFigure& one : run.figures)
        if (one.name == name)
            return one.value == value;
    return false;
}
