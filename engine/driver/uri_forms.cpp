// SPDX-License-Identifier: GPL-3.0-or-later
// The list of what targets are written as. A new driver is one line in it.
#include "driver/clickhouse/clickhouse_driver.h"
#include "driver/mongodb/mongodb_driver.h"
#include "driver/mysql/mysql_driver.h"
#include "driver/null/null_driver.h"
#include "driver/postgresql/postgresql_driver.h"
#include "driver/rocksdb/rocksdb_driver.h"
#include "driver/sqlite/sqlite_driver.h"

#include <algorithm>
#include <charconv>

namespace dyno {

namespace {

//! Servers that Dynobench starts, whatever they are.
UriForm managedForm(const std::vector<UriForm>& others)
{
    std::string first;
    for (const UriForm& form : others) {
        if (first.empty() && !form.products.empty() && form.products.front().managed)
            first = form.products.front().id;
    }
    UriForm form;
    form.shape = UriShape::Product;
    form.kind = TargetKind::Managed;
    form.schemes = {{"managed", "managed", "managed:" + first}};
    form.options = {
        {{.name = "version",
          .label = "Version",
          .help = "Version wanted: 8.0.31, or 8.0 for any 8.0. Empty takes any."}},
        {{.name = "basedir",
          .label = "Server folder",
          .help = "Folder of another version, with its programs in it or in bin/. Empty takes the installed one."}},
        {{.name = "transport",
          .label = "Connection",
          .help = "How clients connect: through a Unix socket, or by TCP on this machine only.",
          .type = OptionType::Choice,
          .defaultValue = std::string("socket"),
          .choices = {"socket", "tcp"}}},
        {{.name = "name",
          .label = "Instance",
          .help = "Name of an instance that is kept with its data. Empty makes a new one for each session."}}};
    return form;
}

} // namespace

const std::vector<UriForm>& uriForms()
{
    static const std::vector<UriForm> kForms = [] {
        std::vector<UriForm> forms = {
            sqliteUriForm(),     mysqlUriForm(),      nullUriForm(),    mongodbUriForm(),
            postgresqlUriForm(), clickhouseUriForm(), rocksdbUriForm(),
        };
        constexpr int kPlace = 2; // after what is used most
        forms.insert(forms.begin() + kPlace, managedForm(forms));
        return forms;
    }();
    return kForms;
}

namespace {

const UriScheme* schemeOf(const UriForm& form, std::string_view name)
{
    const auto found = std::ranges::find_if(form.schemes, [name](const UriScheme& scheme) {
        return scheme.name == name || (!scheme.alias.empty() && scheme.alias == name);
    });
    return found == form.schemes.end() ? nullptr : &*found;
}

const UriForm* formOfProduct(std::string_view product)
{
    for (const UriForm& form : uriForms()) {
        if (std::ranges::find(form.products, product, &ProductName::id) != form.products.end())
            return &form;
    }
    return nullptr;
}

} // namespace

const UriForm* uriFormOf(std::string_view scheme)
{
    for (const UriForm& form : uriForms()) {
        if (schemeOf(form, scheme))
            return &form;
    }
    return nullptr;
}

const UriForm* uriFormOfDriver(std::string_view driver)
{
    const auto found = std::ranges::find(uriForms(), driver, &UriForm::driver);
    return driver.empty() || found == uriForms().end() ? nullptr : &*found;
}

const UriOption* UriForm::option(std::string_view name) const
{
    const auto found = std::ranges::find_if(options, [name](const UriOption& one) { return one.spec.name == name; });
    return found == options.end() ? nullptr : &*found;
}

std::vector<const UriForm*> remoteForms()
{
    std::vector<const UriForm*> all;
    for (const UriForm& form : uriForms()) {
        if (form.built && form.kind == TargetKind::Remote)
            all.push_back(&form);
    }
    return all;
}

std::vector<ProductName> managedProductNames()
{
    std::vector<ProductName> all;
    for (const UriForm& form : uriForms())
        std::ranges::copy_if(form.products, std::back_inserter(all), &ProductName::managed);
    return all;
}

std::string productName(std::string_view id)
{
    if (const UriForm* form = formOfProduct(id))
        return std::ranges::find(form->products, id, &ProductName::id)->name;
    const UriForm* form = uriFormOf(id);
    return form ? schemeOf(*form, id)->product : std::string(id);
}

std::string errorName(std::string_view driver, std::int32_t code)
{
    const UriForm* form = code > 0 ? uriFormOfDriver(driver) : nullptr;
    return form && form->codeText ? form->codeText(code) : std::to_string(code);
}

std::int32_t errorCode(std::string_view name)
{
    std::int32_t code = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), code);
    if (problem == std::errc() && end == name.data() + name.size())
        return code;
    for (const UriForm& form : uriForms()) {
        if (const std::int32_t named = form.codeNamed ? form.codeNamed(name) : 0)
            return named;
    }
    return 0;
}

