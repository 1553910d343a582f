// SPDX-License-Identifier: GPL-3.0-or-later
/* A plain client of Connector/C that sends the statements of another client again: one connection, each statement prepared
   and bound once, values copied into the bound buffers, results stored and fetched. The statements are read from the server's
   general log before the time is taken, so that this loop draws no random values and measures nothing.
     raw_replay SOCKET DATABASE GENERAL-LOG [TEXT]    prints "statements  user-µs  system-µs  seconds" of the loop
   The other client is the last connection that executes a prepared statement, or, with TEXT, that sends a query with it. */
#include <mysql.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { kMaxColumns = 32, kMaxStatements = 256, kColumnBytes = 4096 };

typedef struct {
    int type; /* 'i' integer, 'd' double, 's' text, 'n' null */
    long long integer;
    double real;
    char* text;
    unsigned long length;
} Value;

typedef struct {
    char* text; /* as prepared */
    int parameters;
    MYSQL_STMT* handle;
    MYSQL_BIND* in;
    long long* integers;
    double* reals;
    char** texts;
    unsigned long* lengths;
    unsigned long* rooms;
    char* nulls;
    int columns;
    MYSQL_BIND out[kMaxColumns];
    _Alignas(8) char rows[kMaxColumns][kColumnBytes];
    unsigned long outLengths[kMaxColumns];
} Statement;

typedef struct {
    int statement; /* -1: a query as it stands */
    char* query;
    Value* values;
} Step;

static Statement statements[kMaxStatements];
static int statementCount = 0;
static Step* steps = NULL;
static size_t stepCount = 0, stepRoom = 0;
static const char* mark = NULL; /* TEXT */

static void die(const char* what, const char* why)
{
    fprintf(stderr, "raw_replay: %s: %.300s\n", what, why);
    exit(1);
}

/* One value as the log writes it; the place after it, or NULL. */
static const char* readValue(const char* at, Value* value)
{
    memset(value, 0, sizeof *value);
    if (strncmp(at, "NULL", 4) == 0) {
        value->type = 'n';
        return at + 4;
    }
    if (*at == '\'') {
        const size_t most = strlen(at);
        char* out = value->text = malloc(most + 1);
        for (++at; *at; ++at) {
            if (*at == '\'' && at[1] != '\'')
                break;
            if (*at == '\'')
                ++at;
            else if (*at == '\\' && at[1]) {
                ++at;
                const char* const from = "0nrtZb";
                const char* const found = strchr(from, *at);
                *out++ = found ? "\0\n\r\t\032\b"[found - from] : *at;
                continue;
            }
            *out++ = *at;
        }
        if (*at != '\'') {
            free(value->text);
            return NULL;
        }
        value->type = 's';
        value->length = (unsigned long)(out - value->text);
        value->text = realloc(value->text, value->length + 1);
        return at + 1;
    }
    char* end = NULL;
    value->integer = strtoll(at, &end, 10);
    value->type = 'i';
    if (end != at && *end != '.' && *end != 'e' && *end != 'E')
        return end;
    value->real = strtod(at, &end);
    value->type = 'd';
    return end == at ? NULL : end;
}

/* The values that make `text` of this statement; NULL when it is none of it. */
static Value* valuesOf(const Statement* statement, const char* text)
{
    Value* values = calloc((size_t)statement->parameters + 1, sizeof *values);
    int number = 0;
    const char* at = text;
    for (const char* part = statement->text; *part || *at;) {
        if (*part == '?' && number < statement->parameters) {
            at = readValue(at, &values[number]);
            if (!at)
                break;
            ++number;
            ++part;
        } else if (*part && *part == *at) {
            ++part;
            ++at;
        } else {
            at = NULL;
            break;
        }
    }
    if (at)
        return values;
    for (int i = 0; i < number; ++i)
        free(values[i].text);
    free(values);
    return NULL;
}

static void addStep(int statement, char* query, Value* values)
{
    if (stepCount == stepRoom) {
        stepRoom = stepRoom ? 2 * stepRoom : 4096;
        steps = realloc(steps, stepRoom * sizeof *steps);
    }
    steps[stepCount++] = (Step) {statement, query, values};
}

