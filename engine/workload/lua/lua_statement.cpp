// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_statement.h"

#include "workload/lua/lua_interpreter.h"

#include <lua.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>

namespace dyno::lua {

namespace {

constexpr const char* kParamClass = "dyno parameter";
constexpr const char* kStatementClass = "dyno statement";
constexpr const char* kAnswerClass = "dyno answer";
constexpr std::size_t kMostPrepared = 1'000;
constexpr std::size_t kLongestPrepared = std::size_t(64) << 10;
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr std::size_t kLongestNumber = 400; //!< the largest number has 309 digits
//! A longer text counts as the interpreter's memory while its statement is done.
constexpr std::size_t kLongText = std::size_t(64) << 10;

//! What a statement's table holds.
constexpr int kConnectionAt = 1, kTextAt = 2, kAnswerAt = 3, kPiecesAt = 4, kParamsAfter = 4;

struct ParamObject
{
    static constexpr ObjectKind kKind = ObjectKind::Param;
    ObjectKind kind = kKind;
    char type = 'i'; //!< as in PreparedText
    bool null = true;
    double number = 0;
    std::size_t most = SIZE_MAX; //!< characters of set()
    char* text = nullptr;        //!< in an object that the parameter's table holds
    std::size_t size = 0, room = 0;
};

//! Pointers to the parameters that are bound follow; the statement's table holds them.
struct StatementObject
{
    static constexpr ObjectKind kKind = ObjectKind::Statement;
    ObjectKind kind = kKind;
    AnswerObject* answer = nullptr;
    int number = -1; //!< of those that the session has prepared
    std::uint32_t marks = 0, bound = 0;

    [[nodiscard]] ParamObject** params() { return reinterpret_cast<ParamObject**>(this + 1); }
};
static_assert(std::is_trivially_destructible_v<ParamObject> && std::is_trivially_destructible_v<StatementObject> &&
              std::is_trivially_destructible_v<AnswerObject>);

//! The object that is an argument, which a script may have got wrong.
template<class Object>
Object& objectAt(lua_State* lua, int argument, const char* expected)
{
    if (lua_type(lua, argument) == LUA_TUSERDATA && lua_objlen(lua, argument) >= sizeof(Object)) [[likely]] {
        auto* const object = static_cast<Object*>(lua_touserdata(lua, argument));
        if (object->kind == Object::kKind) [[likely]]
            return *object;
    }
    Interpreter::failHere(lua, expected);
}
StatementObject& statementAt(lua_State* lua)
{
    return objectAt<StatementObject>(lua, 1, "a prepared statement is expected");
}
ParamObject& paramAt(lua_State* lua, int argument)
{
    return objectAt<ParamObject>(lua, argument, "a parameter of bind_create() is expected");
}

std::int64_t integerOf(double number)
{
    if (std::isnan(number))
        return 0;
    if (number >= kTwoTo63)
        return std::numeric_limits<std::int64_t>::max();
    return number < -kTwoTo63 ? std::numeric_limits<std::int64_t>::min() : std::int64_t(number);
}

//! i, r or t; 0: there is no such type.
char letterOf(std::string_view type)
{
    constexpr std::array<std::string_view, 4> kWhole{"INT", "BIGINT", "SMALLINT", "TINYINT"};
    constexpr std::array<std::string_view, 2> kReal{"DOUBLE", "FLOAT"};
    constexpr std::array<std::string_view, 7> kTexts{"NONE",      "TIME", "DATE",   "DATETIME",
                                                     "TIMESTAMP", "CHAR", "VARCHAR"};
    if (std::ranges::find(kWhole, type) != kWhole.end())
        return 'i';
    if (std::ranges::find(kReal, type) != kReal.end())
        return 'r';
    return std::ranges::find(kTexts, type) != kTexts.end() ? 't' : char(0);
}

std::string_view viewAt(lua_State* lua, int argument)
{
    std::size_t size = 0;
    const char* const text = luaL_checklstring(lua, argument, &size);
    return {text, size};
}

//! Pushes the pieces between the marks of parameters outside of quotes; how many there are.
int pushPieces(lua_State* lua, std::string_view text)
{
    lua_newtable(lua);
    std::size_t begin = 0;
    int count = 0;
    char quote = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && quote) {
            quote = text[i] == quote ? char(0) : quote;
        } else if (i == text.size() || text[i] == '?') {
            lua_pushlstring(lua, text.data() + begin, i - begin);
            lua_rawseti(lua, -2, ++count);
            begin = i + 1;
        } else if (text[i] == '\'' || text[i] == '"' || text[i] == '`') {
            quote = text[i];
        }
    }
    return count;
}

