// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_interpreter.h"

#include "workload/lua/lua_files.h"
#include "workload/lua/lua_statement.h"
#include "workload/lua/prelude.h"

#include <dyno/visible_text.h>
#include <fmt/format.h>
#include <lua.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <type_traits>

namespace dyno::lua {

namespace {

constexpr int kInstructionsOfHook = 10'000;
constexpr std::size_t kLongestRepetition = std::size_t(64) << 20;

constexpr std::string_view kPreludeName = "prelude";
constexpr double kLargestWhole = 9007199254740992.0; //!< 2^53
constexpr std::size_t kMemoryOfUser = std::size_t(256) << 10;
constexpr const char* kHeldRows = "dyno rows";
constexpr std::size_t kLargeStatement = std::size_t(1) << 20; //!< its memory does not stay with its user
constexpr std::int32_t kOver = -1;                            //!< given to a script between events: it ends

std::int64_t wholeOf(double number)
{
    return std::isnan(number) ? 0 : std::int64_t(std::clamp(number, -kLargestWhole, kLargestWhole));
}

//! Begins a copy of an answer in the interpreter's memory; the values follow row by row, then their texts.
struct HeldRows
{
    std::size_t rows, columns;

    [[nodiscard]] const Param* values() const { return reinterpret_cast<const Param*>(this + 1); }
};
static_assert(std::is_trivially_destructible_v<Param> && alignof(Param) <= alignof(HeldRows));

//! As sysbench gives it: a text, or nil for NULL.
void pushValue(lua_State* lua, const Param& value)
{
    std::array<char, 32> digits;
    const char* end = digits.data();
    switch (value.type) {
    case Param::Type::Null:
        lua_pushnil(lua);
        return;
    case Param::Type::Text:
        lua_pushlstring(lua, value.text.data(), value.text.size());
        return;
    case Param::Type::Integer:
        end = std::to_chars(digits.data(), digits.data() + digits.size(), value.integer).ptr;
        break;
    case Param::Type::Real:
        end = std::to_chars(digits.data(), digits.data() + digits.size(), value.real).ptr;
        break;
    }
    lua_pushlstring(lua, digits.data(), std::size_t(end - digits.data()));
}

//! The function on top as bytecode of this library, with its lines; "" where there is no memory for it.
std::string codeOf(lua_State* lua)
{
    std::string code;
    const auto write = [](lua_State*, const void* piece, std::size_t size, void* to) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(piece), size);
        return 0;
    };
    return lua_dump(lua, write, &code) == 0 ? code : std::string();
}

//! Pushes the prelude, which is compiled once for all interpreters, or what is wrong with it.
bool loadPrelude(lua_State* lua)
{
    static CompiledFiles compiled;
    const std::string name(kPreludeName);
    if (const std::string code = compiled.of(name); !code.empty())
        return luaL_loadbufferx(lua, code.data(), code.size(), kPreludeName.data(), "b") == 0;
    if (luaL_loadbufferx(lua, kPrelude, std::char_traits<char>::length(kPrelude), "=prelude", "t") != 0)
        return false;
    compiled.add(name, codeOf(lua));
    return true;
}

} // namespace

std::string CompiledFiles::of(const std::string& name) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_codes.find(name);
    return found == m_codes.end() ? std::string() : found->second;
}

void CompiledFiles::add(const std::string& name, std::string code)
{
    const std::lock_guard lock(m_mutex);
    m_codes[name] = std::move(code);
}

void PrintedLines::endLine(std::string& open)
{
    std::ranges::replace(open, '\t', ' '); // print() puts tabs between its values
    if (open.find_first_not_of(" \t\r") == std::string::npos)
        ; // an empty line says nothing
    else if (m_lines.size() < kMostLines)
        m_lines.push_back(visibleText(open));
    else
        ++m_more;
    open.clear();
}

void PrintedLines::add(int user, std::string_view text, bool whole)
{
    const std::lock_guard lock(m_mutex);
    std::string& open = m_open[user];
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        open += line.substr(0, kMostBytes - std::min(kMostBytes, open.size()));
        if (line.size() == text.size())
            break;
        text.remove_prefix(line.size() + 1);
        endLine(open);
    }
    if (whole)
        endLine(open);
}

std::vector<std::string> PrintedLines::take()
{
    const std::lock_guard lock(m_mutex);
    for (auto& [user, open] : m_open)
        endLine(open);
    if (const std::size_t more = std::exchange(m_more, 0); more > 0)
        m_lines.push_back(fmt::format("and {} more lines", more));
    return std::exchange(m_lines, {});
}

