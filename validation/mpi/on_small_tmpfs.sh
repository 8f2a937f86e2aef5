#!/bin/sh
# on_small_tmpfs.sh FOLDER COMMAND...: runs COMMAND in a mount namespace of its own, where FOLDER/full is a tmpfs of 4 MiB and
# FOLDER/readonly one that is mounted read-only. Exits with 77 (skipped) where such mounts are not allowed.
folder=$1
shift
mkdir -p "$folder/full" "$folder/readonly" || exit 1
if [ "$(id -u)" = 0 ]; then namespace="unshare --mount"; else namespace="unshare --mount --map-root-user"; fi
mounts='mount -t tmpfs -o size=4m full "$1/full" && mount -t tmpfs -o ro readonly "$1/readonly"'
if ! $namespace sh -c "$mounts" mounts "$folder"; then
    echo "SKIPPED: mounting in a namespace of its own (unshare --mount) is not allowed here"
    exit 77
fi
exec $namespace sh -c "$mounts"' && shift && exec "$@"' mounts "$folder" "$@"
