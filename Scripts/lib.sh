# shellcheck shell=bash
# What the scripts of this folder share; sourced, never run.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# Logs and results of test runs; ignored by git.
# shellcheck disable=SC2034
LOGS="$ROOT/.build-logs"
MINIMUM_SWIFT="6.2"
# The package manager, with a fixed seed for its hash tables: it hands a package's traits to the compiler in the order of
# such a table, another one in each run, and then compiles whatever has more than one trait anew.
# shellcheck disable=SC2034
SWIFTPM=(env SWIFT_DETERMINISTIC_HASHING=1 swift)

say() { printf '==> %s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$1" >&2
    shift
    (($# == 0)) || printf '       %s\n' "$@" >&2
    exit 1
}

# Seconds as "3 min 05 s".
duration() {
    if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' "$(($1 / 60))" "$(($1 % 60))"; fi
}

# True when version $1 is at least $2.
version_at_least() {
    [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]
}

# Puts a Swift that is new enough on PATH, or stops and says what to do.
require_swift() {
    local folder version said
    if ! command -v swift >/dev/null; then
        for folder in "$HOME/.local/share/swiftly/bin" /opt/swift/usr/bin /usr/share/swift/usr/bin; do
            if [[ -x "$folder/swift" ]]; then
                export PATH="$folder:$PATH"
                break
            fi
        done
    fi
    command -v swift >/dev/null || fail "Swift is not installed, or not on PATH." \
        "Ward needs Swift $MINIMUM_SWIFT or newer: https://www.swift.org/install/linux/" \
        "If it is installed, add it: export PATH=/where/it/is/usr/bin:\$PATH"
    said="$(swift --version 2>&1)" || fail "'swift --version' fails ($(command -v swift)):" "$said"
    version="$(sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' <<<"$said" | head -n 1)"
    [[ -n "$version" ]] || fail "'swift --version' does not say a version ($(command -v swift)):" "$said"
    version_at_least "$version" "$MINIMUM_SWIFT" || fail \
        "Swift $version is too old ($(command -v swift))." \
        "Ward needs Swift $MINIMUM_SWIFT or newer: https://www.swift.org/install/linux/"
}
