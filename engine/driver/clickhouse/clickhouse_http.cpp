// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_http.h"

#include "base/clock.h"
#include "base/text.h"
#include "driver/clickhouse/clickhouse_codes.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <optional>
#include <sys/socket.h>
#include <zlib.h>

namespace dyno::clickhouse {

namespace {

constexpr long kReadBuffer = 256 * 1024, kSendBuffer = 512 * 1024;
//! Shorter requests are smaller as they are.
constexpr std::size_t kWorthCompressing = 1024;
constexpr long kLongestIdleSeconds = 30L * 24 * 60 * 60;
constexpr std::int64_t kSecondNs = 1'000'000'000;

void initLibrary()
{
    static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)done;
}

//! The number in `"name":"123"`, as the server's JSON has it; −1 without one.
std::int64_t summaryNumber(std::string_view json, std::string_view name)
{
    const std::size_t at = json.find(name);
    std::int64_t number = -1;
    if (at == std::string_view::npos)
        return number;
    const std::string_view rest = json.substr(at + name.size());
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return number;
}

//! The value of a header line of this name; nullopt of another one.
std::optional<std::string_view> headerValue(std::string_view line, std::string_view name)
{
    if (line.size() <= name.size() || line[name.size()] != ':' || lowered(line.substr(0, name.size())) != name)
        return {};
    return trimmed(line.substr(name.size() + 1));
}

//! Of the connection that stands; "unknown" where the library does TLS by something else than OpenSSL.
std::string cipherOf(CURL* easy)
{
    const curl_tlssessioninfo* session = nullptr;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session || !session->internals ||
        session->backend != CURLSSLBACKEND_OPENSSL)
        return "unknown (TLS)";
    const auto* ssl = static_cast<const SSL*>(session->internals);
    return fmt::format("{} ({})", SSL_get_cipher_name(ssl), SSL_get_version(ssl));
}

//! The server took the connection, and what it said then, if anything, was no handshake. An HTTP server may find a line
//! in the client's first bytes, or wait for the end of one.
bool stoppedBeforeTls(CURL* easy)
{
    long port = 0; // of the server; CURLINFO_CONNECT_TIME stays 0 here
    curl_off_t encryptedUs = 0;
    return curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK &&
           curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &encryptedUs) == CURLE_OK && port > 0 &&
           encryptedUs == 0;
}

curl_slist* appended(curl_slist* list, const std::string& line)
{
    return curl_slist_append(list, line.c_str());
}

} // namespace

HttpConnection::HttpConnection(std::shared_ptr<const ConnectOptions> options)
    : m_options(std::move(options))
{
    initLibrary();
}

HttpConnection::~HttpConnection() = default;

//! Everything that stays the same for all statements. Nothing is taken from the environment, ~/.netrc or a file of the
//! library's: a run is what its plan says.
void HttpConnection::setUp()
{
    m_easy.reset(curl_easy_init());
    CURL* const easy = m_easy.get();
    if (!easy)
        return;
    const ConnectOptions& options = *m_options;
    const auto set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
    set(CURLOPT_URL, options.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, options.tls ? "https" : "http");
    set(CURLOPT_HTTP_VERSION, long(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, ""); // also whatever http_proxy and ALL_PROXY say
    set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_NETRC, long(CURL_NETRC_IGNORED));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_MAXCONNECTS, 1L);
    set(CURLOPT_MAXAGE_CONN, kLongestIdleSeconds); // mustReopen() alone decides when a connection is too old
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_CONNECTTIMEOUT, long(options.connectTimeoutSeconds));
    set(CURLOPT_BUFFERSIZE, kReadBuffer);
    set(CURLOPT_UPLOAD_BUFFERSIZE, kSendBuffer);
    set(CURLOPT_ERRORBUFFER, m_libraryError);
    if (!options.resolve.empty()) {
        m_resolve.reset(appended(nullptr, options.resolve));
        set(CURLOPT_RESOLVE, m_resolve.get());
    }
    if (options.compress)
        set(CURLOPT_ACCEPT_ENCODING, "gzip");

    // No form, as the library would say, and no question before a long request.
    curl_slist* headers = appended(nullptr, "Content-Type: text/plain; charset=UTF-8");
    headers = appended(headers, "Expect:");
    headers = appended(headers, "User-Agent: dynobench");
    if (!options.user.empty())
        headers = appended(headers, "X-ClickHouse-User: " + options.user);
    if (!options.password.empty())
        headers = appended(headers, "X-ClickHouse-Key: " + options.password);
    m_headers.reset(headers);
    curl_slist* compressed = nullptr;
    for (const curl_slist* one = headers; one; one = one->next)
        compressed = curl_slist_append(compressed, one->data);
    m_compressedHeaders.reset(appended(compressed, "Content-Encoding: gzip"));

    set(CURLOPT_SSL_VERIFYPEER, options.verify ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, options.verify ? 2L : 0L);
    // Never the library's own list, which SSL_CERT_FILE of the environment may name.
    set(CURLOPT_CAINFO, options.caFile.empty() ? nullptr : options.caFile.c_str());
    set(CURLOPT_CAPATH, options.caFolder.empty() ? nullptr : options.caFolder.c_str());
    if (!options.certFile.empty()) {
        set(CURLOPT_SSLCERT, options.certFile.c_str());
        set(CURLOPT_SSLKEY, options.keyFile.c_str());
    }
    if (!options.minTlsVersion.empty())
        set(CURLOPT_SSLVERSION,
            long(options.minTlsVersion == "1.3" ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2));

    set(CURLOPT_POST, 1L);
    set(CURLOPT_READFUNCTION, &HttpConnection::onSend);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_WRITEFUNCTION, &HttpConnection::onBody);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &HttpConnection::onHeader);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_OPENSOCKETFUNCTION, &HttpConnection::onOpen);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_PREREQFUNCTION, &HttpConnection::onRequest);
    set(CURLOPT_PREREQDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &HttpConnection::onProgress);
    set(CURLOPT_XFERINFODATA, this);
}

