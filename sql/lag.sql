-- How far the relay is. Any role may run these; 13 to 18.

-- Per slot: bytes not yet published and confirmed, bytes of WAL kept back, and bytes left until the slot is lost (null: no limit).
-- Large unconfirmed: the relay or Kafka is behind. Small unconfirmed and large retained: a long transaction holds the WAL (below).
SELECT s.slot_name,
       s.active,
       s.wal_status,
       pg_wal_lsn_diff(pg_current_wal_lsn(), s.confirmed_flush_lsn)::bigint AS unconfirmed_bytes,
       pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)::bigint         AS retained_bytes,
       s.safe_wal_size                                                      AS safe_wal_bytes
FROM pg_replication_slots s
WHERE s.slot_type = 'logical'
ORDER BY unconfirmed_bytes DESC NULLS LAST;

-- Who holds back the slots' restart_lsn: the oldest open transactions that wrote, and prepared ones. (Other roles' rows need pg_monitor.)
SELECT pid, datname, usename, application_name, state, now() - xact_start AS open_for
FROM pg_stat_activity
WHERE backend_xid IS NOT NULL
ORDER BY xact_start
LIMIT 5;

SELECT gid, database, owner, now() - prepared AS open_for FROM pg_prepared_xacts ORDER BY prepared LIMIT 5;

-- The limits that decide when a slot is lost.
SELECT name, setting, unit
FROM pg_settings
WHERE name IN ('max_slot_wal_keep_size', 'wal_keep_size', 'idle_replication_slot_timeout', 'max_replication_slots', 'max_wal_senders');
