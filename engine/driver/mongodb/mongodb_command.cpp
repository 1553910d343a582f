// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_command.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace dyno::mongodb {

namespace {

constexpr std::size_t kDeepest = 100; //!< as MongoDB's own limit for nested documents
constexpr std::size_t kShown = 200;   //!< characters of a command in a message

template<class Names>
bool among(std::string_view name, const Names& names)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool endsInWriting(const bson_t& command)
{
    // An aggregation that stores its result is a write.
    bson_iter_t pipeline;
    bson_iter_t stage;
    if (!bson_iter_init_find(&pipeline, &command, "pipeline") || !bson_iter_recurse(&pipeline, &stage))
        return false;
    while (bson_iter_next(&stage)) {
        bson_iter_t name;
        if (bson_iter_recurse(&stage, &name) && bson_iter_next(&name) &&
            among(bson_iter_key(&name), std::array<std::string_view, 2>{"$out", "$merge"}))
            return true;
    }
    return false;
}

void appendNumber(std::string& buffer, auto number)
{
    // BSON is little-endian.
    static_assert(BSON_BYTE_ORDER == BSON_LITTLE_ENDIAN, "the writer copies numbers as they are");
    std::array<char, sizeof(number)> bytes;
    std::memcpy(bytes.data(), &number, sizeof(number));
    buffer.append(bytes.data(), bytes.size());
}

} // namespace

CommandTraits traitsOf(const bson_t& command)
{
    static constexpr std::array<std::string_view, 4> kReads = {"find", "aggregate", "count", "distinct"};
    static constexpr std::array<std::string_view, 5> kWrites = {"insert", "update", "delete", "findAndModify",
                                                                "findandmodify"};
    static constexpr std::array<std::string_view, 11> kAdmin = {"getParameter",
                                                                "setParameter",
                                                                "getCmdLineOpts",
                                                                "listDatabases",
                                                                "renameCollection",
                                                                "replSetInitiate",
                                                                "replSetGetStatus",
                                                                "replSetStepDown",
                                                                "fsync",
                                                                "shutdown",
                                                                "setFeatureCompatibilityVersion"};
    CommandTraits traits;
    bson_iter_t at;
    if (!bson_iter_init(&at, &command) || !bson_iter_next(&at))
        return traits;
    traits.name = bson_iter_key(&at);
    if (BSON_ITER_HOLDS_UTF8(&at)) {
        std::uint32_t size = 0;
        const char* text = bson_iter_utf8(&at, &size);
        traits.collection.assign(text, size);
    }
    if (among(traits.name, kWrites) || (traits.name == "aggregate" && endsInWriting(command)))
        traits.kind = CommandKind::Write;
    else if (among(traits.name, kReads))
        traits.kind = CommandKind::Read;
    traits.adminOnly = among(traits.name, kAdmin);
    traits.hasReadConcern = bson_has_field(&command, "readConcern");
    traits.hasWriteConcern = bson_has_field(&command, "writeConcern");
    return traits;
}

std::string elementsOf(const bson_t& document)
{
    constexpr std::uint32_t kFrame = 5; // length before, 0 behind
    if (document.len < kFrame)
        return {};
    return {reinterpret_cast<const char*>(bson_get_data(&document)) + 4, document.len - kFrame};
}

Expected<JsonCommand> JsonCommand::parse(std::string_view text)
{
    bson_error_t error{};
    bson_t* parsed =
        bson_new_from_json(reinterpret_cast<const std::uint8_t*>(text.data()), ssize_t(text.size()), &error);
    const auto shown = [text] { return fmt::format("{}{}", text.substr(0, kShown), text.size() > kShown ? "…" : ""); };
    if (!parsed)
        return fail({ErrorKind::BadInput,
                     fmt::format("{}: this is not a command in JSON: {}", shown(), error.message),
                     {},
                     R"(write it as {"find": "people", "filter": {"_id": 1}})"});
    if (bson_empty(parsed)) {
        bson_destroy(parsed);
        return fail({ErrorKind::BadInput,
                     fmt::format("{}: the command is empty", shown()),
                     {},
                     R"(write it as {"find": "people", "filter": {"_id": 1}})"});
    }
    return JsonCommand(parsed);
}

JsonCommand::JsonCommand(JsonCommand&& other) noexcept
    : m_bson(std::exchange(other.m_bson, nullptr))
{
}

JsonCommand::~JsonCommand()
{
    if (m_bson)
        bson_destroy(m_bson);
}

void JsonCommand::append(std::string_view elements)
{
    if (elements.empty())
        return;
    std::string document;
    appendNumber(document, std::int32_t(elements.size() + 5));
    document.append(elements);
    document += '\0';
    bson_t more;
    if (bson_init_static(&more, reinterpret_cast<const std::uint8_t*>(document.data()), document.size()))
        bson_concat(m_bson, &more);
}