void HttpConnection::connect(HttpResult& result)
{
    m_aborted = false;
    m_connected = false;
    m_easy.reset(); // with its connection
    m_cutter.detach();
    setUp();
    if (!m_easy) {
        result = {kNetworkError, true, "out of memory"};
        return;
    }
    m_closes = false;
    m_keepAliveNs = 0;
    m_mayOpen = true;
    AnswerReader reader;
    reader.begin(Keep::Nothing, nullptr);
    // A server may take the connection and never answer.
    curl_easy_setopt(m_easy.get(), CURLOPT_TIMEOUT, long(m_options->connectTimeoutSeconds));
    exchange("SELECT version()", {}, reader, result);
    curl_easy_setopt(m_easy.get(), CURLOPT_TIMEOUT, 0L);
    m_connected = result.code == 0;
}

bool HttpConnection::mustReopen() const
{
    return m_closes || (m_keepAliveNs > 0 && nowNs() - m_idleSinceNs >= m_keepAliveNs);
}

void HttpConnection::post(std::string_view statement, std::string_view data, AnswerReader& reader, HttpResult& result)
{
    if (!m_connected) {
        result = {kNetworkError, true, "not connected"};
        return;
    }
    // Only what the server has announced is no lost connection.
    m_mayOpen = mustReopen();
    curl_easy_setopt(m_easy.get(), CURLOPT_FRESH_CONNECT, m_mayOpen ? 1L : 0L);
    exchange(statement, data, reader, result);
}

bool HttpConnection::compress(std::string_view statement, std::string_view data)
{
    z_stream stream{};
    constexpr int kGzip = 15 + 16, kMemory = 8;
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    m_compressed.resize(deflateBound(&stream, statement.size() + data.size()));
    stream.next_out = reinterpret_cast<Bytef*>(m_compressed.data());
    stream.avail_out = uInt(m_compressed.size());
    const auto take = [&stream](std::string_view piece, int flush) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
        stream.avail_in = uInt(piece.size());
        return deflate(&stream, flush);
    };
    int state = take(statement, Z_NO_FLUSH);
    if (state == Z_OK)
        state = take(data, Z_FINISH);
    m_compressed.resize(stream.total_out);
    deflateEnd(&stream);
    return state == Z_STREAM_END;
}

