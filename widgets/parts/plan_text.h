// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Between a plan's values and what a person types: user counts, option values, field paths. Pure functions; any
//! thread.
#pragma once

#include "qt_text.h"

#include <dyno/plan.h>
#include <dyno/value.h>

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace dyno {

//! User counts as typed: "1, 4, 16", "1 4 16", ranges "2-5" (each), doubling "1-256*2". Duplicates are dropped, the
//! order stays. nullopt with a text in `error` when it cannot be read, a count is outside 1…1 000 000, or there are
//! more than 200.
[[nodiscard]] std::optional<std::vector<int>> parseUsers(const QString& text, QString* error = nullptr);
[[nodiscard]] QString usersText(const std::vector<int>& users); //!< "1, 4, 16"

//! What was typed, as a value of the option: coerced when it fits, as typed when it does not (then checkPlan() says
//! so). Thin and no-break spaces inside numbers are accepted, sizes and durations stay as typed ("64M", "30s").
[[nodiscard]] Value valueFromText(const OptionSpec& option, const QString& text);
//! As valueFromText(), for a name that nothing describes.
[[nodiscard]] Value valueFromText(const QString& text);
//! The form a field shows: ON/OFF for booleans, else as in the plan.
[[nodiscard]] QString valueText(const Value& value);
//! The default as a placeholder: "10 000 rows", "uniform", "ON".
[[nodiscard]] QString defaultText(const OptionSpec& option);
//! What a default of its own kind means, in the words of the option's help: "as the form says" from "-1: as the form
//! says, three in mytools". "" for a default that means itself.
[[nodiscard]] QString defaultMeaning(const OptionSpec& option);
//! Help, range, default and unit as rich text for a tooltip.
[[nodiscard]] QString optionToolTip(const OptionSpec& option);
//! Why `text` does not fit, "" when it does.
[[nodiscard]] QString valueProblem(const OptionSpec& option, const QString& text);

//! "server.sync_binlog" → {"server", "sync_binlog"}; without a dot the scope is empty.
struct FieldPath
{
    QString scope;
    QString name;
};
[[nodiscard]] FieldPath splitPath(const QString& path);
[[nodiscard]] QString scopeLabel(const QString& scope); //!< translated: "server variable"

//! Seconds as a person types them: "30 s", "2 min", "1 h", "500 ms".
[[nodiscard]] QString secondsText(double seconds);
[[nodiscard]] std::optional<double> secondsFromText(const QString& text);

//! The card of the Plan page that a fault's field path belongs to.
enum class PlanSection { Title, Target, Workload, Axes, Load, Observe, About };
[[nodiscard]] PlanSection sectionOf(const QString& where);

//! "5 cases of durability × 3 user counts × 3 repeats".
[[nodiscard]] QString productSentence(const Plan& plan);
//! A product as people write it: "MongoDB" of "mongodb". What is not known stays as it is.
[[nodiscard]] QString productName(const QString& product);
//! Of a button that starts measuring and says how long it takes.
[[nodiscard]] QString startTip();
//! Singular and plural without relying on a loaded translation: "1 run", "12 runs".
[[nodiscard]] QString runsText(qint64 count);
[[nodiscard]] QString faultsText(int count);
//! A text of the engine as a sentence of its own: first letter in upper case unless it begins with a name, and long
//! names may break after their separators.
[[nodiscard]] QString sentenceText(const std::string& text);

} // namespace dyno
