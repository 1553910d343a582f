// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Certificates and encryption keys of a managed server, made with OpenSSL's library. All files have mode 0600 and lie
//! in a folder with mode 0700. Any thread.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <string>

namespace dyno {

//! PEM files: an authority whose key nobody keeps, and what it signed.
struct Certificates
{
    std::filesystem::path ca;
    std::filesystem::path serverCert, serverKey; //!< for localhost, 127.0.0.1, ::1 and its address
    std::filesystem::path clientCert, clientKey; //!< for users that the server asks for a certificate (REQUIRE X509)
};
//! Makes them in `folder`, or takes those that are there, still good for a day and for a server at this IP address. RSA
//! with 2048 bits, SHA-256, valid for ten years. Takes about 0.3 s.
[[nodiscard]] Expected<Certificates> makeCertificates(const std::filesystem::path& folder,
                                                      const std::string& address = "127.0.0.1");

//! 256 bits of OpenSSL's random generator as text, with what servers that check passwords ask for.
[[nodiscard]] Expected<std::string> randomPassword();

//! A key file for MariaDB's file_key_management: keys 1 (tables, logs) and 2 (temporary files) of 256 bits from
//! OpenSSL's random generator. One that is there stays.
[[nodiscard]] Expected<void> makeKeyFile(const std::filesystem::path& file);

//! A key file for mongod's encryption at rest: 256 bits of OpenSSL's random generator as base64. One that is there
//! stays.
[[nodiscard]] Expected<void> makeBase64Key(const std::filesystem::path& file);
//! A certificate and its key in one file, as mongod wants them.
[[nodiscard]] Expected<void> joinPem(const std::filesystem::path& certificate, const std::filesystem::path& key,
                                     const std::filesystem::path& both);

} // namespace dyno