void HttpConnection::exchange(std::string_view statement, std::string_view data, AnswerReader& reader,
                              HttpResult& result)
{
    CURL* const easy = m_easy.get();
    m_statement = statement;
    m_data = data;
    const bool compressed = m_options->compress && statement.size() + data.size() >= kWorthCompressing &&
                            statement.size() + data.size() < UINT32_MAX / 2 && compress(statement, data);
    if (compressed) {
        m_statement = m_compressed;
        m_data = {};
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, compressed ? m_compressedHeaders.get() : m_headers.get());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(m_statement.size() + m_data.size()));
    m_reader = &reader;
    m_writtenRows = -1;
    m_requests = 0;
    m_headersEnded = m_framed = false;
    m_libraryError[0] = '\0';
    const CURLcode done = m_aborted ? CURLE_ABORTED_BY_CALLBACK : curl_easy_perform(easy);
    m_reader = nullptr;
    m_idleSinceNs = nowNs();
    reader.end();
    // The library takes the end of a connection for the end of an answer that has not said where it ends.
    const bool cutOff = done == CURLE_OK && (!m_headersEnded || !m_framed);
    result.broken = done != CURLE_OK || cutOff;
    result.noTls = result.broken && !m_connected && m_options->tls && stoppedBeforeTls(easy);
    result.text.clear();
    const bool told = reader.code() != 0 && (!result.broken || reader.code() != kUnknownException);
    result.code = told ? reader.code() : 0;
    if (told) {
        // What the server says is worth more than that it broke off, which newer ones do after an error behind rows.
        result.text = errorText(reader.error());
        if (result.broken && m_connected && !m_aborted) {
            m_closes = true;
            result.broken = false;
        }
    } else if (result.broken) {
        result.code = done == CURLE_OPERATION_TIMEDOUT ? kSocketTimeout : kNetworkError;
        result.text = m_aborted ? "the connection was aborted"
                      : cutOff || m_requests > 1 || (!m_mayOpen && done == CURLE_COULDNT_CONNECT)
                          ? "the server has closed the connection"
                      : m_libraryError[0] != '\0' ? m_libraryError
                                                  : curl_easy_strerror(done);
    }
    if (result.broken) {
        m_connected = false;
        m_cutter.detach();
    }
}

void HttpConnection::abort() noexcept
{
    m_aborted = true;
    m_cutter.cut();
}

std::size_t HttpConnection::onBody(char* bytes, std::size_t size, std::size_t count, void* self)
{
    auto* const connection = static_cast<HttpConnection*>(self);
    connection->m_reader->take({bytes, size * count});
    return size * count;
}

std::size_t HttpConnection::onHeader(char* bytes, std::size_t size, std::size_t count, void* self)
{
    static_cast<HttpConnection*>(self)->takeHeader({bytes, size * count});
    return size * count;
}

void HttpConnection::takeHeader(std::string_view line)
{
    if (line.starts_with("HTTP/")) {
        m_closes = m_headersEnded = m_framed = false;
        const std::string_view status = trimmed(line.substr(std::min(line.find(' '), line.size())));
        if (!status.starts_with("200") && !status.starts_with('1')) // "100 Continue"
            m_reader->failed();
        return;
    }
    if (line == "\r\n" || line == "\n") {
        m_headersEnded = true;
        return;
    }
    constexpr std::string_view kOurs = "x-clickhouse-"; // most lines are others
    const char first = lowered(line.front());
    if (first == 'k') {
        if (const auto value = headerValue(line, "keep-alive")) {
            constexpr std::string_view kTimeout = "timeout=";
            std::int64_t seconds = 0;
            if (const std::size_t at = value->find(kTimeout); at != std::string_view::npos)
                std::from_chars(value->data() + at + kTimeout.size(), value->data() + value->size(), seconds);
            m_keepAliveNs = seconds * kSecondNs * 3 / 4; // its clock has begun before ours
        }
    } else if (first == 'c') {
        if (const auto value = headerValue(line, "connection"))
            m_closes = lowered(*value) == "close";
        else if (headerValue(line, "content-length"))
            m_framed = true;
    } else if (first == 't') {
        if (headerValue(line, "transfer-encoding"))
            m_framed = true;
    } else if (first == 'x' && line.size() > kOurs.size() && lowered(line.substr(0, kOurs.size())) == kOurs) {
        if (const auto code = headerValue(line, "x-clickhouse-exception-code")) {
            std::int32_t number = 0;
            std::from_chars(code->data(), code->data() + code->size(), number);
            m_reader->setCode(number);
            m_reader->failed();
        } else if (const auto json = headerValue(line, "x-clickhouse-summary")) {
            m_writtenRows = summaryNumber(*json, R"("written_rows":")");
        }
    }
}

std::size_t HttpConnection::onSend(char* to, std::size_t size, std::size_t count, void* self)
{
    auto* const connection = static_cast<HttpConnection*>(self);
    std::size_t room = size * count, done = 0;
    for (std::string_view* piece : {&connection->m_statement, &connection->m_data}) {
        const std::size_t some = std::min(room, piece->size());
        if (some > 0)
            std::memcpy(to + done, piece->data(), some);
        piece->remove_prefix(some);
        done += some;
        room -= some;
    }
    return done;
}

curl_socket_t HttpConnection::onOpen(void* self, curlsocktype /*purpose*/, curl_sockaddr* address)
{
    auto* const connection = static_cast<HttpConnection*>(self);
    if (!connection->m_mayOpen || connection->m_aborted)
        return CURL_SOCKET_BAD;
    const int socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (socket >= 0)
        connection->m_cutter.attach(socket);
    if (connection->m_aborted) // between the two
        connection->m_cutter.cut();
    return socket >= 0 ? socket : CURL_SOCKET_BAD;
}