//! At least as many characters as addLiteral() adds.
std::size_t mostOf(const ParamObject& param)
{
    constexpr std::size_t kShort = 24; // NULL, and each number below 2^63
    if (param.null || param.type != 't')
        return param.null || std::abs(param.number) < kTwoTo63 ? kShort : kLongestNumber;
    return 2 * (param.size + 1);
}

//! What a backslash means within quotes differs between servers, and only they know how they are set up: false there.
bool addLiteral(std::string& to, const ParamObject& param)
{
    if (param.null) {
        to += "NULL";
        return true;
    }
    if (param.type != 't') {
        constexpr int kDigits = 17; // tell all real numbers apart
        std::array<char, kLongestNumber> digits;
        char* const last = digits.data() + digits.size();
        const char* const end =
            param.type == 'i'
                ? std::to_chars(digits.data(), last, param.number, std::chars_format::fixed, 0).ptr
                : std::to_chars(digits.data(), last, param.number, std::chars_format::general, kDigits).ptr;
        to.append(digits.data(), std::size_t(end - digits.data()));
        return true;
    }
    const std::string_view text(param.text, param.size);
    if (text.find('\\') != text.npos || text.find('\0') != text.npos)
        return false;
    to += '\'';
    for (const char c : text)
        to.append(c == '\'' ? 2 : 1, c);
    to += '\'';
    return true;
}

} // namespace