std::string driverNamedBy(std::string_view uri)
{
    const std::size_t colon = uri.find(':');
    const UriForm* form = colon == std::string_view::npos ? nullptr : uriFormOf(uri.substr(0, colon));
    if (!form || form->shape != UriShape::Product)
        return form ? form->driver : std::string();
    std::string_view product = uri.substr(colon + 1);
    product = product.substr(0, product.find('?'));
    if (const UriForm* known = formOfProduct(product))
        return known->driver;
    return formOfProduct(managedProductNames().front().id)->driver;
}

namespace {

const UriForm& fileForm()
{
    return *std::ranges::find_if(uriForms(), &UriForm::privateFile);
}

} // namespace

std::string fileTarget(const std::string& path)
{
    TargetUri uri;
    uri.kind = TargetKind::Embedded;
    uri.scheme = fileForm().schemes.front().name;
    uri.path = path;
    return uri.display();
}

std::string fileProduct()
{
    return fileForm().schemes.front().product;
}

bool isFile(const TargetUri& uri)
{
    const UriForm* form = uriFormOf(uri.scheme);
    return form && form->shape == UriShape::Path;
}

bool isFolder(const TargetUri& uri)
{
    const UriForm* form = uriFormOf(uri.scheme);
    return form && form->folder;
}

void setSocket(TargetUri& uri, const std::string& socket)
{
    const UriForm* form = uriFormOf(uri.scheme);
    if (!form || form->shape != UriShape::Hosts) {
        uri.query["socket"] = socket;
        return;
    }
    uri.host = socket; // it stands in the place of the host
    uri.port = 0;
}

std::optional<Endpoint> endpointOf(const TargetUri& uri)
{
    const UriForm* form = uriFormOf(uri.scheme);
    if (!form || !form->keepsAddress)
        return {};
    if (const auto socket = uri.query.find("socket"); socket != uri.query.end() && !socket->second.empty())
        return Endpoint{{}, 0, socket->second};
    if (uri.port == 0 && (uri.host.empty() || uri.host == "localhost"))
        return {}; // the library's own socket
    return Endpoint{uri.host.empty() ? "localhost" : uri.host, uri.port > 0 ? uri.port : form->port};
}

void setEndpoint(TargetUri& uri, const Endpoint& endpoint)
{
    uri.query.erase("socket");
    uri.host = endpoint.socket.empty() ? endpoint.host : "localhost";
    uri.port = endpoint.port;
    if (!endpoint.socket.empty())
        setSocket(uri, endpoint.socket);
}

std::optional<TargetUri> socketTarget(std::string_view product, const std::string& socket)
{
    const UriForm* form = formOfProduct(product);
    if (!form || !form->built)
        return {};
    TargetUri uri;
    uri.kind = form->kind;
    uri.scheme = form->schemes.front().name;
    uri.driver = form->driver;
    uri.user = form->admin;
    uri.host = "localhost";
    setSocket(uri, socket);
    return uri;
}

} // namespace dyno