int HttpConnection::onRequest(void* self, char* /*ip*/, char* /*localIp*/, int /*port*/, int /*localPort*/)
{
    // The library sends a request again where a kept connection ended without an answer. Nobody knows whether the
    // server has done it.
    auto* const connection = static_cast<HttpConnection*>(self);
    if (connection->m_options->tls && connection->m_mayOpen)
        connection->m_cipher = cipherOf(connection->m_easy.get());
    return ++connection->m_requests > 1 || connection->m_aborted ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

int HttpConnection::onProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    return static_cast<HttpConnection*>(self)->m_aborted ? 1 : 0;
}

Outcome outcomeOf(const HttpResult& result)
{
    if (result.broken)
        return Outcome::Disconnected;
    switch (result.code) {
    case 0:
        return Outcome::Ok;
    case 159: // TIMEOUT_EXCEEDED
    case 160: // TOO_SLOW
        return Outcome::TimedOut;
    // What passes when the server has done more of its work. MEMORY_LIMIT_EXCEEDED is none of them: a query that takes
    // too much would be tried for ever.
    case 202: // TOO_MANY_SIMULTANEOUS_QUERIES
    case 252: // TOO_MANY_PARTS
    case 439: // CANNOT_SCHEDULE_TASK
    case 473: // DEADLOCK_AVOIDED
        return Outcome::Retryable;
    default:
        return Outcome::Rejected;
    }
}

Error connectError(const TargetUri& uri, const ConnectOptions& options, const HttpResult& result)
{
    const auto error = [&](ErrorKind kind, std::string message, std::string remedy) {
        return Error{kind, fmt::format("{} ({})", message, result.text), uri.display(), std::move(remedy)};
    };
    switch (result.code) {
    case 192: // UNKNOWN_USER
    case 193: // WRONG_PASSWORD
    case 194: // REQUIRED_PASSWORD
    case 195: // IP_ADDRESS_NOT_ALLOWED
    case 516: // AUTHENTICATION_FAILED
        return error(ErrorKind::Refused, "the server answers, but refuses the user or password",
                     fmt::format("check the user in the URI and the password: {}", kWherePasswordsAre));
    case 81: // UNKNOWN_DATABASE
        return error(ErrorKind::Refused, fmt::format("there is no database \"{}\"", uri.database),
                     fmt::format("make it with CREATE DATABASE {}", uri.database));
    case 291: // DATABASE_ACCESS_DENIED
        return error(ErrorKind::Refused,
                     fmt::format("the user {} may not use the database \"{}\"", uri.user.empty() ? "default" : uri.user,
                                 uri.database),
                     "add the database to allow_databases of the user in the server's files, or name another one");
    case 202:
        return error(ErrorKind::Refused, "the server takes no more connections",
                     "raise max_concurrent_queries, or use fewer users");
    default:
        break;
    }
    const std::string text = lowered(result.text);
    const auto says = [&text](std::string_view words) { return text.find(words) != std::string::npos; };
    if (result.broken && options.tls && (result.noTls || says("ssl") || says("tls") || says("certificate"))) {
        std::string remedy = "check tls=, tls_ca, tls_cert and tls_min_version";
        if (says("no alternative certificate subject name") || says("does not match"))
            remedy = "use the name that the server's certificate holds";
        else if (says("self-signed") || says("self signed") || says("unable to get local issuer"))
            remedy = "name the PEM file of the authority that signed the server's certificate in tls_ca";
        else if (says("expired") || says("not yet valid"))
            remedy = "renew the certificate, or set the clock";
        else if (says("protocol version") || says("unsupported protocol"))
            remedy = "the server is too old for tls_min_version: lower it";
        else if (says("wrong version number") || (result.noTls && (says("timed out") || says("closed"))))
            remedy = "the server has no TLS at this port: name its https_port in the URI, or use tls=off";
        if (options.tlsByDefault)
            remedy += "; a server on another machine is verified unless tls= says otherwise: tls=required encrypts "
                      "without knowing the server";
        return error(ErrorKind::Refused, "no TLS connection", remedy);
    }
    if (!result.broken)
        return error(ErrorKind::Refused, "the server refuses the connection", "see what it says");
    return error(ErrorKind::Unreachable, "the server does not answer",
                 "start the server, or correct host and port in the URI: the port is that of its HTTP interface");
}

} // namespace dyno::clickhouse
