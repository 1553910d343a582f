// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/prelude.h"

namespace dyno::lua {

const char* const kPrelude = R"LUA(
local core, setup = ...
local error, type, tostring, tonumber, pcall = error, type, tostring, tonumber, pcall
local unpack, setmetatable, setfenv = unpack, setmetatable, setfenv
local concat, copied = table.concat, core.copied
local RESTART = 1

-- Classes. What they hold of a user stands in `user`. Scripts reach their functions, but not the tables that hold
-- them, which all users share.
local connection, driver, result, statement = {}, {}, {}, core.statement
local metas = {}
for _, class in ipairs{connection, driver, result} do
  metas[class] = { __index = class, __metatable = false }
end
local function object(class, values) return setmetatable(values, metas[class]) end

-- Rows of an answer are the session's until the next statement: what a script may still fetch is copied before that, in
-- one piece, as scripts drop most answers.
function result:fetch_row()
  local i = self.at
  if i > self.held then return nil end
  self.at = i + 1
  return core.row(i, self.rows)
end
function result:free() self.held = 0 end

local function messageOf(problem)
  local state = problem.sql_state
  return ("%sSQL error, errno = %d%s: %s"):format(problem.place, problem.sql_errno,
    state ~= "" and (", state = '%s'"):format(state) or "",
                                                  problem.sql_errmsg)
end
local function fail(self, text, code, message, restart, state)
  local problem = { connection = self, query = text, sql_errno = code, sql_state = state, sql_errmsg = message,
                    place = core.place() }
  local ignorable = self.user.sysbench.hooks.sql_error_ignorable
  if restart or (type(ignorable) == "function" and ignorable(problem)) then
    problem.errcode = RESTART
    error(problem, 0)
  end
  error(messageOf(problem), 0)
end
local function settle(user)
  local last = user.last
  if last then
    if last.at <= last.held and not last.rows then last.rows = core.keep() end
    user.last = nil
  end
end
local function answered(self, text, code, a, b, c)
  if code ~= 0 then fail(self, text, code, a, b, c) end
  return a, b, c
end
local function send(self, text, keep)
  settle(self.user)
  return answered(self, text, core.query(text, keep))
end

local types = {}
for _, name in ipairs{"NONE", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "TIME", "DATE", "DATETIME",
                      "TIMESTAMP", "CHAR", "VARCHAR"} do types[name] = name end
local execute, settled = core.execute, core.settled
function statement:execute()
  local answer, message, restart, state = execute(self)
  if message then
    local con, text = core.partsOf(self)
    fail(con, text, answer, message, restart, state)
  end
  if answer then return answer end
  settle(core.partsOf(self).user)
  settled()
  return statement.execute(self)
end

function connection:query(text)
  if type(text) ~= "string" then error("the text of a statement is expected", 2) end
  local rows, fields, held = send(self, text, true)
  local answer = object(result, { nrows = rows, nfields = fields, held = held, at = 1 })
  if held > 0 then self.user.last = answer end
  return answer
end
function connection:query_row(text)
  local answer = self:query(text)
  local row = answer:fetch_row()
  answer.held = 0
  if row then return unpack(row, 1, answer.nfields) end
end
function connection:prepare(text)
  if type(text) ~= "string" then error("the text of a statement is expected", 2) end
  return core.prepare(self, text)
end
function connection:bulk_insert_init(text) self.head, self.rows, self.size = text, {}, 0 end
function connection:bulk_insert_next(row)
  if not self.rows then error("bulk_insert_init() comes first", 2) end
  if self.size + #row > 500000 then self:bulk_insert_done() end
  self.rows[#self.rows + 1] = row; self.size = self.size + #row
end
function connection:bulk_insert_done()
  local rows = self.rows
  if rows and #rows > 0 then
    self.rows, self.size = {}, 0
    send(self, self.head .. concat(rows, ","), false)
  end
end
function connection:disconnect() if self.open then self.open = false; self.user.open = false end end
function connection:reconnect() core.reconnect(); return true end
function driver:connect()
  if self.user.open then error("a user has one connection here", 2) end
  self.user.open = true
  return object(connection, { user = self.user, open = true })
end
function driver:name() return setup.driver end

local function pick(from, names) local t = {}; for name in names:gmatch("%w+") do t[name] = from[name] end; return t end
local kTexts = "byte char find format gmatch gsub len lower match rep reverse sub upper"
local texts = pick(string, kTexts)
texts.rep = core.rep
local plain = getmetatable("")
plain.__index, plain.__metatable = pick(texts, kTexts), false

-- A script that computes for too long is not saved by its own pcall.
local function came(...)
  if core.stuck() then error("computes for too long without a statement", 0) end
  return ...
end
local function guardedCall(f, ...) return came(pcall(f, ...)) end
-- The handler runs after the error, not within it, where nothing could stop it.
local function handled(handler, well, ...)
  if well then return true, ... end
  return false, handler(...)
end
local function guardedCatch(f, handler, ...) return handled(handler, guardedCall(f, ...)) end

-- The one foreign library that scripts ask for is sysbench itself, to count an error of their own.
local function foreign()
  local C = { SB_CNT_OTHER = 0, SB_CNT_READ = 1, SB_CNT_WRITE = 2, SB_CNT_EVENT = 3, SB_CNT_ERROR = 4,
    SB_CNT_RECONNECT = 5 }
  function C.usleep() return 0 end
  function C.sb_counter_inc(_, what) if what == C.SB_CNT_ERROR then core.rollback() end end
  return { cdef = function() end,
           C = setmetatable(C, {
             __index = function(_, name) error("ffi: " .. tostring(name) .. " is not available here", 2) end,
                                 __metatable = false }) }
end

-- What is refused is refused by its name. Users share the libraries that have nothing at all, which nobody can change.
local closed = {}
for name in ("os io debug package jit coroutine"):gmatch("%w+") do
  local nothing = newproxy(true)
  local meta = getmetatable(nothing)
  meta.__index = function(_, key) error(name .. "." .. tostring(key) .. " is not available here", 2) end
  meta.__metatable = false
  closed[name] = (name == "os" or name == "io") and meta or nothing
end

local mains = {}
local function instance(name, env)
  local main = mains[name]
  if not main then
    if not setup.files[name] then
      if name == "ffi" then return foreign() end
      error(core.place() .. "require: there is no file " .. name .. ".lua in the plan", 0)
    end
    main = core.compile(setup.files[name], name .. ".lua"); mains[name] = main
  end
  setfenv(main, env)
  core.loads(true)
  local well, value = pcall(main)
  core.loads(false)
  if not well then error(value, 0) end
  return value
end
local function underscored(name) return (name:gsub("-", "_")) end
local general = { rand_seed = true, rand_type = true, rand_spec_iter = true, rand_spec_pct = true, rand_spec_res = true,
  rand_pareto_h = true,
                  rand_zipfian_exp = true }

local kinds = {}
for name in ("BOOL INT SIZE DOUBLE STRING LIST FILE"):gmatch("%w+") do kinds["ARG_" .. name] = name end
-- As sysbench: of the type that is told, or of the default's.
local function optionOf(name, value, kind, given)
  kind = kind or (type(value) == "boolean" and "BOOL" or type(value) == "number" and "DOUBLE" or
    type(value) == "table" and "LIST" or
                  "STRING")
  if kind == "BOOL" then
    if given == nil then return value and true or false end
    return given == "on" or given == "true" or given == "1"
  elseif kind == "INT" or kind == "SIZE" or kind == "DOUBLE" then
    if given == nil then return value or 0 end
    return tonumber(given) or error("option " .. name .. ": a number is expected", 0)
  elseif kind == "LIST" then
    if given == nil then return value or {} end
    local list = {}
    for one in given:gmatch("[^,]+") do list[#list + 1] = one end
    return list
  end
  return given or value or ""
end

-- What every user has is made once. Libraries are seen through an empty table of the user's own, which takes what the
-- script itself puts there; what scripts ask for in each event is copied.
local function nothing() end
local base = pick(_G, "assert error ipairs next pairs select tonumber tostring type unpack rawequal rawget rawset " ..
  "setmetatable getmetatable")
base.pcall, base.xpcall, base.print = guardedCall, guardedCatch, nothing
-- Commands print what they do; within events it would cost what is measured.
local write = nothing
if setup.command ~= "run" then
  function base.print(...)
    local words = {...}
    for i = 1, select("#", ...) do words[i] = tostring(words[i]) end
    core.print(concat(words, "\t"), true)
  end
  function write(...)
    for i = 1, select("#", ...) do core.print(tostring((select(i, ...))), false) end
    return true
  end
end
base.debug, base.package, base.jit, base.coroutine = closed.debug, closed.package, closed.jit, closed.coroutine
local rand = pick(core, "default uniform gaussian special pareto zipfian unique")
rand.string, rand.uniform_double, rand.uniform_uint64 = core.text, core.unit, core.number
base.sb_rand, base.sb_rand_uniform, base.sb_rand_gaussian = rand.default, rand.uniform, rand.gaussian
base.sb_rand_special, base.sb_rand_pareto = rand.special, rand.pareto
base.sb_rand_uniq, base.sb_rand_str = rand.unique, rand.string
local libraries = {
  math = pick(math, "abs ceil floor max min sqrt pow log exp fmod modf huge pi sin cos tan"),
  table = pick(table, "concat insert remove sort maxn"), string = texts,
  bit = pick(bit, "band bor bxor bnot lshift rshift arshift tobit tohex") }
-- With sysbench's seed a user who has the interpreter for itself gets the language's own numbers, as there.
libraries.math.random, libraries.math.randomseed = core.random, nothing
if setup.alone then libraries.math.random, libraries.math.randomseed = math.random, math.randomseed end
local views = {}
for name, library in pairs(libraries) do views[name] = { __index = library, __metatable = false } end
views.types = { __index = pick(types, "NONE TINYINT SMALLINT INT BIGINT FLOAT DOUBLE TIME DATE DATETIME TIMESTAMP " ..
  "CHAR VARCHAR"), __metatable = false }
-- Scripts sleep until other users' threads are done too: there are none here.
local programs = pick(os, "time clock date")
function programs.execute(command)
  if type(command) == "string" and command:match("^sleep%s+[%d.]+$") then return 0 end
  error("os.execute: a script starts no programs here", 2)
end
for name, library in pairs{os = programs, io = { write = write, flush = nothing }} do
  closed[name].__index = setmetatable(library, { __index = closed[name].__index })
end
local line = { command = setup.command, PARALLEL_COMMAND = true }
for name, kind in pairs(kinds) do line[name] = kind end

local places = {}
local M = {}
function M.make(tid)
  local env = copied(base)
  for name in pairs(libraries) do env[name] = setmetatable({}, views[name]) end
  env.os, env.io, env._G = setmetatable({}, closed.os), setmetatable({}, closed.io), env
  local loaded = {}
  function env.require(name)
    if type(name) ~= "string" or not name:match("^[%w_]+$") then
      error("require: " .. tostring(name) .. " is not available here, only the plan's files by their names", 2)
    end
    if loaded[name] == nil then loaded[name] = instance(name, env) or true end
    return loaded[name]
  end
  local user = {}
  local sysbench = { tid = tid, opt = {}, hooks = {}, rand = copied(rand), cmdline = copied(line),
    error = { RESTART_EVENT = RESTART }, version = "1.0.20", version_string = "sysbench 1.0.20",
    sql = { type = setmetatable({}, views.types), error = { NONE = 0, IGNORABLE = 1, FATAL = 2 },
            driver = function() return object(driver, { user = user }) end } }
  sysbench.cmdline.options, sysbench.cmdline.commands = {}, {}
  user.sysbench = sysbench
  env.sysbench, env.thread_id = sysbench, tid
  local opt, known = sysbench.opt, {}
  opt.threads, opt.db_driver = setup.threads, setup.driver
  opt.rand_type = "special"
  for name, value in pairs(setup.options) do
    if general[name] then opt[name] = tonumber(value) or value end
  end
  instance(setup.script, env)
  for name, definition in pairs(sysbench.cmdline.options or {}) do
    local place = places[name] or underscored(name)
    places[name], known[place] = place, true
    opt[place] = optionOf(place, definition[2], definition[3], setup.options[place])
  end
  local own = (sysbench.cmdline.commands or {})[setup.command]
  if own and own[2] then core.parallel() end
  for name, value in pairs(setup.options) do
    if not general[name] and not known[name] then
      error("option " .. name .. ": the script has no such option" .. (setup.elsewhere[name] or ""), 0)
    end
  end
  return env, user
end
local function life(env, user)
  local sysbench = user.sysbench
  local command, tid = sysbench.cmdline.command, sysbench.tid
  if command ~= "run" then
    local own = (sysbench.cmdline.commands or {})[command]
    local f = own and own[1] or env[command]
    if not f then error("the script has no command " .. command, 0) end
    f(); return
  end
  if not env.event then error("the script has no function event", 0) end
  if env.thread_init then env.thread_init(tid) end
  core.ready()
  local finished = core.event
  while true do
    local well, what = pcall(env.event, tid)
    if well then
      if what then core.leave() end -- this user has no more events
      if user.last then settle(user) end
      if finished() ~= 0 then break end
    elseif not core.stuck() and type(what) == "table" and what.errcode == RESTART then
      settle(user)
      if core.restart() ~= 0 then break end
      local hook = sysbench.hooks.before_restart_event
      if hook then hook(what) end
    else error(what, 0) end
  end
  if env.thread_done then env.thread_done(tid) end
end
function M.run(env, user)
  local well, what = pcall(life, env, user)
  if well then return end
  if type(what) == "table" and what.place and what.sql_errmsg then what = messageOf(what) end
  error(what, 0)
end
return M
)LUA";

} // namespace dyno::lua
