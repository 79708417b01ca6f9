-- A slot that survives a failover, from PostgreSQL 17 on. In the relay's file:
--
--   slot.failover=true                        makes the slot so; for one that is there already, on a replication connection
--                                             (psql "dbname=shop replication=database"): ALTER_REPLICATION_SLOT outbox (FAILOVER true);
--   database.hostname=db1,db2
--
-- The standby streams from a physical slot of its own, and copies the failover slots. In its postgresql.conf:
--
--   sync_replication_slots = on
--   hot_standby_feedback = on
--   primary_slot_name = 'standby'
--   primary_conninfo = 'host=db1 user=replicator dbname=postgres application_name=standby'     (dbname is needed)
--
-- On the primary (after a promotion on the new one, once it has a standby again). The first keeps commits from being reported before the
-- standby has them, the second keeps the relay from publishing them before: then no event in Kafka can vanish, and none is lost.

ALTER SYSTEM SET synchronous_standby_names = 'standby';
ALTER SYSTEM SET synchronized_standby_slots = 'standby';
SELECT pg_reload_conf();

-- On the standby: what would survive a promotion now.

SELECT slot_name, synced AND NOT temporary AND invalidation_reason IS NULL AS ready FROM pg_replication_slots WHERE failover;
