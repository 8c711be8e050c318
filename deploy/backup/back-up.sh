#!/bin/sh
# Writes a dump of one database to standard output, while the service reads and writes it.
#
#   deploy/backup/back-up.sh LOGIN DATABASE > animal-store.sql
#
# LOGIN is an options file of the client (host, port, user, password in [client]). The user needs SELECT and SHOW VIEW
# on the database, and RELOAD. For the position in the binary log, where restore.sh continues, the user also needs
# BINLOG MONITOR (MySQL: REPLICATION CLIENT).
set -eu
login=$1 database=$2

# One snapshot for all tables. Without --skip-lock-tables the tables would be locked, and clients would get 503 until
# the end. Do not migrate meanwhile: a changed table breaks the snapshot.
set -- --defaults-extra-file="$login" \
  --single-transaction --skip-lock-tables --quick --hex-blob --no-tablespaces
if dump=$(command -v mariadb-dump); then exec "$dump" "$@" --master-data=2 "$database"; fi
# A server accepts the GTIDs of a dump only once, and only if it does not have them yet.
exec mysqldump "$@" --source-data=2 --set-gtid-purged=OFF "$database"