//! What the interpreter calls.
struct InterpreterCalls
{
    //! Yields, as the script's own pcall would catch an error. Within a call from the language's library, where no
    //! yield is possible, it is an error, which the prelude's pcall passes on.
    static void hook(lua_State* lua, lua_Debug* place)
    {
        Interpreter& self = Interpreter::of(lua);
        self.m_instructions += kInstructionsOfHook;
        if (self.m_instructions < self.m_setup.mostInstructions)
            return;
        if (!std::exchange(self.m_stuck, true) && lua_getinfo(lua, "Sl", place) != 0)
            self.m_stuckPlace = fmt::format("{}:{}: ", place->short_src, place->currentline);
        if (!self.m_current || !self.m_current->m_thread || lua != self.m_current->m_thread)
            luaL_error(lua, "computes for too long"); // the top level of a file
        lua_yield(lua, 0);
    }
    static int yield(lua_State* lua, Turn turn)
    {
        ScriptUser* const user = Interpreter::of(lua).m_current;
        user->m_turn = turn;
        user->m_answer = nullptr; // of a statement that could not wait
        return lua_yield(lua, 0);
    }
    static int loads(lua_State* lua)
    {
        Interpreter::of(lua).m_current->m_loading += lua_toboolean(lua, 1) != 0 ? 1 : -1;
        return 0;
    }
    static int query(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        ScriptUser* const user = Interpreter::of(lua).m_current;
        user->checkPlace(lua);
        user->m_statement.assign(text, size);
        user->m_prepared = -1;
        user->m_keepsRows = lua_toboolean(lua, 2) != 0;
        return yield(lua, Turn::Statement);
    }
    static int event(lua_State* lua)
    {
        if (Interpreter::of(lua).m_stuck) [[unlikely]]
            return luaL_error(lua, "computes for too long");
        if (auto& sysbench = Interpreter::of(lua).m_current->m_sysbench) [[unlikely]]
            (void)sysbench->next(); // its histogram spreads times at random
        return yield(lua, Turn::Event);
    }
    static int restart(lua_State* lua) { return yield(lua, Turn::Restart); }
    static int ready(lua_State* lua)
    {
        Interpreter::of(lua).m_current->m_ready = true;
        return 0;
    }
    static int leave(lua_State* lua)
    {
        Interpreter::of(lua).m_current->m_leaves = true;
        return 0;
    }
    static int parallel(lua_State* lua)
    {
        Interpreter::of(lua).m_parallel = true;
        return 0;
    }
    static int print(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        Interpreter& self = Interpreter::of(lua);
        const ScriptUser& user = *self.m_current;
        const bool again = user.m_loading > 0 && user.m_number > 0; // the top level, which each user goes through
        if (PrintedLines* const printed = self.m_setup.printed.get(); printed && !again)
            printed->add(user.m_number, {text, size}, lua_toboolean(lua, 2) != 0);
        return 0;
    }
    static int stuck(lua_State* lua)
    {
        lua_pushboolean(lua, Interpreter::of(lua).m_stuck ? 1 : 0);
        return 1;
    }
    static int rollback(lua_State* lua)
    {
        ++Interpreter::of(lua).m_current->m_rollbacks;
        return 0;
    }
    static int reconnect(lua_State* lua)
    {
        if (std::atomic<bool>* const called = Interpreter::of(lua).m_setup.reconnects.get())
            called->store(true, std::memory_order_relaxed);
        return 0;
    }
    static int place(lua_State* lua)
    {
        Interpreter::pushPlace(lua);
        return 1;
    }
    //! A table with what another one holds, in one piece of memory.
    static int copied(lua_State* lua)
    {
        luaL_checktype(lua, 1, LUA_TTABLE);
        constexpr int kMore = 16; // what is added to it
        int count = kMore;
        for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1))
            ++count;
        lua_createtable(lua, 0, count);
        for (lua_pushnil(lua); lua_next(lua, 1) != 0;) {
            lua_pushvalue(lua, -2);
            lua_insert(lua, -2);
            lua_rawset(lua, 2);
        }
        return 1;
    }
    //! The rows of the last answer are read, or copied.
    static int settled(lua_State* lua)
    {
        Interpreter::of(lua).m_current->m_rows = nullptr;
        return 0;
    }
    //! All rows of the last answer, for when they are no longer the session's.
    static int keep(lua_State* lua)
    {
        const KeptRows* const kept = Interpreter::of(lua).m_current->m_rows;
        if (!kept || kept->rows() == 0)
            return 0;
        const std::size_t rows = kept->rows(), columns = kept->columns(0), count = rows * columns;
        std::size_t length = 0;
        for (std::size_t i = 0; i < count; ++i)
            length += kept->at(i / columns, i % columns).text.size();
        auto* const held =
            static_cast<HeldRows*>(lua_newuserdata(lua, sizeof(HeldRows) + count * sizeof(Param) + length));
        *held = {rows, columns};
        auto* const values = reinterpret_cast<Param*>(held + 1);
        auto* text = reinterpret_cast<char*>(values + count);
        for (std::size_t i = 0; i < count; ++i) {
            Param value = kept->at(i / columns, i % columns);
            if (value.type == Param::Type::Text) {
                value.text = {text, value.text.copy(text, value.text.size())};
                text += value.text.size();
            }
            std::construct_at(values + i, value);
        }
        luaL_getmetatable(lua, kHeldRows);
        lua_setmetatable(lua, -2);
        return 1;
    }
    //! A row of the last answer, or of a copy of another one.
    static int row(lua_State* lua)
    {
        const lua_Integer number = luaL_checkinteger(lua, 1);
        const auto at = std::size_t(std::max<lua_Integer>(number, 1) - 1);
        const auto push = [lua](std::size_t columns, const auto& valueOf) {
            lua_createtable(lua, int(columns), 0);
            for (std::size_t i = 0; i < columns; ++i) {
                pushValue(lua, valueOf(i));
                lua_rawseti(lua, -2, int(i + 1));
            }
            return 1;
        };
        if (!lua_isnoneornil(lua, 2)) {
            const auto& held = *static_cast<const HeldRows*>(luaL_checkudata(lua, 2, kHeldRows)); // a script may put
            if (at >= held.rows)                                                                  // anything there
                return 0;
            return push(held.columns, [&](std::size_t i) { return held.values()[at * held.columns + i]; });
        }
        const KeptRows* const kept = Interpreter::of(lua).m_current->m_rows;
        if (!kept || at >= kept->rows())
            return 0;
        return push(kept->columns(at), [&](std::size_t i) { return kept->at(at, i); });
    }
    static int compile(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        const std::string name = luaL_checkstring(lua, 2);
        CompiledFiles& compiled = *Interpreter::of(lua).m_setup.compiled;
        const std::string code = compiled.of(name);
        if (!code.empty() && luaL_loadbufferx(lua, code.data(), code.size(), name.c_str(), "b") == 0)
            return 1;
        if (luaL_loadbufferx(lua, text, size, ("=" + name).c_str(), "t") != 0) // a script brings no bytecode
            return lua_error(lua);
        compiled.add(name, codeOf(lua));
        return 1;
    }
    static int repetition(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        const lua_Integer times = luaL_checkinteger(lua, 2);
        if (times > 0 && size > 0 && std::size_t(times) > kLongestRepetition / size)
            return luaL_error(lua, "string.rep: the text is too long");
        luaL_Buffer buffer;
        luaL_buffinit(lua, &buffer);
        for (lua_Integer i = 0; i < times && size > 0; ++i)
            luaL_addlstring(&buffer, text, size);
        luaL_pushresult(&buffer);
        return 1;
    }
    static int text(lua_State* lua)
    {
        constexpr std::size_t kShort = 512;
        std::size_t size = 0;
        const char* const format = luaL_checklstring(lua, 1, &size);
        std::array<char, kShort> onStack;
        // what is longer lies in the interpreter's memory meanwhile
        char* const made = size <= onStack.size() ? onStack.data() : static_cast<char*>(lua_newuserdata(lua, size));
        Interpreter::of(lua).m_current->fillRandom(made, {format, size});
        lua_pushlstring(lua, made, size);
        return 1;
    }
    static std::int64_t bound(lua_State* lua, int argument) { return wholeOf(luaL_checknumber(lua, argument)); }
    static int drawOf(lua_State* lua, DistributionKind kind)
    {
        Interpreter& self = Interpreter::of(lua);
        const std::int64_t low = bound(lua, 1), high = bound(lua, 2);
        if (low > high)
            return luaL_error(lua, "the interval is empty");
        if (auto& sysbench = self.m_current->m_sysbench) [[unlikely]] {
            if (kind == DistributionKind::Zipfian)
                return luaL_error(lua, "with rand-seed there are no zipfian numbers: sysbench 1.0.20 has none");
            lua_pushnumber(lua, double(sysbench->draw(kind, self.m_spec, std::uint32_t(low), std::uint32_t(high))));
            return 1;
        }
        if (kind == DistributionKind::Uniform) [[likely]] {
            lua_pushnumber(lua, double(self.m_current->m_random->uniform(low, high)));
            return 1;
        }
        std::optional<Distribution>& last = self.m_drawnLast.at(std::size_t(kind));
        if (!last || last->low() != low || last->high() != high) {
            DistributionSpec spec = self.m_spec;
            spec.kind = kind;
            last.emplace(spec, low, high);
        }
        lua_pushnumber(lua, double(last->draw(*self.m_current->m_random)));
        return 1;
    }
    template<DistributionKind kind>
    static int draw(lua_State* lua)
    {
        return drawOf(lua, kind);
    }
    static int drawDefault(lua_State* lua) { return drawOf(lua, Interpreter::of(lua).m_spec.kind); }
    static int unique(lua_State* lua)
    {
        UniqueNumbers& numbers = *Interpreter::of(lua).m_setup.uniques;
        lua_pushnumber(lua, double(numbers.sequence.at(numbers.next.fetch_add(1, std::memory_order_relaxed))));
        return 1;
    }
    static int unit(lua_State* lua) // uniform_double
    {
        ScriptUser& user = *Interpreter::of(lua).m_current;
        lua_pushnumber(lua, user.m_sysbench ? user.m_sysbench->unit() : user.m_random->unit());
        return 1;
    }
    //! As math.random of the language.
    static int random(lua_State* lua)
    {
        Random& numbers = *Interpreter::of(lua).m_current->m_random;
        if (lua_gettop(lua) == 0) {
            lua_pushnumber(lua, numbers.unit());
            return 1;
        }
        const std::int64_t first = bound(lua, 1);
        const std::int64_t low = lua_gettop(lua) == 1 ? 1 : first, high = lua_gettop(lua) == 1 ? first : bound(lua, 2);
        if (low > high)
            return luaL_error(lua, "the interval is empty");
        lua_pushnumber(lua, double(numbers.uniform(low, high)));
        return 1;
    }
    static int number(lua_State* lua) // as many bits as a number of the language holds
    {
        ScriptUser& user = *Interpreter::of(lua).m_current;
        lua_pushnumber(lua, double((user.m_sysbench ? user.m_sysbench->next() : user.m_random->next()) >> 11));
        return 1;
    }
};