//! What scripts and the prelude call.
struct StatementFunctions
{
    static int prepare(lua_State* lua)
    {
        const std::string_view text = viewAt(lua, 2);
        const ScriptSetup& setup = Interpreter::of(lua).m_setup;
        const auto marks = std::size_t(pushPieces(lua, text) - 1); // at 3
        if (std::vector<PreparedText>* const all = setup.collected;
            all && text.size() <= kLongestPrepared && all->size() < kMostPrepared &&
            std::ranges::find(*all, text, &PreparedText::text) == all->end())
            all->push_back({std::string(text), marks, {}});
        auto* const made = static_cast<StatementObject*>(
            lua_newuserdata(lua, sizeof(StatementObject) + marks * sizeof(ParamObject*))); // at 4
        std::construct_at(made);
        made->marks = std::uint32_t(marks);
        if (setup.prepared) {
            const auto found = setup.prepared->numbers.find(text);
            if (found != setup.prepared->numbers.end() &&
                setup.prepared->types[std::size_t(found->second)].size() == marks)
                made->number = found->second;
        }
        luaL_getmetatable(lua, kStatementClass);
        lua_setmetatable(lua, 4);
        lua_createtable(lua, kParamsAfter + int(marks), 0);
        lua_pushvalue(lua, 1);
        lua_rawseti(lua, -2, kConnectionAt);
        lua_pushvalue(lua, 2);
        lua_rawseti(lua, -2, kTextAt);
        made->answer = std::construct_at(static_cast<AnswerObject*>(lua_newuserdata(lua, sizeof(AnswerObject))));
        luaL_getmetatable(lua, kAnswerClass);
        lua_setmetatable(lua, -2);
        lua_rawseti(lua, -2, kAnswerAt);
        lua_pushvalue(lua, 3);
        if (made->number >= 0 || marks == 0) {
            lua_pop(lua, 1);
            lua_pushboolean(lua, 0); // the pieces are not needed
        }
        lua_rawseti(lua, -2, kPiecesAt);
        lua_setfenv(lua, 4);
        lua_settop(lua, 4);
        return 1;
    }
    static int bindCreate(lua_State* lua)
    {
        (void)statementAt(lua);
        const char type = lua_type(lua, 2) == LUA_TSTRING ? letterOf(viewAt(lua, 2)) : char(0);
        if (type == 0)
            return luaL_error(lua, "unknown type of a parameter");
        auto* const made = std::construct_at(static_cast<ParamObject*>(lua_newuserdata(lua, sizeof(ParamObject))));
        made->type = type;
        if (const double most = lua_tonumber(lua, 3); lua_isnumber(lua, 3) != 0 && most >= 0 && most < kTwoTo63)
            made->most = std::size_t(most);
        luaL_getmetatable(lua, kParamClass);
        lua_setmetatable(lua, -2);
        return 1;
    }
    static int bindParam(lua_State* lua)
    {
        StatementObject& statement = statementAt(lua);
        const int count = lua_gettop(lua) - 1;
        for (int i = 0; i < count; ++i)
            (void)paramAt(lua, i + 2);
        statement.bound = 0;
        lua_getfenv(lua, 1);
        for (int i = 0; i < count && std::uint32_t(i) < statement.marks; ++i) {
            statement.params()[i] = static_cast<ParamObject*>(lua_touserdata(lua, i + 2));
            lua_pushvalue(lua, i + 2);
            lua_rawseti(lua, -2, kParamsAfter + 1 + i);
        }
        statement.bound = std::uint32_t(count);
        if (std::vector<PreparedText>* const all = Interpreter::of(lua).m_setup.collected) {
            lua_rawgeti(lua, -1, kTextAt);
            const auto found = std::ranges::find(*all, viewAt(lua, -1), &PreparedText::text);
            if (found != all->end()) {
                found->types.clear();
                for (int i = 0; i < count; ++i)
                    found->types += paramAt(lua, i + 2).type;
            }
        }
        return 0;
    }
    static int nothing(lua_State*) { return 0; }
    //! The connection and the text, for an error.
    static int partsOf(lua_State* lua)
    {
        (void)statementAt(lua);
        lua_getfenv(lua, 1);
        lua_rawgeti(lua, -1, kConnectionAt);
        lua_rawgeti(lua, -2, kTextAt);
        return 2;
    }
    //! Nothing, where rows of the answer before have to be copied first. Else it gives the answer once that is there,
    //! or what go() tells of an error.
    static int execute(lua_State* lua)
    {
        Interpreter& self = Interpreter::of(lua);
        ScriptUser& user = *self.m_current;
        StatementObject& statement = statementAt(lua);
        if (user.m_rows) [[unlikely]]
            return 0;
        user.checkPlace(lua);
        if (statement.bound != statement.marks) [[unlikely]]
            Interpreter::failHere(lua, "the statement has another number of parameters");
        lua_settop(lua, 1);
        lua_getfenv(lua, 1);
        if (statement.number >= 0) [[likely]] {
            readParams(lua, self, user, statement);
        } else if (statement.marks == 0) {
            lua_rawgeti(lua, 2, kTextAt);
            user.m_statement = viewAt(lua, -1);
        } else {
            writeText(lua, user, statement);
        }
        user.m_prepared = statement.number;
        user.m_keepsRows = false;
        user.m_answer = statement.answer;
        user.m_turn = Turn::Statement;
        lua_rawgeti(lua, 2, kAnswerAt);
        return lua_yield(lua, lua_gettop(lua) - 2); // what stays while it waits; give() finds the answer on top
    }
    //! Texts stay where they are: the statement holds its parameters, and the script waits.
    static void readParams(lua_State* lua, const Interpreter& self, ScriptUser& user, StatementObject& statement)
    {
        const std::string& types = self.m_setup.prepared->types[std::size_t(statement.number)];
        user.m_params.resize(types.size());
        for (std::size_t i = 0; i < types.size(); ++i) {
            const ParamObject& from = *statement.params()[i];
            Param& param = user.m_params[i];
            if (from.null) {
                param = {};
            } else if ((from.type == 't') != (types[i] == 't')) {
                Interpreter::failHere(
                    lua, lua_pushfstring(lua, "parameter %d is of another type than the statement was prepared with",
                                         int(i + 1)));
            } else if (types[i] == 't') {
                param = Param::of(std::string_view(from.text, from.size));
            } else if (types[i] == 'i') {
                param = Param::of(integerOf(from.number));
            } else {
                param = Param::of(from.number);
            }
        }
    }
    //! Memory of the language, which is pushed. Its collector does not know when it has to be done.
    static void* pushMemory(lua_State* lua, std::size_t size)
    {
        if (const Interpreter& self = Interpreter::of(lua); self.m_memory + size > self.m_setup.mostMemory)
            lua_gc(lua, LUA_GCCOLLECT, 0);
        return lua_newuserdata(lua, size);
    }
    //! The statement's table is at 2. Leaves the pieces at 3, and at 4 what a long text counts as.
    static void writeText(lua_State* lua, ScriptUser& user, StatementObject& statement)
    {
        lua_rawgeti(lua, 2, kPiecesAt);
        std::size_t most = 0;
        for (std::uint32_t i = 0; i <= statement.marks; ++i) {
            lua_rawgeti(lua, 3, int(i + 1));
            most += lua_objlen(lua, -1) + (i < statement.marks ? mostOf(*statement.params()[i]) : 0);
            lua_pop(lua, 1);
        }
        if (most > kLongText) [[unlikely]]
            (void)pushMemory(lua, most);
        const int last = lua_gettop(lua);
        user.m_statement.clear();
        for (std::uint32_t i = 0; i <= statement.marks; ++i) {
            lua_rawgeti(lua, 3, int(i + 1));
            user.m_statement += viewAt(lua, -1);
            lua_settop(lua, last);
            if (i < statement.marks && !addLiteral(user.m_statement, *statement.params()[i]))
                Interpreter::failHere(
                    lua, "a text with a backslash or a zero byte has to be a parameter of a prepared statement");
        }
    }

