# shellcheck shell=bash
# How scripts/fresh installs profilers, each below $home: install_SOURCE PACKAGES PROGRAM sets
# $folders, for PATH, and $version; if it fails, the last line of $log says why. scripts/fresh sets
# home, log and place, its temporary folder.
# shellcheck disable=SC2034,SC2154

# Debian's packages. They stay, so each is named; nobody is asked for a password. Those that are
# there already are left as they are.
install_apt() {
    local package packages=()
    for package in ${1//+/ }; do
        # shellcheck disable=SC2016
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] ||
            packages+=("$package")
    done
    [ ${#packages[@]} -gt 0 ] || return 0
    [ "$may_apt" = yes ] || { echo "Debian's ${packages[*]} is missing" > "$log" && return 1; }
    command -v apt-get > "$log" || { echo 'apt-get is missing' > "$log" && return 1; }
    say "installing with apt-get, as root: ${packages[*]} (--no-apt does without)"
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo -n)
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    # A list that is old may name what is not there any more; without a network it has to do.
    [ -e "$place/updated" ] || "${as_root[@]}" update > "$log" 2>&1 || true
    : > "$place/updated"
    "${as_root[@]}" install -y --no-install-recommends "${packages[@]}" > "$log" 2>&1
}

# From Python's registry. A program may be deep in the package.
install_pip() {
    local program=$2 deep
    python3 -m venv "$home" > "$log" 2>&1 &&
        "$home/bin/pip" --quiet --disable-pip-version-check --no-input install "$1" > "$log" 2>&1 ||
        return
    folders=$home/bin
    [ -x "$home/bin/$program" ] || {
        deep=$(find "$home" -name "$program" -type f -perm -100 | head -n 1)
        folders=${deep%/*}:$folders
    }
    version=$("$home/bin/pip" --disable-pip-version-check show "$1" | sed -n 's/^Version: //p')
}

# The same for musl, whose program needs no new glibc.
install_musl() {
    install_apt musl || return
    python3 -m pip --quiet --disable-pip-version-check --no-input install --target "$home" \
        --no-deps --only-binary=:all: --platform "musllinux_1_1_$(uname -m)" "$1" \
        > "$log" 2>&1 || return
    folders=$home/bin
    version=$(sed -n 's/^Version: //p' "$home"/*.dist-info/METADATA)
}

# These packages of npm's registry install their programs by scripts.
install_npm() {
    local packages
    IFS=+ read -ra packages <<< "$1"
    npm install --silent --no-audit --no-fund --prefix "$home" "${packages[@]}" > "$log" 2>&1 ||
        return
    folders=$home/node_modules/.bin
    version=$(sed -n 's/^ *"version": "\(.*\)",*$/\1/p' \
        "$home/node_modules/${packages[0]}/package.json")
}

# install_gem GEM
install_gem() {
    install_apt ruby+ruby-dev+gcc+make || return
    timeout 300 gem install --no-document --install-dir "$home" "$1" > "$log" 2>&1 || return
    GEM_PATH=$home:$(gem environment path)
    export GEM_PATH
    version=$(gem list --exact "$1" | sed -n 's/^.* (\([0-9.]*\).*/\1/p')
}

# install_opam PACKAGE+...: with a compiler, which takes minutes.
install_opam() {
    install_apt opam+gcc+make || return
    export OPAMROOT=$place/opam OPAMYES=1
    if [ ! -d "$OPAMROOT/fresh" ]; then
        timeout 300 opam init --bare --no-setup --disable-sandboxing > "$log" 2>&1 || return
        timeout 1800 opam switch create fresh ocaml-base-compiler > "$log" 2>&1 || return
    fi
    local packages
    IFS=+ read -ra packages <<< "$1"
    timeout 1800 opam install --switch=fresh ocamlfind "${packages[@]}" > "$log" 2>&1 || return
    folders=$OPAMROOT/fresh/bin
    version=$(opam show --switch=fresh --field=installed-version "${packages[0]}")
}

# What no registry has as a program is tried if somebody installed it.
install_path() {
    command -v "$1" > "$log" ||
        { echo 'not in PATH, and no registry has it as a program' > "$log" && return 1; }
    version=$("$1" --version 2>&1 | grep -o '[0-9][0-9.]*' | head -n 1)
}