/* "\t\t    14 Execute\tSELECT …" or the same after a time: its connection and command, and where the text begins. */
static char* recordOf(char* line, long* connection, char* command)
{
    int used = 0;
    char* at = line;
    if (strncmp(at, "\t\t", 2) == 0)
        at += 2;
    else if (at[0] >= '0' && at[0] <= '9' && (at = strchr(at, '\t')))
        ++at;
    else
        return NULL;
    if (sscanf(at, "%ld %15[A-Za-z]%n", connection, command, &used) != 2)
        return NULL;
    at = strchr(at + used, '\t');
    return at ? at + 1 : NULL;
}

static void take(const char* command, char* text)
{
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = 0;
    if (strcmp(command, "Prepare") == 0) {
        if (statementCount == kMaxStatements)
            die("too many statements", text);
        Statement* statement = &statements[statementCount++];
        statement->text = strdup(text);
        for (const char* at = text; *at; ++at)
            statement->parameters += *at == '?';
    } else if (strcmp(command, "Execute") == 0) {
        for (int i = 0; i < statementCount; ++i) {
            Value* values = valuesOf(&statements[i], text);
            if (values) {
                addStep(i, NULL, values);
                return;
            }
        }
        die("no prepared statement fits", text);
    } else if ((mark || statementCount > 0) && strcmp(command, "Query") == 0) {
        addStep(-1, strdup(text), NULL); /* before the first statement is prepared it sets the connection up */
    }
}

static long userOf(FILE* log)
{
    char* line = NULL;
    size_t room = 0;
    long user = -1, connection = 0;
    char command[16];
    while (getline(&line, &room, log) >= 0) {
        const char* text = recordOf(line, &connection, command);
        if (text && (mark ? strcmp(command, "Query") == 0 && strstr(text, mark) : strcmp(command, "Execute") == 0))
            user = connection;
    }
    free(line);
    rewind(log);
    return user;
}

static void readLog(const char* path)
{
    FILE* log = fopen(path, "r");
    if (!log)
        die("cannot read", path);
    const long user = userOf(log);
    char *line = NULL, *record = NULL;
    size_t room = 0;
    char command[16] = "", next[16];
    long connection = 0;
    for (;;) {
        const long read = getline(&line, &room, log);
        char* text = read >= 0 ? recordOf(line, &connection, next) : NULL;
        if (read >= 0 && !text) { /* the text goes on */
            if (record) {
                record = realloc(record, strlen(record) + (size_t)read + 1);
                strcat(record, line);
            }
            continue;
        }
        if (record)
            take(command, record);
        free(record);
        record = NULL;
        if (read < 0)
            break;
        if (connection == user) {
            record = strdup(text);
            strcpy(command, next);
        }
    }
    free(line);
    fclose(log);
}

/* Numbers as numbers: making texts of them would be work that nobody asks for. */
static enum enum_field_types fetchedType(enum enum_field_types type)
{
    switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
        return MYSQL_TYPE_LONGLONG;
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
        return MYSQL_TYPE_DOUBLE;
    default:
        return MYSQL_TYPE_STRING;
    }
}

static void prepare(MYSQL* mysql, Statement* s)
{
    const size_t n = (size_t)s->parameters;
    s->handle = mysql_stmt_init(mysql);
    if (mysql_stmt_prepare(s->handle, s->text, strlen(s->text)) != 0)
        die(s->text, mysql_stmt_error(s->handle));
    s->in = calloc(n + 1, sizeof *s->in);
    s->integers = calloc(n + 1, sizeof *s->integers);
    s->reals = calloc(n + 1, sizeof *s->reals);
    s->texts = calloc(n + 1, sizeof *s->texts);
    s->lengths = calloc(n + 1, sizeof *s->lengths);
    s->rooms = calloc(n + 1, sizeof *s->rooms);
    s->nulls = calloc(n + 1, 1);
    s->columns = (int)mysql_stmt_field_count(s->handle);
    if (s->columns > kMaxColumns)
        die("too many columns", s->text);
    MYSQL_RES* columns = s->columns > 0 ? mysql_stmt_result_metadata(s->handle) : NULL;
    for (int i = 0; i < s->columns; ++i) {
        s->out[i].buffer_type = fetchedType(columns ? mysql_fetch_field_direct(columns, (unsigned)i)->type : MYSQL_TYPE_STRING);
        s->out[i].buffer = s->rows[i];
        s->out[i].buffer_length = kColumnBytes;
        s->out[i].length = &s->outLengths[i];
    }
    if (columns)
        mysql_free_result(columns);
    if (s->columns > 0)
        mysql_stmt_bind_result(s->handle, s->out);
}

