// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How targets are written and what their products are called, as each driver says it in its folder (NAME_uri.cpp),
//! also in a build without that driver. Asked by the one URI parser, forms, help and what hides secrets. Plain values;
//! any thread.
#pragma once

#include "path.h"
#include "uri.h"
#include "value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! How the part after "scheme:" is written.
enum class UriShape : std::uint8_t {
    Path,      //!< of a file or folder
    Authority, //!< //user@host:port/database
    Hosts,     //!< as Authority, where a list of hosts, or a socket in the place of a host, may stand
    Product,   //!< what to start
    Options,   //!< nothing but options
};

struct UriScheme
{
    std::string name;         //!< "mysql"
    std::string product;      //!< what it is of, for people: "MySQL"
    std::string example;      //!< "mysql://user@host:port/database"
    std::string alias = {};   //!< taken for `name` when it is read
    bool hostsByName = false; //!< a name service says which hosts there are
};

//! What answers, by the name that plans, tags and the knob catalogue have for it.
struct ProductName
{
    std::string id;      //!< "mariadb"
    std::string name;    //!< "MariaDB"
    bool managed = true; //!< managed:ID starts one
};

//! What may follow '?' in a URI.
struct UriOption
{
    OptionSpec spec;        //!< where it is a knob of the connection too, that knob
    std::string means = {}; //!< "tls_ca": this is another name of that option; "" = it is one of its own
};

struct UriForm
{
    std::string driver; //!< id; "" for the form of managed servers, whose driver is their product's
    UriShape shape = UriShape::Authority;
    TargetKind kind = TargetKind::Remote;
    bool built = true;               //!< this build has the driver
    std::string missing, howToBuild; //!< of one that could be built: message and remedy
    std::vector<UriScheme> schemes;  //!< the usual one first
    std::vector<UriOption> options = {};
    std::vector<ProductName> products = {}; //!< that speak this driver's protocol
    int port = 0;                           //!< the usual one
    std::string database = {};              //!< an example of one
    std::string admin = {};                 //!< account of the administrator of a fresh server, "" = none is named
    bool keepsAddress = false;              //!< its users connect to the one address they are given, such as a proxy's
    bool loginName = false;                 //!< without a user it is the person's login name that signs in
    std::string hint = {};                  //!< what may follow the usual scheme's example, as help has it
    bool privateFile = false; //!< without a path it is a file or folder of the session's own, removed with it
    bool folder = false;      //!< the path is a folder's
    std::vector<std::string> clients = {};     //!< programs that take a password in an argument -pPASSWORD
    std::vector<std::string> commonNames = {}; //!< accounts, databases and hosts that name nobody
    //! Of an embedded target: that it waits, as for a server, instead of working on the caller's thread.
    bool (*waits)(const TargetUri& uri) = nullptr;
    //! How people know a code of its errors, where that is not the number itself: "40P01".
    std::string (*codeText)(std::int32_t code) = nullptr;
    std::int32_t (*codeNamed)(std::string_view name) = nullptr; //!< the code again; 0 for what is no such name

    [[nodiscard]] const UriOption* option(std::string_view name) const; //!< nullptr when there is none
};

//! All of them, in the order in which they are shown. The list is driver/uri_forms.cpp.
[[nodiscard]] const std::vector<UriForm>& uriForms();
//! The form and scheme of a scheme's name or alias; nullptr when there is none.
[[nodiscard]] const UriForm* uriFormOf(std::string_view scheme);
//! Of the driver with this id; nullptr when there is none.
[[nodiscard]] const UriForm* uriFormOfDriver(std::string_view driver);
//! Those of remote servers that this build can reach.
[[nodiscard]] std::vector<const UriForm*> remoteForms();
//! That managed: can start, the best known first.
[[nodiscard]] std::vector<ProductName> managedProductNames();
//! "mariadb" → "MariaDB"; what is not known comes back as it is. Knows schemes too.
[[nodiscard]] std::string productName(std::string_view id);
//! The driver that the beginning of a URI names, also of one with faults; "" when there is none.
[[nodiscard]] std::string driverNamedBy(std::string_view uri);
//! How people know an error's code of this driver: "1213", "40P01". A workload's own codes, below 0, are numbers.
[[nodiscard]] std::string errorName(std::string_view driver, std::int32_t code);
//! The code that a number (−1: codes beyond those told apart), or a name of some driver's ("40P01"), stands for; 0 for
//! none.
[[nodiscard]] std::int32_t errorCode(std::string_view name);
//! The URI of a file, "sqlite:PATH"; without a path, of one of the session's own.
[[nodiscard]] std::string fileTarget(const std::string& path = {});
//! What keeps its data in such a file: "SQLite".
[[nodiscard]] std::string fileProduct();
//! True for embedded engines that keep their data in the file or folder TargetUri::path; "" is one of the session's
//! own.
[[nodiscard]] bool isFile(const TargetUri& uri);
//! True for those of isFile() whose path is a folder.
[[nodiscard]] bool isFolder(const TargetUri& uri);
//! The server of a managed product on this socket, as its administrator; nullopt for an unknown product.
[[nodiscard]] std::optional<TargetUri> socketTarget(std::string_view product, const std::string& socket);
//! Puts a socket where this target's form has it.
void setSocket(TargetUri& uri, const std::string& socket);
//! Where the server of such a URI listens; nothing where the client library would choose it (no port and no socket on
//! this machine), and where it need not be one place (UriForm::keepsAddress).
[[nodiscard]] std::optional<Endpoint> endpointOf(const TargetUri& uri);
//! The same server at another place.
void setEndpoint(TargetUri& uri, const Endpoint& endpoint);

} // namespace dyno
