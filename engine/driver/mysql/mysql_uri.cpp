// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/uri_forms.h"

namespace dyno {

UriForm mysqlUriForm()
{
    UriForm form;
    form.driver = "mysql";
    form.built = DYNO_HAVE_MYSQL == 1;
    form.missing = "this build has no driver for the MySQL family";
    form.howToBuild = "install MariaDB Connector/C 3.3.4 or newer with its headers (libmariadb-dev) and build again";
    form.schemes = {{"mysql", "MySQL", "mysql://user@host:port/database"},
                    {"mariadb", "MariaDB", "mariadb://user@host:port/database"}};
    form.options = {"socket", "tls", "tls_ca", "tls_cert", "tls_key", "tls_min_version", "tls_ciphers", "compression"};
    form.products = {{"mariadb", "MariaDB"}, {"mysql", "MySQL"}, {"percona", "Percona Server", false}};
    form.port = 3306;
    form.database = "sbtest";
    form.admin = "root";
    form.loginName = true;
    form.hint = "?socket=PATH, ?tls=verify";
    form.clients = {"mysql", "mariadb"};
    form.commonNames = {"mysql", "mysql.sys", "mysql.session", "mariadb", "mariadb.sys", "percona", "tidb", "aurora"};
    return form;
}

} // namespace dyno
