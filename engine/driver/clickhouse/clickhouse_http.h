// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection to the HTTP interface, kept alive between statements.
#pragma once

#include "clickhouse_answer.h"
#include "clickhouse_options.h"
#include "driver/socket_cutter.h"

#include <atomic>
#include <curl/curl.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::clickhouse {

//! How an exchange ended.
struct HttpResult
{
    std::int32_t code = 0; //!< the server's, or kNetworkError and kSocketTimeout where the connection failed
    bool broken = false;   //!< the connection is gone; only connect() may follow
    std::string text;      //!< of what went wrong; never holds a password
    bool noTls = false;    //!< broken after the server took the connection and before TLS stood
};

//! Blocking. One thread, but for abort().
class HttpConnection
{
public:
    explicit HttpConnection(std::shared_ptr<const ConnectOptions> options);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    //! Opens a new connection in place of the one that there is, and asks the server who it is, which signs in too.
    void connect(HttpResult& result);
    //! Sends a statement, in up to two pieces that are not copied, and reads its answer into `reader`, whose begin()
    //! was called.
    void post(std::string_view statement, std::string_view data, AnswerReader& reader, HttpResult& result);
    //! Of the last statement, as the server says beside its answer (X-ClickHouse-Summary); −1: it does not say.
    [[nodiscard]] std::int64_t writtenRows() const { return m_writtenRows; }
    [[nodiscard]] bool connected() const { return m_connected; }
    //! In force, "TLS_AES_256_GCM_SHA384 (TLSv1.3)"; "" without TLS.
    [[nodiscard]] const std::string& cipher() const { return m_cipher; }
    //! Ends the exchange under way, and whatever comes before the next connect(), as broken. Any thread.
    void abort() noexcept;

private:
    struct CloseEasy
    {
        void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
    };
    struct CloseList
    {
        void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    };
    using List = std::unique_ptr<curl_slist, CloseList>;

    void setUp();
    void exchange(std::string_view statement, std::string_view data, AnswerReader& reader, HttpResult& result);
    [[nodiscard]] bool compress(std::string_view statement, std::string_view data);
    [[nodiscard]] bool mustReopen() const;
    void takeHeader(std::string_view line);

    static std::size_t onBody(char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t onHeader(char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t onSend(char* to, std::size_t size, std::size_t count, void* self);
    static curl_socket_t onOpen(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int onRequest(void* self, char* ip, char* localIp, int port, int localPort);
    static int onProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

    std::shared_ptr<const ConnectOptions> m_options;
    List m_resolve, m_headers, m_compressedHeaders;
    std::unique_ptr<CURL, CloseEasy> m_easy;
    SocketCutter m_cutter;
    std::atomic<bool> m_aborted = false;
    char m_libraryError[CURL_ERROR_SIZE] = {};

    // The exchange under way.
    AnswerReader* m_reader = nullptr;
    std::string_view m_statement, m_data; //!< what is left to send
    std::string m_compressed;             //!< keeps its capacity
    std::int64_t m_writtenRows = -1;
    bool m_headersEnded = false;
    bool m_framed = false;  //!< the answer tells where it ends
    bool m_mayOpen = false; //!< a new connection
    int m_requests = 0;     //!< that the library has begun to send

    std::string m_cipher;
    bool m_connected = false;
    bool m_closes = false;          //!< the server said that it closes the connection
    std::int64_t m_keepAliveNs = 0; //!< how long the server keeps it when nothing comes; 0: it does not say
    std::int64_t m_idleSinceNs = 0;
};

//! The error that a person sees when connecting failed.
[[nodiscard]] Error connectError(const TargetUri& uri, const ConnectOptions& options, const HttpResult& result);
//! The outcome that a code stands for.
[[nodiscard]] Outcome outcomeOf(const HttpResult& result);

} // namespace dyno::clickhouse
