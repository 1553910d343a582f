// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/secret_names.h"

#include "base/text.h"

#include <algorithm>
#include <string>

namespace dyno {

namespace {

//! What these occur in may hold a secret.
constexpr std::string_view kSecretParts[] = {"pass", "pwd", "secret"};
constexpr std::string_view kSecrets[] = {"wsrep_sst_auth", "hashicorp_key_management_token",
                                         "file_key_management_filekey"};
//! Variables of MariaDB and MySQL that set rules for passwords.
constexpr std::string_view kRules[] = {"old_passwords",
                                       "default_password_lifetime",
                                       "disconnect_on_expired_password",
                                       "max_password_errors",
                                       "password_history",
                                       "password_require_current",
                                       "password_reuse_interval",
                                       "password_reuse_check_interval",
                                       "strict_password_validation",
                                       "generated_random_password_length"};
constexpr std::string_view kRulesOf[] = {"validate_password",      "simple_password_check_", "cracklib_password_check_",
                                         "caching_sha2_password_", "sha256_password_",       "mysql_native_password_"};

} // namespace

bool namesSecret(std::string_view name)
{
    const std::string low = lowered(name);
    if (std::ranges::find(kSecrets, low) != std::end(kSecrets))
        return true;
    if (std::ranges::find(kRules, low) != std::end(kRules) ||
        std::ranges::any_of(kRulesOf, [&low](std::string_view begin) { return low.starts_with(begin); }))
        return false;
    return std::ranges::any_of(kSecretParts,
                               [&low](std::string_view part) { return low.find(part) != std::string::npos; });
}

} // namespace dyno