Interpreter& Interpreter::of(lua_State* lua)
{
    void* owner = nullptr;
    lua_getallocf(lua, &owner);
    return *static_cast<Interpreter*>(owner);
}

void* Interpreter::allocate(void* owner, void* old, std::size_t oldSize, std::size_t size)
{
    auto& self = *static_cast<Interpreter*>(owner);
    const std::size_t before = old ? oldSize : 0;
    if (self.m_limited && size > before && self.m_memory - before + size > self.m_setup.mostMemory)
        return nullptr;
    self.m_memory = self.m_memory - before + size;
    if (size > 0)
        return std::realloc(old, size);
    std::free(old);
    return nullptr;
}

void Interpreter::pushPlace(lua_State* lua)
{
    lua_Debug frame{};
    for (int level = 1; lua_getstack(lua, level, &frame) != 0; ++level) {
        lua_getinfo(lua, "Sl", &frame);
        if (frame.currentline > 0 && std::string_view(frame.short_src) != kPreludeName) {
            lua_pushfstring(lua, "%s:%d: ", frame.short_src, frame.currentline);
            return;
        }
    }
    lua_pushliteral(lua, "");
}

void Interpreter::failHere(lua_State* lua, const char* why)
{
    pushPlace(lua);
    lua_pushstring(lua, why);
    lua_concat(lua, 2);
    lua_error(lua);
    std::abort(); // the line before does not return
}