//! Walks a parsed template and writes its steps.
class CommandTemplate::Compiler
{
public:
    explicit Compiler(CommandTemplate& result)
        : m_result(result)
    {
    }
    //! False when it is nested too deeply.
    bool document(bson_iter_t& at, std::size_t depth)
    {
        if (depth >= kDeepest)
            return false;
        step(StepKind::Open);
        while (bson_iter_next(&at)) {
            if (!element(at, depth))
                return false;
        }
        step(StepKind::Close);
        return true;
    }

private:
    bool element(const bson_iter_t& at, std::size_t depth)
    {
        const char* key = bson_iter_key(&at);
        const bson_type_t type = bson_iter_type(&at);
        std::uint32_t size = 0;
        const std::string_view text = type == BSON_TYPE_UTF8 ? bson_iter_utf8(&at, &size) : "";
        if (size == text.size() && (text == "?" || text == "?binary")) {
            step(text == "?" ? StepKind::Value : StepKind::Binary, std::uint32_t(std::strlen(key)) + 1);
            m_result.m_bytes.append(key, std::strlen(key) + 1);
            ++m_result.m_parameters;
            return true;
        }
        if (type == BSON_TYPE_DOCUMENT || type == BSON_TYPE_ARRAY) {
            add(std::string(1, char(type)));
            add(std::string_view(key, std::strlen(key) + 1));
            bson_iter_t child;
            return bson_iter_recurse(&at, &child) && document(child, depth + 1);
        }
        // As it is: type, key and value.
        add(std::string_view(reinterpret_cast<const char*>(at.raw) + at.off, at.next_off - at.off));
        return true;
    }
    void add(std::string_view bytes)
    {
        m_result.m_bytes.append(bytes);
        m_pending += std::uint32_t(bytes.size());
    }
    void step(StepKind kind, std::uint32_t keySize = 0)
    {
        m_result.m_steps.push_back({kind, m_pending, keySize});
        m_pending = 0;
    }

    CommandTemplate& m_result;
    std::uint32_t m_pending = 0; //!< bytes since the last step
};

Expected<CommandTemplate> CommandTemplate::compile(const StatementSpec& spec)
{
    const auto parsed = JsonCommand::parse(spec.text);
    if (!parsed)
        return fail(parsed.error());
    CommandTemplate result;
    result.m_traits = traitsOf(parsed->bson());
    Compiler compiler(result);
    bson_iter_t at;
    if (!bson_iter_init(&at, &parsed->bson()) || !compiler.document(at, 0))
        return fail({ErrorKind::BadInput,
                     fmt::format("{}: the command is nested too deeply", spec.text.substr(0, kShown)),
                     {},
                     "MongoDB takes 100 levels"});
    if (!spec.parameters.empty() && spec.parameters.size() != result.m_parameters)
        return fail({ErrorKind::BadInput,
                     fmt::format("{}: {} parameters are announced, and \"?\" stands {} times in the command",
                                 spec.text.substr(0, kShown), spec.parameters.size(), result.m_parameters),
                     {},
                     {}});
    return result;
}

bool CommandTemplate::write(std::span<const Param> params, std::string_view tail, std::string& buffer) const
{
    constexpr std::size_t kLargest = std::numeric_limits<std::int32_t>::max();
    std::array<std::size_t, kDeepest> open; // where the lengths of open documents stand
    std::size_t depth = 0;
    const char* bytes = m_bytes.data();
    std::size_t next = 0;
    buffer.clear();
    for (const Step& step : m_steps) {
        buffer.append(bytes, step.size);
        bytes += step.size;
        switch (step.kind) {
        case StepKind::Open:
            open[depth++] = buffer.size();
            buffer.append(4, '\0');
            break;
        case StepKind::Close: {
            if (depth == 1)
                buffer.append(tail);
            buffer += '\0';
            const std::size_t begin = open[--depth];
            const std::size_t size = buffer.size() - begin;
            if (size > kLargest)
                return false;
            const auto length = std::int32_t(size);
            std::memcpy(buffer.data() + begin, &length, sizeof(length));
            break;
        }
        case StepKind::Value:
        case StepKind::Binary: {
            const Param& param = params[next++];
            const bool small = param.integer >= std::numeric_limits<std::int32_t>::min() &&
                               param.integer <= std::numeric_limits<std::int32_t>::max();
            const std::size_t type = buffer.size();
            buffer += char(BSON_TYPE_NULL);
            buffer.append(bytes, step.keySize);
            bytes += step.keySize;
            switch (param.type) {
            case Param::Type::Null:
                break;
            case Param::Type::Integer: // as the drivers of scripting languages do
                buffer[type] = char(small ? BSON_TYPE_INT32 : BSON_TYPE_INT64);
                if (small)
                    appendNumber(buffer, std::int32_t(param.integer));
                else
                    appendNumber(buffer, param.integer);
                break;
            case Param::Type::Real:
                buffer[type] = char(BSON_TYPE_DOUBLE);
                appendNumber(buffer, param.real);
                break;
            case Param::Type::Text:
                if (param.text.size() >= kLargest)
                    return false;
                if (step.kind == StepKind::Binary) {
                    buffer[type] = char(BSON_TYPE_BINARY);
                    appendNumber(buffer, std::int32_t(param.text.size()));
                    buffer += char(BSON_SUBTYPE_BINARY);
                    buffer.append(param.text);
                    break;
                }
                buffer[type] = char(BSON_TYPE_UTF8);
                appendNumber(buffer, std::int32_t(param.text.size() + 1));
                buffer.append(param.text);
                buffer += '\0';
                break;
            }
            break;
        }
        }
    }
    return true;
}

} // namespace dyno::mongodb
