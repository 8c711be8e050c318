#!/bin/sh
# Restores a dump of back-up.sh into an empty database, and prints what must be done before clients may connect again.
#
#   deploy/backup/restore.sh LOGIN DATABASE DUMP [LOG_LOGIN UNTIL]
#
# LOGIN is an options file of the client, as for back-up.sh. LOG_LOGIN is that of the server that was dumped, if its
# binary log still exists. Then the changes to the database of the same name after the dump are repeated, until before
# UNTIL ('YYYY-MM-DD hh:mm:ss' in the time zone of this process). The user of LOG_LOGIN needs REPLICATION SLAVE.
set -eu
login=$1 database=$2 dump=$3 log_login=${4-} until=${5-}
client() { "$(command -v mariadb || command -v mysql)" --defaults-extra-file="$login" "$@" "$database"; }

if [ -n "$(client --batch --skip-column-names --execute 'SHOW TABLES')" ]; then
  echo "$database is not empty" >&2
  exit 1
fi
client < "$dump"

if [ -n "$log_login" ]; then
  place=$(sed -n "s/^-- CHANGE .* TO [A-Z]*_LOG_FILE='\([^']*\)', [A-Z]*_LOG_POS=\([0-9]*\);.*/\1 \2/p" "$dump" | head -n 1)
  if [ -z "$place" ]; then
    echo "$dump does not say where the binary log went on" >&2
    exit 1
  fi
  # MySQL skips events whose GTIDs it has.
  log=$(command -v mariadb-binlog) || log="$(command -v mysqlbinlog)" gtids=--skip-gtids
  # In a file (TMPDIR), so that nothing is repeated if the log cannot be read completely.
  events=$(mktemp)
  trap 'rm -f "$events"' EXIT
  "$log" --defaults-extra-file="$log_login" --read-from-remote-server ${gtids-} --to-last-log --database="$database" \
    --start-position="${place#* }" --stop-datetime="$until" "${place% *}" > "$events"
  client < "$events"
fi

echo 'Keys that are good now. Revoke again what was revoked after the moment that was restored (key.revoked in the log):'
client --batch --execute 'SELECT id, client, scopes FROM api_key WHERE revoked_at IS NULL ORDER BY id'
echo
echo 'The next ids. Where clients may hold later ones, raise them (ALTER TABLE ... AUTO_INCREMENT), or they name other records:'
# MySQL caches these numbers for a day.
client --batch --execute '/*!80000 SET SESSION information_schema_stats_expiry = 0 */; SELECT TABLE_NAME, AUTO_INCREMENT FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND AUTO_INCREMENT IS NOT NULL ORDER BY TABLE_NAME'