//! The top level of a file cannot wait: another user would change its environment meanwhile.
void ScriptUser::checkPlace(lua_State* lua) const
{
    if (!m_thread || m_loading > 0) [[unlikely]]
        Interpreter::failHere(lua, "a statement outside of a function");
}

void Interpreter::readDistributions()
{
    m_spec.compat = true;
    m_spec.kind = DistributionKind::Special;
    const auto amount = [this](const ScriptFile& option, double least, double most) {
        double value = least;
        const char* const last = option.text.data() + option.text.size();
        const auto [end, problem] = std::from_chars(option.text.data(), last, value);
        if (problem != std::errc() || end != last || !(value >= least && value <= most))
            m_problem = fmt::format("option {}: a number from {} to {} is expected", option.name, least, most);
        return value;
    };
    for (const ScriptFile& option : m_setup.options) {
        if (option.name == "rand_type") {
            if (const auto kind = distributionFromText(option.text))
                m_spec.kind = *kind;
            else
                m_problem = "option rand_type: uniform, gaussian, special, pareto or zipfian is expected";
        } else if (option.name == "rand_seed") {
            m_seed = seedOf(m_setup.options);
        } else if (option.name == "rand_spec_iter") {
            m_spec.iterations = int(std::clamp(amount(option, 1, 100), 1.0, 100.0));
        } else if (option.name == "rand_spec_pct") {
            m_spec.specialPercent = amount(option, 0, 100);
        } else if (option.name == "rand_spec_res") {
            m_spec.specialShare = amount(option, 0, 99.999);
        } else if (option.name == "rand_pareto_h") {
            m_spec.paretoH = amount(option, 0.001, 0.999);
        } else if (option.name == "rand_zipfian_exp") {
            m_spec.zipfianExponent = amount(option, 0, 100);
        }
    }
}

