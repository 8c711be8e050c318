#!/bin/sh
# Writes a dump of one database to standard output, while the service serves and writes.
#
#   deploy/backup/back-up.sh LOGIN DATABASE > animal-store.sql
#
# LOGIN is an options file of the client (host, port, user, password in [client]). The login needs SELECT and SHOW VIEW on the
# database, RELOAD, and BINLOG MONITOR (MySQL: REPLICATION CLIENT) for the place in the binary log, from which restore.sh goes on.
set -eu
login=$1 database=$2

# One snapshot for all tables. Without --skip-lock-tables the tables would be locked and clients be told 503 until it is done.
# Do not migrate meanwhile: a changed table ends the snapshot.
set -- --defaults-extra-file="$login" \
  --single-transaction --skip-lock-tables --quick --hex-blob --no-tablespaces
if dump=$(command -v mariadb-dump); then exec "$dump" "$@" --master-data=2 "$database"; fi
# A server takes the GTIDs of a dump once only, and none that it has.
exec mysqldump "$@" --source-data=2 --set-gtid-purged=OFF "$database"
