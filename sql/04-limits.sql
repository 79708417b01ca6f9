-- How much WAL a slot may keep back. Run it as a superuser.
--
-- A slot keeps WAL until the relay has confirmed it. Without a limit a relay that stays away fills the disk and the server stops; with one,
-- the slot is lost first, and with it the events that were not yet published. Choose what lies between: the disk's free space, less room for
-- the server's own work, and not less than the WAL of the longest outage that you want to bridge (a weekend). Watch lag.sql.

ALTER SYSTEM SET max_slot_wal_keep_size = '20GB';
SELECT pg_reload_conf();

-- PostgreSQL 18 can also drop slots that nobody used for a while. Leave it off for an outbox:
--   ALTER SYSTEM SET idle_replication_slot_timeout = 0;