Interpreter::Interpreter(ScriptSetup setup)
    : m_setup(std::move(setup))
{
    if (m_setup.files.empty()) {
        m_problem = "there is no script";
        return;
    }
    readDistributions();
    if (!m_problem.empty())
        return;
    if (!m_setup.uniques)
        m_setup.uniques = std::make_shared<UniqueNumbers>(m_seed ? UniqueSequence::ofSysbench() : UniqueSequence(1));
    if (m_seed && (!m_setup.sysbench || m_setup.sysbench->size() < std::size_t(m_setup.threads)))
        m_setup.sysbench = std::make_shared<const std::vector<SysbenchRandom>>(
            m_setup.command == "run" ? SysbenchRandom::ofRun(*m_seed, m_setup.threads)
                                     : SysbenchRandom::ofCommand(m_setup.parallel, m_setup.threads));
    if (!m_setup.compiled)
        m_setup.compiled = std::make_shared<CompiledFiles>();
    m_state = lua_newstate(Interpreter::allocate, this);
    if (!m_state) {
        m_problem = "the interpreter takes no limit of memory";
        return;
    }
    lua_State* const lua = m_state;
    luaL_openlibs(lua);                // for the prelude; scripts get what it picks
    luaL_newmetatable(lua, kHeldRows); // says what is one of ours; no script gets it
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
    luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF); // compiled loops run no hook
    if (!loadPrelude(lua)) {
        m_problem = lua_tostring(lua, -1);
        return;
    }
    static constexpr luaL_Reg kCalls[] = {
        {"query", InterpreterCalls::query},
        {"loads", InterpreterCalls::loads},
        {"event", InterpreterCalls::event},
        {"compile", InterpreterCalls::compile},
        {"rep", InterpreterCalls::repetition},
        {"text", InterpreterCalls::text},
        {"restart", InterpreterCalls::restart},
        {"ready", InterpreterCalls::ready},
        {"leave", InterpreterCalls::leave},
        {"parallel", InterpreterCalls::parallel},
        {"print", InterpreterCalls::print},
        {"stuck", InterpreterCalls::stuck},
        {"rollback", InterpreterCalls::rollback},
        {"reconnect", InterpreterCalls::reconnect},
        {"place", InterpreterCalls::place},
        {"settled", InterpreterCalls::settled},
        {"copied", InterpreterCalls::copied},
        {"row", InterpreterCalls::row},
        {"keep", InterpreterCalls::keep},
        {"random", InterpreterCalls::random},
        {"unit", InterpreterCalls::unit},
        {"number", InterpreterCalls::number},
        {"unique", InterpreterCalls::unique},
        {"default", InterpreterCalls::drawDefault},
        {"uniform", InterpreterCalls::draw<DistributionKind::Uniform>},
        {"gaussian", InterpreterCalls::draw<DistributionKind::Gaussian>},
        {"special", InterpreterCalls::draw<DistributionKind::Special>},
        {"pareto", InterpreterCalls::draw<DistributionKind::Pareto>},
        {"zipfian", InterpreterCalls::draw<DistributionKind::Zipfian>},
        {nullptr, nullptr},
    };
    lua_newtable(lua);
    luaL_register(lua, nullptr, kCalls);
    addStatements(lua);
    lua_newtable(lua);
    const auto field = [lua](const char* name, const std::string& value) {
        lua_pushlstring(lua, value.data(), value.size());
        lua_setfield(lua, -2, name);
    };
    field("driver", m_setup.driver);
    field("command", m_setup.command);
    field("script", m_setup.files.front().name);
    lua_pushinteger(lua, m_setup.threads);
    lua_setfield(lua, -2, "threads");
    lua_pushboolean(lua, m_seed && m_setup.threads == 1 ? 1 : 0);
    lua_setfield(lua, -2, "alone");
    lua_pushboolean(lua, m_setup.collected ? 1 : 0);
    lua_setfield(lua, -2, "collects");
    const auto list = [lua, &field](const char* name, const std::vector<ScriptFile>& entries) {
        lua_newtable(lua);
        for (const ScriptFile& entry : entries)
            field(entry.name.c_str(), entry.text);
        lua_setfield(lua, -2, name);
    };
    list("files", m_setup.files);
    list("options", m_setup.options);
    std::vector<ScriptFile> elsewhere;
    for (const ScriptFile& option : m_setup.options) {
        if (const std::string place = placeOfOption(option.name); !place.empty())
            elsewhere.push_back({option.name, "; " + place});
    }
    list("elsewhere", elsewhere);
    if (lua_pcall(lua, 2, 1, 0) != 0) {
        m_problem = lua_tostring(lua, -1);
        return;
    }
    lua_getfield(lua, -1, "make");
    m_makeUser = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_getfield(lua, -1, "run");
    m_runUser = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_pop(lua, 1);
    lua_sethook(lua, InterpreterCalls::hook, LUA_MASKCOUNT, kInstructionsOfHook);
}