    //! The parameter is at 1.
    static void makeRoom(lua_State* lua, ParamObject& param, std::size_t size)
    {
        if (size <= param.room) [[likely]]
            return;
        lua_createtable(lua, 1, 0);
        auto* const text = static_cast<char*>(pushMemory(lua, size));
        lua_rawseti(lua, -2, 1);
        lua_setfenv(lua, 1);
        param.text = text;
        param.room = size;
    }
    static int set(lua_State* lua)
    {
        ParamObject& param = paramAt(lua, 1);
        const int type = lua_type(lua, 2);
        if (type == LUA_TNIL || type == LUA_TNONE) {
            param.null = true;
            return 0;
        }
        if (param.type != 't') [[likely]] {
            if (type != LUA_TNUMBER)
                return luaL_error(lua, "a number is expected");
            const double number = lua_tonumber(lua, 2);
            param.number = param.type == 'i' ? std::trunc(number) : number;
            param.null = false;
            return 0;
        }
        if (type == LUA_TBOOLEAN)
            lua_pushstring(lua, lua_toboolean(lua, 2) != 0 ? "true" : "false");
        else if (type == LUA_TSTRING || type == LUA_TNUMBER)
            lua_pushvalue(lua, 2);
        else if (luaL_callmeta(lua, 2, "__tostring") == 0)
            return luaL_error(lua, "a text is expected");
        if (lua_isstring(lua, -1) == 0)
            return luaL_error(lua, "a text is expected");
        const std::string_view text = viewAt(lua, -1).substr(0, param.most);
        makeRoom(lua, param, text.size());
        text.copy(param.text, text.size());
        param.size = text.size();
        param.null = false;
        return 0;
    }
    static int setRandom(lua_State* lua)
    {
        ParamObject& param = paramAt(lua, 1);
        if (param.type != 't')
            return luaL_error(lua, "a parameter for text is expected");
        const std::string_view format = viewAt(lua, 2);
        makeRoom(lua, param, format.size());
        Interpreter::of(lua).m_current->fillRandom(param.text, format);
        param.size = format.size();
        param.null = false;
        return 0;
    }
    //! A field, or a function of the class.
    static int ofAnswer(lua_State* lua)
    {
        const auto& answer = objectAt<AnswerObject>(lua, 1, "an answer is expected");
        const std::string_view key = lua_type(lua, 2) == LUA_TSTRING ? viewAt(lua, 2) : std::string_view();
        if (key == "nrows")
            lua_pushnumber(lua, double(answer.rows));
        else if (key == "nfields")
            lua_pushinteger(lua, 0); // nothing of it is kept
        else if (key == "fetch_row" || key == "free")
            lua_pushvalue(lua, lua_upvalueindex(1)); // made once
        else
            return 0;
        return 1;
    }
};

void addStatements(lua_State* lua)
{
    //! Leaves the metatable on top. The prelude completes the class.
    const auto addClass = [lua](const char* name, const char* field, const luaL_Reg* functions) {
        luaL_newmetatable(lua, name);
        lua_pushboolean(lua, 0);
        lua_setfield(lua, -2, "__metatable");
        lua_newtable(lua);
        luaL_register(lua, nullptr, functions);
        lua_pushvalue(lua, -1);
        lua_setfield(lua, -3, "__index");
        lua_setfield(lua, -3, field);
    };
    static constexpr luaL_Reg kOfParam[] = {
        {"set", StatementFunctions::set}, {"set_rand_str", StatementFunctions::setRandom}, {nullptr, nullptr}};
    static constexpr luaL_Reg kOfStatement[] = {{"bind_create", StatementFunctions::bindCreate},
                                                {"bind_param", StatementFunctions::bindParam},
                                                {"close", StatementFunctions::nothing},
                                                {nullptr, nullptr}};
    static constexpr luaL_Reg kOfPrelude[] = {{"prepare", StatementFunctions::prepare},
                                              {"execute", StatementFunctions::execute},
                                              {"partsOf", StatementFunctions::partsOf},
                                              {nullptr, nullptr}};
    luaL_register(lua, nullptr, kOfPrelude);
    addClass(kParamClass, "param", kOfParam);
    lua_pop(lua, 1);
    addClass(kStatementClass, "statement", kOfStatement);
    lua_pop(lua, 1);
    luaL_newmetatable(lua, kAnswerClass);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pushcfunction(lua, StatementFunctions::nothing);
    lua_pushcclosure(lua, StatementFunctions::ofAnswer, 1);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
}

} // namespace dyno::lua
