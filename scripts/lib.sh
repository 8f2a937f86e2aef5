# Shell functions of run, test and lint. Sourced; works in the project's root from then on.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
readonly root=$PWD
no_install=false  # the scripts' option --no-install
readonly unavailable=69  # exit status: something is missing and --no-install was given (EX_UNAVAILABLE of sysexits.h)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }
refuse() { say "$* (scripts/${0##*/} --help)"; exit 2; }  # of arguments

# The script's own comment block is its help text.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# Names of the given lists in scripts/packages, and those of them that dpkg does not have.
packages() { (cd scripts/packages && sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$@"); }
missing_packages() {
    local names installed
    mapfile -t names < <(packages "$@")
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
    printf '%s\n' "${names[@]}" | grep -vxF -f <(printf '%s\n' "$installed" | sed '/^$/d') || true
}

# apt-get without questions. It waits for a lock, since a new machine may still be updating itself.
apt_get() {
    local as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Installs names; apt's package lists are fetched only where they are absent or outdated.
apt_install() {
    local install=(install --no-install-recommends "$@")
    apt_get --simulate "${install[@]}" >/dev/null 2>&1 || apt_get update || return
    apt_get "${install[@]}" || { apt_get update && apt_get "${install[@]}"; }
}

# Makes sure of the packages in the given lists. Where apt cannot help, says so and goes on: the libraries may have come some
# other way (modules, Spack), and CMake has the last word.
ensure_packages() {
    local missing=() program
    if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
        mapfile -t missing < <(missing_packages "$@")
        if ((${#missing[@]})); then
            if $no_install; then
                say "missing: ${missing[*]}"
                say "to install them: apt-get install --no-install-recommends ${missing[*]}"
                exit "$unavailable"
            elif ((EUID != 0)) && ! command -v sudo >/dev/null; then
                say "neither root nor sudo here; going on without the packages ${missing[*]}"
            else
                mkdir -p build
                say "installing with apt (log: build/packages.log): ${missing[*]}"
                apt_install "${missing[@]}" >build/packages.log 2>&1 ||
                    { tail -n 5 build/packages.log >&2; say "apt could not install them; going on with what is there"; }
            fi
        fi
    else
        say "no apt here; going on with what is there"
    fi
    missing=()
    for program in c++ cmake ninja mpirun; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    if ((${#missing[@]})); then
        say "programs missing on PATH: ${missing[*]} (the Debian packages are listed in scripts/packages/)"
        exit "$unavailable"
    fi
}

# Configures the preset `release` in build/ with the given CMake options and shows what CMake says about jacobi itself.
configure() {
    mkdir -p build
    if ! cmake --preset release "$@" >build/configure.log 2>&1; then
        cat build/configure.log >&2
        die "CMake failed. Libraries needed: MPI 3, parallel HDF5, yaml-cpp, CLI11, fmt, nlohmann-json; GoogleTest for the tests"
    fi
    sed -n 's/^-- jacobi: //p' build/configure.log | while read -r line; do say "$line"; done
}

build() { cmake --build build >&2; }

# Cores that Open MPI counts (not hardware threads), within what this process may use.
cores() {
    local usable physical
    usable=$(nproc)
    physical=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l) || true
    echo $((physical > 0 && physical < usable ? physical : usable))
}

# Exports the given NAME=VALUE settings, those that the user has not set, and shows them with the reason.
settings() {
    local reason=$1 new=() pair
    for pair in "${@:2}"; do
        [[ -v ${pair%%=*} ]] || new+=("$pair")
    done
    ((${#new[@]})) || return 0
    export "${new[@]}"
    printf '    export %s  # %s\n' "${new[*]}" "$reason" >&2
}

# What Open MPI needs so that this many ranks run on this machine; nothing where nothing is needed.
mpi_environment() {
    local ranks=$1 cores shm oversubscribe=OMPI_MCA_rmaps_base_oversubscribe=1 unbound=OMPI_MCA_hwloc_base_binding_policy=none
    if [[ $(mpirun --version 2>&1) == *"(Open MPI) 5."* ]]; then  # whose launcher has names of its own
        oversubscribe=PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe unbound=PRTE_MCA_hwloc_default_binding_policy=none
    fi
    cores=$(cores)
    if ((EUID == 0)); then
        settings "mpirun refuses root otherwise" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    if ((ranks > cores)); then
        settings "$ranks ranks on $cores cores: mpirun refuses more ranks than cores otherwise" "$oversubscribe"
        settings "ranks that share cores are not bound to one" "$unbound"
        settings "a rank that waits in MPI leaves its core to the others" OMPI_MCA_mpi_yield_when_idle=1
    elif ((ranks <= 2 && ranks < cores)); then
        settings "one or two ranks would be bound to one core each, with all their threads" "$unbound"
    fi
    shm=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || shm=0
    if ((shm < 1 << 20)); then
        mkdir -p build/shm
        settings "/dev/shm has less than 1 GiB (containers): ranks share memory through files on disk" \
            "OMPI_MCA_osc_sm_backing_directory=$root/build/shm" "OMPI_MCA_btl_vader_backing_directory=$root/build/shm"
    fi
}

# The project's sources with the given endings (a regular expression), NUL-separated.
sources() { find app comm kernels validation -type f -regextype posix-extended -regex ".*\.($1)" -print0 | sort -z; }
readonly formatted='cpp|hpp|inl|cu|cuh'

# Version 14 formats; others differ in details.
clang_format() {
    local program
    for program in clang-format-14 clang-format; do
        [[ $("$program" --version 2>/dev/null) != *"version 14."* ]] || { echo "$program"; return; }
    done
    return 1
}

check_format() {
    local program
    program=$(clang_format) || { say "format not checked: no clang-format 14 here"; return 1; }
    if sources "$formatted" | xargs -0 "$program" --dry-run -Werror; then
        say "format: right in $(sources "$formatted" | tr -cd '\0' | wc -c) files"
    else
        say "format: wrong (scripts/lint --fix corrects it)"
        return 1
    fi
}