/* Types and room for the largest value of each parameter: bound once, as one writes it by hand. */
static void bindAll(void)
{
    for (size_t k = 0; k < stepCount; ++k) {
        if (steps[k].statement < 0)
            continue;
        Statement* s = &statements[steps[k].statement];
        for (int i = 0; i < s->parameters; ++i) {
            const Value* value = &steps[k].values[i];
            if (value->type == 's' && value->length >= s->rooms[i])
                s->rooms[i] = value->length + 1;
            if (value->type == 'd')
                s->in[i].buffer_type = MYSQL_TYPE_DOUBLE;
        }
    }
    for (int k = 0; k < statementCount; ++k) {
        Statement* s = &statements[k];
        for (int i = 0; i < s->parameters; ++i) {
            MYSQL_BIND* bind = &s->in[i];
            bind->is_null = &s->nulls[i];
            bind->length = &s->lengths[i];
            if (s->rooms[i] > 0) {
                s->texts[i] = malloc(s->rooms[i]);
                bind->buffer_type = MYSQL_TYPE_STRING;
                bind->buffer = s->texts[i];
                bind->buffer_length = s->rooms[i];
            } else if (bind->buffer_type == MYSQL_TYPE_DOUBLE) {
                bind->buffer = &s->reals[i];
            } else {
                bind->buffer_type = MYSQL_TYPE_LONGLONG;
                bind->buffer = &s->integers[i];
            }
        }
        if (s->parameters > 0)
            mysql_stmt_bind_param(s->handle, s->in);
    }
}

/* Not inlined, so that its instructions can be counted apart (callgrind --toggle-collect=execute --toggle-collect=query). */
__attribute__((noinline)) static void execute(Statement* s, const Value* values)
{
    for (int i = 0; i < s->parameters; ++i) {
        const Value* value = &values[i];
        s->nulls[i] = value->type == 'n';
        if (value->type == 's') {
            memcpy(s->texts[i], value->text, value->length);
            s->lengths[i] = value->length;
        } else {
            s->integers[i] = value->integer;
            s->reals[i] = value->type == 'i' ? (double)value->integer : value->real;
        }
    }
    if (mysql_stmt_execute(s->handle) != 0)
        die(s->text, mysql_stmt_error(s->handle));
    if (s->columns == 0)
        return;
    if (mysql_stmt_store_result(s->handle) != 0)
        die(s->text, mysql_stmt_error(s->handle));
    for (int end = 0; !end;) {
        const int fetched = mysql_stmt_fetch(s->handle);
        end = fetched == MYSQL_NO_DATA || fetched == 1;
    }
    mysql_stmt_free_result(s->handle);
}

/* A statement as it stands, with its rows. Not inlined either. */
__attribute__((noinline)) static void query(MYSQL* mysql, const char* text)
{
    if (mysql_query(mysql, text) != 0)
        die(text, mysql_error(mysql));
    if (mysql_field_count(mysql) == 0)
        return;
    MYSQL_RES* result = mysql_store_result(mysql);
    if (!result)
        die(text, mysql_error(mysql));
    while (mysql_fetch_row(result)) {
    }
    mysql_free_result(result);
}

static double microseconds(struct timeval from, struct timeval to)
{
    return (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_usec - from.tv_usec);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char** argv)
{
    if (argc != 4 && argc != 5)
        return fprintf(stderr, "raw_replay SOCKET DATABASE GENERAL-LOG [TEXT]\n"), 2;
    mark = argv[4];
    readLog(argv[3]);
    if (stepCount == 0)
        die("nothing to be sent again in", argv[3]);
    mysql_library_init(0, NULL, NULL);
    MYSQL* mysql = mysql_init(NULL);
    if (!mysql_real_connect(mysql, NULL, "root", "", argv[2], 0, argv[1], 0))
        die("cannot connect", mysql_error(mysql));
    for (int i = 0; i < statementCount; ++i)
        prepare(mysql, &statements[i]);
    bindAll();
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    const double start = seconds();
    for (size_t i = 0; i < stepCount; ++i) {
        if (steps[i].statement >= 0)
            execute(&statements[steps[i].statement], steps[i].values);
        else
            query(mysql, steps[i].query);
    }
    const double taken = seconds() - start;
    getrusage(RUSAGE_SELF, &after);
    printf("%zu %.0f %.0f %.3f\n", stepCount, microseconds(before.ru_utime, after.ru_utime),
           microseconds(before.ru_stime, after.ru_stime), taken);
    mysql_close(mysql);
    return 0;
}