Interpreter::~Interpreter()
{
    if (m_state)
        lua_close(m_state);
}

std::unique_ptr<ScriptUser> Interpreter::addUser(int number, std::uint64_t seed)
{
    return std::unique_ptr<ScriptUser>(new ScriptUser(*this, number, seed));
}

ScriptUser::ScriptUser(Interpreter& owner, int number, std::uint64_t seed)
    : m_owner(owner)
    , m_number(number)
    , m_ownRandom(Random::forItem(seed, std::uint64_t(number) + 1, 0))
    , m_problem(owner.m_problem)
{
    m_over = !m_problem.empty();
    if (m_over)
        return;
    if (owner.m_seed)
        m_sysbench = owner.m_setup.sysbench->at(std::size_t(number));
    lua_State* const lua = owner.m_state;
    ++owner.m_users;
    owner.m_setup.mostMemory += kMemoryOfUser;
    owner.m_current = this;
    owner.m_instructions = 0;
    owner.m_stuck = false;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, owner.m_makeUser);
    lua_pushinteger(lua, number);
    owner.m_limited = true;
    const int made = lua_pcall(lua, 1, 2, 0);
    owner.m_limited = false;
    if (made != 0) {
        m_problem = owner.errorOf(lua);
        if (owner.m_stuck)
            m_problem = owner.m_stuckPlace + "computes for too long";
        m_over = true;
        lua_pop(lua, 1);
        return;
    }
    m_thread = lua_newthread(lua);
    m_anchor = luaL_ref(lua, LUA_REGISTRYINDEX); // or it would be collected while it waits
    lua_rawgeti(lua, LUA_REGISTRYINDEX, owner.m_runUser);
    lua_insert(lua, -3);
    lua_xmove(lua, m_thread, 3);
}

void ScriptUser::fillRandom(char* to, std::string_view format)
{
    const auto fill = [&](auto& random) {
        for (const char c : format)
            *to++ = c == '#' ? char(random.uniform('0', '9')) : c == '@' ? char(random.uniform('a', 'z')) : c;
    };
    if (m_sysbench) [[unlikely]]
        fill(*m_sysbench);
    else
        fill(*m_random);
}

ScriptUser::~ScriptUser()
{
    if (m_owner.m_current == this)
        m_owner.m_current = nullptr;
    if (m_anchor >= 0)
        luaL_unref(m_owner.m_state, LUA_REGISTRYINDEX, m_anchor);
}

