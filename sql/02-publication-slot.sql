-- Publication and slot, made by hand. Without this file the relay makes both at its first start, which needs more rights (03-role.sql).
-- Run it as the table's owner, who needs CREATE on the database and, for the slot, REPLICATION (or as a superuser). In the relay's file:
--
--   publication.name=outbox_publication
--   publication.autocreate.mode=disabled
--   slot.name=outbox
--
-- The publication comes first: a slot decodes with the catalogue of its own time. Only inserts are published: rows may then be updated and
-- deleted freely. Rows that are in the table before the slot is there are not sent: leave the slot to the relay where they must be.

CREATE PUBLICATION outbox_publication FOR TABLE public.outbox WITH (publish = 'insert');

SELECT slot_name, lsn FROM pg_create_logical_replication_slot('outbox', 'pgoutput');
