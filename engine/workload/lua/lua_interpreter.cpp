// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_interpreter.h"

#include "workload/distribution.h"

#include <fmt/format.h>
#include <lua.hpp>

#include <cstdlib>

namespace dyno::lua {

namespace {

constexpr int kInstructionsOfHook = 10'000;
constexpr std::size_t kLongestRepetition = std::size_t(64) << 20;

// sysbench's functions and the closed room that a script lives in
constexpr const char* kPrelude = R"LUA(
local core, setup = ...
local error, type, tostring, tonumber, pcall, setmetatable, setfenv = error, type, tostring, tonumber, pcall, setmetatable, setfenv
local concat = table.concat
local function check(code, message, restart)
  if code ~= 0 then error({ sql_errno = code, message = message, restart = restart }, 0) end
end
local function send(text) check(core.query(text)) end
local numbers = { INT = true, BIGINT = true, SMALLINT = true, TINYINT = true, DOUBLE = true, FLOAT = true }
local types = {}
for _, name in ipairs{"NONE", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "TIME", "DATE", "DATETIME",
                      "TIMESTAMP", "CHAR", "VARCHAR"} do types[name] = name end
local param, statement, connection, driver = {}, {}, {}, {}
for _, class in ipairs{param, statement, connection, driver} do class.__index = class; class.__metatable = false end
local function quoted(value) return "'" .. (tostring(value):gsub("['\\%z]", { ["'"] = "''", ["\\"] = "\\\\", ["\0"] = "\\0" })) .. "'" end
function param:set(value)
  if value == nil then self.text = "NULL"
  elseif self.number then
    if type(value) ~= "number" then error("a number is expected", 2) end
    self.text = self.whole and ("%.0f"):format(value) or ("%.17g"):format(value)
  else self.text = quoted(value) end
end
function param:set_rand_str(format) self.text = quoted(core.text(format)) end
function statement:bind_create(kind)
  if types[kind] == nil then error("unknown type of a parameter", 2) end
  return setmetatable({ number = numbers[kind], whole = kind ~= "DOUBLE" and kind ~= "FLOAT", text = "NULL" }, param)
end
function statement:bind_param(...) self.params = {...} end
function statement:execute()
  local params, pieces = self.params, self.pieces
  if #params ~= #pieces - 1 then error("the statement has another number of parameters", 2) end
  local parts = { pieces[1] }
  for i = 1, #params do parts[2 * i] = params[i].text; parts[2 * i + 1] = pieces[i + 1] end
  send(concat(parts))
end
function statement:close() end
function connection:query(text) send(text) end
function connection:prepare(text) return setmetatable({ pieces = core.pieces(text), params = {} }, statement) end
function connection:bulk_insert_init(text) self.head, self.rows, self.size = text, {}, 0 end
function connection:bulk_insert_next(row)
  if self.size + #row > 500000 then self:bulk_insert_done() end
  self.rows[#self.rows + 1] = row; self.size = self.size + #row
end
function connection:bulk_insert_done()
  if #self.rows > 0 then local all = concat(self.rows, ","); self.rows, self.size = {}, 0; send(self.head .. " " .. all) end
end
function connection:disconnect() end
function driver:connect() return setmetatable({}, connection) end
function driver:name() return setup.driver end

local function pick(from, names) local t = {}; for name in names:gmatch("%w+") do t[name] = from[name] end; return t end
local texts = pick(string, "byte char find format gmatch gsub len lower match rep reverse sub upper")
texts.rep = core.rep
local plain = getmetatable("")
plain.__index, plain.__metatable = pick(texts, "byte char find format gmatch gsub len lower match rep reverse sub upper"), false
local mains = {}
local function instance(name, env)
  local main = mains[name]
  if not main then
    if not setup.files[name] then error("require: there is no file " .. name .. ".lua in the plan", 0) end
    main = core.compile(setup.files[name], name .. ".lua"); mains[name] = main
  end
  setfenv(main, env); return main()
end
local M = {}
function M.make(tid)
  local env = pick(_G, "assert error ipairs next pairs pcall xpcall select tonumber tostring type unpack rawequal rawget rawset setmetatable getmetatable")
  env.math = pick(math, "abs ceil floor max min sqrt pow log exp fmod modf huge pi sin cos tan random")
  env.table, env.string = pick(table, "concat insert remove sort maxn"), pick(texts, "byte char find format gmatch gsub len lower match rep reverse sub upper")
  env.bit, env.os = pick(bit, "band bor bxor bnot lshift rshift arshift tobit tohex"), pick(os, "time clock date")
  env.print, env._G = function() end, env
  local loaded = {}
  function env.require(name)
    if type(name) ~= "string" or not name:match("^[%w_]+$") then error("require: a name is expected, no path", 2) end
    if loaded[name] == nil then loaded[name] = instance(name, env) or true end
    return loaded[name]
  end
  local rand = pick(core, "default uniform gaussian special pareto zipfian")
  rand.string = core.text
  env.sysbench = { tid = tid, opt = { threads = setup.threads }, hooks = {}, rand = rand,
    cmdline = { command = setup.command, PARALLEL_COMMAND = true }, error = { RESTART_EVENT = 1 },
    sql = { type = pick(types, "NONE TINYINT SMALLINT INT BIGINT FLOAT DOUBLE TIME DATE DATETIME TIMESTAMP CHAR VARCHAR"),
            driver = function() return setmetatable({}, driver) end } }
  env.sb_rand, env.sb_rand_uniform, env.sb_rand_str = rand.default, rand.uniform, rand.string
  env.sysbench.version_string = ""
  instance(setup.script, env)
  for name, definition in pairs(env.sysbench.cmdline.options or {}) do
    local value, given = definition[2], setup.options[name:gsub("-", "_")]
    if given ~= nil then
      if type(value) == "boolean" then value = given == "on" or given == "true" or given == "1"
      elseif type(value) == "number" then value = tonumber(given) or error("option " .. name .. ": a number is expected", 0)
      else value = given end
    end
    env.sysbench.opt[name:gsub("-", "_")] = value
  end
  return env
end
function M.run(env)
  local sysbench = env.sysbench
  local command = sysbench.cmdline.command
  if command ~= "run" then
    local own = (sysbench.cmdline.commands or {})[command]
    local f = own and own[1] or env[command]
    if not f then error("the script has no command " .. command, 0) end
    f(); return
  end
  local event = env.event
  if not event then error("the script has no function event", 0) end
  if env.thread_init then env.thread_init(sysbench.tid) end
  while true do
    local well, problem = pcall(event, sysbench.tid)
    if well then core.event()
    elseif type(problem) == "table" and problem.restart then
      local hook = sysbench.hooks.before_restart_event
      if hook then hook(problem) end
    else error(problem, 0) end
  end
end
return M
)LUA";

} // namespace

//! What the interpreter calls.
struct InterpreterCalls
{
    static Interpreter& of(lua_State* lua)
    {
        lua_getfield(lua, LUA_REGISTRYINDEX, "dyno");
        auto* const owner = static_cast<Interpreter*>(lua_touserdata(lua, -1));
        lua_pop(lua, 1);
        return *owner;
    }
    static void* allocate(void* owner, void* old, std::size_t oldSize, std::size_t size)
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
    //! Not an error: the script's own pcall would catch it.
    static void hook(lua_State* lua, lua_Debug*)
    {
        Interpreter& self = of(lua);
        self.m_instructions += kInstructionsOfHook;
        if (self.m_instructions < self.m_setup.mostInstructions)
            return;
        if (!self.m_current || !self.m_current->m_thread || lua != self.m_current->m_thread)
            luaL_error(lua, "computes for too long"); // the top level of a file
        self.m_stuck = true;
        lua_yield(lua, 0);
    }
    static int query(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        ScriptUser* const user = of(lua).m_current;
        if (!user->m_thread)
            return luaL_error(lua, "a statement outside of a function");
        user->m_statement.assign(text, size);
        lua_pushboolean(lua, 1);
        return lua_yield(lua, 1);
    }
    static int event(lua_State* lua) { return lua_yield(lua, 0); }
    static int compile(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        const std::string name = fmt::format("={}", luaL_checkstring(lua, 2));
        return luaL_loadbufferx(lua, text, size, name.c_str(), "t") != 0 ? lua_error(lua) : 1; // no bytecode
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
    //! Cuts at the marks of parameters, outside of quotes.
    static int pieces(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const text = luaL_checklstring(lua, 1, &size);
        lua_newtable(lua);
        std::size_t begin = 0;
        int count = 0;
        char quote = 0;
        for (std::size_t i = 0; i <= size; ++i) {
            if (i < size && quote) {
                quote = text[i] == quote ? char(0) : quote;
            } else if (i == size || text[i] == '?') {
                lua_pushlstring(lua, text + begin, i - begin);
                lua_rawseti(lua, -2, ++count);
                begin = i + 1;
            } else if (text[i] == '\'' || text[i] == '"' || text[i] == '`') {
                quote = text[i];
            }
        }
        return 1;
    }
    static int text(lua_State* lua)
    {
        std::size_t size = 0;
        const char* const format = luaL_checklstring(lua, 1, &size);
        Random& random = of(lua).m_current->m_random;
        luaL_Buffer buffer;
        luaL_buffinit(lua, &buffer);
        for (std::size_t i = 0; i < size; ++i) {
            const char c = format[i];
            luaL_addchar(&buffer, c == '#'   ? char(random.uniform('0', '9'))
                                  : c == '@' ? char(random.uniform('a', 'z'))
                                             : c);
        }
        luaL_pushresult(&buffer);
        return 1;
    }
    template<DistributionKind kind>
    static int draw(lua_State* lua)
    {
        const lua_Integer low = luaL_checkinteger(lua, 1);
        const lua_Integer high = luaL_checkinteger(lua, 2);
        if (low > high)
            return luaL_error(lua, "the interval is empty");
        DistributionSpec spec;
        spec.kind = kind;
        spec.compat = true;
        lua_pushnumber(lua, double(Distribution(spec, low, high).draw(of(lua).m_current->m_random)));
        return 1;
    }
};

Interpreter::Interpreter(ScriptSetup setup)
    : m_setup(std::move(setup))
{
    if (m_setup.files.empty()) {
        m_problem = "there is no script";
        return;
    }
    m_state = lua_newstate(InterpreterCalls::allocate, this);
    if (!m_state) {
        m_problem = "the interpreter takes no limit of memory";
        return;
    }
    lua_State* const lua = m_state;
    luaL_openlibs(lua); // for the prelude; scripts get what it picks
    luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF); // compiled loops run no hook
    lua_pushlightuserdata(lua, this);
    lua_setfield(lua, LUA_REGISTRYINDEX, "dyno");
    if (luaL_loadbuffer(lua, kPrelude, std::char_traits<char>::length(kPrelude), "=prelude") != 0) {
        m_problem = lua_tostring(lua, -1);
        return;
    }
    static constexpr luaL_Reg kCalls[] = {
        {"query", InterpreterCalls::query},
        {"event", InterpreterCalls::event},
        {"compile", InterpreterCalls::compile},
        {"rep", InterpreterCalls::repetition},
        {"pieces", InterpreterCalls::pieces},
        {"text", InterpreterCalls::text},
        {"default", InterpreterCalls::draw<DistributionKind::Special>},
        {"uniform", InterpreterCalls::draw<DistributionKind::Uniform>},
        {"gaussian", InterpreterCalls::draw<DistributionKind::Gaussian>},
        {"special", InterpreterCalls::draw<DistributionKind::Special>},
        {"pareto", InterpreterCalls::draw<DistributionKind::Pareto>},
        {"zipfian", InterpreterCalls::draw<DistributionKind::Zipfian>},
        {nullptr, nullptr},
    };
    lua_newtable(lua);
    luaL_register(lua, nullptr, kCalls);
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
    const auto list = [lua, &field](const char* name, const std::vector<ScriptFile>& entries) {
        lua_newtable(lua);
        for (const ScriptFile& entry : entries)
            field(entry.name.c_str(), entry.text);
        lua_setfield(lua, -2, name);
    };
    list("files", m_setup.files);
    list("options", m_setup.options);
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
    , m_random(Random::forItem(seed, std::uint64_t(number) + 1, 0))
    , m_problem(owner.m_problem)
{
    m_over = !m_problem.empty();
    if (m_over)
        return;
    lua_State* const lua = owner.m_state;
    owner.m_current = this;
    owner.m_instructions = 0;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, owner.m_makeUser);
    lua_pushinteger(lua, number);
    owner.m_limited = true;
    const int made = lua_pcall(lua, 1, 1, 0);
    owner.m_limited = false;
    if (made != 0) {
        const char* const why = lua_tostring(lua, -1);
        m_problem = why ? why : "the script fails with a value that is no text";
        m_over = true;
        lua_pop(lua, 1);
        return;
    }
    m_thread = lua_newthread(lua);
    m_anchor = luaL_ref(lua, LUA_REGISTRYINDEX); // or it would be collected while it waits
    lua_rawgeti(lua, LUA_REGISTRYINDEX, owner.m_runUser);
    lua_insert(lua, -2);
    lua_xmove(lua, m_thread, 2);
}

ScriptUser::~ScriptUser()
{
    if (m_anchor >= 0)
        luaL_unref(m_owner.m_state, LUA_REGISTRYINDEX, m_anchor);
}

Turn ScriptUser::go(const Answer& answer)
{
    if (m_over)
        return Turn::Failed;
    int given = 1; // the environment
    if (m_started) {
        lua_settop(m_thread, 0);
        lua_pushinteger(m_thread, answer.code);
        lua_pushlstring(m_thread, answer.message.data(), answer.message.size());
        lua_pushboolean(m_thread, answer.restart);
        given = 3;
    }
    m_started = true;
    m_owner.m_current = this;
    m_owner.m_instructions = 0;
    m_owner.m_stuck = false;
    m_owner.m_limited = true;
    const int state = lua_resume(m_thread, given);
    m_owner.m_limited = false;
    if (state == LUA_YIELD && !m_owner.m_stuck)
        return lua_gettop(m_thread) > 0 ? Turn::Statement : Turn::Event;
    m_over = true;
    if (state == 0) {
        m_problem = "the script is over";
        return Turn::Event;
    }
    if (m_owner.m_stuck) {
        lua_Debug place{};
        if (lua_getstack(m_thread, 0, &place) != 0 && lua_getinfo(m_thread, "Sl", &place) != 0)
            m_problem = fmt::format("{}:{}: ", place.short_src, place.currentline);
        m_problem += "computes for too long without a statement";
        return Turn::Failed;
    }
    if (lua_istable(m_thread, -1)) { // of a statement
        lua_pushliteral(m_thread, "sql_errno");
        lua_rawget(m_thread, -2);
        const auto code = lua_tointeger(m_thread, -1);
        lua_pushliteral(m_thread, "message");
        lua_rawget(m_thread, -3);
        const char* const what = lua_tostring(m_thread, -1);
        m_problem = fmt::format("a statement failed with {}: {}", code, what ? what : "");
        return Turn::Failed;
    }
    const char* const why = lua_tostring(m_thread, -1);
    m_problem = why ? why : "the script fails with a value that is no text";
    return Turn::Failed;
}

} // namespace dyno::lua
