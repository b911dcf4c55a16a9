#!/bin/sh
# Installs stack-tools @VERSION@ for one user on any Linux, without a compiler:
#
#   curl -fsSL @RELEASE@/install.sh | sh
#   curl -fsSL @RELEASE@/install.sh | sh -s -- --uninstall
#
# What it downloads must have the checksum that is written here.
set -eu

usage() {
    cat <<'END'
Install stack-tools @VERSION@: programs, man pages and shell completions

Usage: sh install.sh [OPTIONS]

Options:
  --prefix DIR    Where to [default: ~/.local; for root /usr/local]
  --from ADDRESS  The folder or the web address that has the archive
                  [default: @RELEASE@]
  --uninstall     Remove what was installed there
  -h, --help      Print help
END
}

# An archive, and its checksum, in each line.
archives='@ARCHIVES@'

say() { printf 'install: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 2
}
has() { command -v "$1" > /dev/null 2>&1; }

# The line of the archive for this system and processor.
ours() {
    processor=$(uname -m | sed 's/^arm64$/aarch64/')
    found=''
    [ "$(uname -s)" != Linux ] ||
        found=$(printf '%s\n' "$archives" | sed -n "/-$processor-linux[.-]/{p;q;}")
    [ -n "$found" ] ||
        fail "there are no programs for $(uname -s) on $processor: cargo install stack-tools builds them"
    printf '%s\n' "$found"
}

# download NAME FILE
download() {
    case $from in
        *://*)
            if has curl; then
                curl -fsSL -o "$2" "$from/$1"
            elif has wget; then
                wget -q -O "$2" "$from/$1"
            else
                fail 'curl and wget are missing: install one of them'
            fi || fail "$from/$1 cannot be downloaded"
            ;;
        *) cp "$from/$1" "$2" ;;
    esac
}

# check SUM FILE
check() {
    sum=$(
        if has sha256sum; then
            sha256sum < "$2"
        elif has shasum; then
            shasum -a 256 < "$2"
        elif has openssl; then
            openssl dgst -sha256 -r < "$2"
        else
            fail 'sha256sum is missing: what was downloaded cannot be checked'
        fi
    )
    [ "${sum%% *}" = "$1" ] ||
        fail "the checksum of what was downloaded is ${sum%% *}, expected $1: nothing is installed"
}

# The list of files that were installed, of paths below the prefix, and its own.
list=share/doc/stack-tools/installed

# put FOLDER LIST: the files of the folder that the list names come below the prefix.
put() {
    while IFS= read -r file; do
        mkdir -p "$prefix/${file%/*}"
        # The file of a program that runs cannot be overwritten, but it can be replaced.
        cp "$1/$file" "$prefix/$file.new"
        mv -f "$prefix/$file.new" "$prefix/$file"
    done < "$2"
}

# remove KEPT: what was installed goes, but for what KEPT lists; and folders that are empty then.
remove() {
    cp "$prefix/$list" "$work/installed"
    while IFS= read -r file; do
        ! grep -qxF -e "$file" "$1" || continue
        rm -f "$prefix/$file"
        (cd "$prefix" && rmdir -p "${file%/*}" 2> /dev/null) || true
    done < "$work/installed"
}

install() {
    line=$(ours)
    name=${line% *}
    has xz || fail 'xz is missing: install the package xz-utils, or xz'
    download "$name" "$work/archive"
    check "${line#* }" "$work/archive"
    xz -dc "$work/archive" > "$work/archive.tar"
    tar -C "$work" -x -f "$work/archive.tar"
    unpacked=$work/${name%.tar.xz}
    mkdir -p "$unpacked/${list%/*}"
    (cd "$unpacked" && find bin share -type f && echo "$list") | sort > "$work/list"
    cp "$work/list" "$unpacked/$list"
    # What an older version had, and this one has not, must not stay.
    [ ! -f "$prefix/$list" ] || remove "$work/list"
    put "$unpacked" "$work/list"
    say "stack-tools @VERSION@ is in $prefix: try stack-flame --help"
    case :$PATH: in
        *:"$prefix/bin":*) ;;
        *) say "add it to PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
}

uninstall() {
    [ -f "$prefix/$list" ] || fail "nothing is installed below $prefix: --prefix says where it is"
    remove /dev/null
    say "stack-tools is removed from $prefix"
}

# All is in functions, so that half a download does nothing.
main() {
    from=@RELEASE@ action=install
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:-}/.local; fi
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix | --from) [ $# -gt 1 ] || fail "$1: expected a value" ;;
        esac
        case $1 in
            --prefix) prefix=$2 && shift ;;
            --from) from=${2%/} && shift ;;
            --uninstall) action=uninstall ;;
            -h | --help) usage && exit ;;
            *) fail "$1: unexpected argument, see --help" ;;
        esac
        shift
    done
    case $prefix in
        /*) ;;
        *) prefix=$PWD/$prefix ;;
    esac
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 2' INT TERM
    $action
}

main "$@"