Turn ScriptUser::end()
{
    if (!m_between)
        return Turn::Event;
    Answer last;
    last.code = kOver;
    return go(last);
}

//! Pushes what the call that the script waits in returns.
int ScriptUser::give(const Answer& answer)
{
    AnswerObject* const waiting = std::exchange(m_answer, nullptr);
    const bool held = waiting && lua_gettop(m_thread) > 0 && lua_touserdata(m_thread, -1) == waiting;
    if (held && answer.code == 0) [[likely]] {
        waiting->rows = answer.rows > 0 ? answer.rows : std::max<std::int64_t>(answer.affected, 0);
        return 1; // it is there already
    }
    lua_settop(m_thread, 0);
    lua_pushinteger(m_thread, answer.code);
    if (m_between)
        return 1;
    if (answer.code == 0) {
        const std::size_t kept = m_rows ? m_rows->rows() : 0;
        const std::int64_t rows = answer.rows > 0 && m_keepsRows ? std::int64_t(kept)
                                  : answer.rows > 0              ? answer.rows
                                                                 : std::max<std::int64_t>(answer.affected, 0);
        lua_pushnumber(m_thread, double(rows));
        lua_pushinteger(m_thread, kept > 0 ? lua_Integer(m_rows->columns(0)) : 0);
        lua_pushinteger(m_thread, lua_Integer(kept));
    } else {
        lua_pushlstring(m_thread, answer.message.data(), answer.message.size());
        lua_pushboolean(m_thread, answer.restart ? 1 : 0);
        lua_pushlstring(m_thread, answer.state.data(), answer.state.size());
    }
    return 4;
}

Turn ScriptUser::go(const Answer& answer)
{
    if (m_over)
        return Turn::Failed;
    m_rows = answer.code == 0 && m_keepsRows ? answer.kept : nullptr;
    const int given = m_started ? give(answer) : 2; // what make() returned
    m_started = true;
    m_between = false;
    if (m_statement.capacity() > kLargeStatement) [[unlikely]]
        std::string().swap(m_statement);
    m_owner.m_current = this;
    m_owner.m_instructions = 0;
    m_owner.m_stuck = false;
    m_owner.m_limited = true;
    const int state = lua_resume(m_thread, given);
    m_owner.m_limited = false;
    if (m_owner.m_memory > m_owner.m_collectAbove) [[unlikely]]
        m_owner.makeRoom();
    if (state == LUA_YIELD && !m_owner.m_stuck) [[likely]] {
        m_between = m_turn != Turn::Statement;
        return m_turn;
    }
    m_over = true;
    if (state == 0) {
        m_problem = "the script is over";
        return Turn::Event;
    }
    if (m_owner.m_stuck) {
        m_problem = m_owner.m_stuckPlace + "computes for too long without a statement";
        return Turn::Failed;
    }
    m_problem = m_owner.errorOf(m_thread);
    return Turn::Failed;
}

//! The interpreter collects when its memory has doubled, which may be beyond the limit.
void Interpreter::makeRoom()
{
    const std::size_t enough = m_setup.mostMemory / 4 * 3;
    if (m_memory > enough)
        lua_gc(m_state, LUA_GCCOLLECT, 0);
    m_collectAbove = std::max(enough, m_memory + (m_setup.mostMemory - std::min(m_memory, m_setup.mostMemory)) / 2);
}

std::string Interpreter::errorOf(lua_State* lua) const
{
    const char* const why = lua_tostring(lua, -1);
    if (!why)
        return "the script fails with a value that is no text";
    if (std::string_view(why) == "not enough memory")
        return fmt::format("not enough memory: scripts of a thread with {} users may take {} MB", m_users,
                           m_setup.mostMemory >> 20);
    return why;
}

std::string Interpreter::syntaxProblem(const ScriptFile& file)
{
    lua_State* const lua = luaL_newstate();
    if (!lua)
        return "there is no memory for the interpreter";
    const std::string name = fmt::format("={}.lua", file.name);
    std::string problem;
    if (luaL_loadbufferx(lua, file.text.data(), file.text.size(), name.c_str(), "t") != 0) {
        const char* const why = lua_tostring(lua, -1);
        problem = why ? why : "the file cannot be read";
    }
    lua_close(lua);
    return problem;
}

} // namespace dyno::lua
