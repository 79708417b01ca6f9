-- The role of the relay, with the least that it needs. Run it as a superuser, in the database of the outbox, after 02-publication-slot.sql.
--
-- REPLICATION lets a role read every table through a publication: treat its password like one with read access to the whole database.
-- It can write nothing (before PostgreSQL 15 only where the schema does not let everybody make tables: REVOKE CREATE ON SCHEMA public FROM PUBLIC).
-- Managed services give the right by other means (Amazon RDS: GRANT rds_replication TO postrider).

-- Two relays, one of which stands by, with their watchers, a heartbeat query, and a monitor beside them.
CREATE ROLE postrider LOGIN REPLICATION CONNECTION LIMIT 12;
-- \password postrider        sets the password without writing it down here

DO $$
BEGIN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO postrider', current_database());
END
$$;

-- For the first start alone, when rows that are already in the table go out first (snapshot.mode=initial).
GRANT USAGE ON SCHEMA public TO postrider;
GRANT SELECT ON public.outbox TO postrider;

-- For figures of the stream beyond the slot's lag; not needed to publish.
-- GRANT pg_monitor TO postrider;

-- pg_hba.conf wants an ordinary line for the database (not the keyword "replication"):
--   hostssl  shop  postrider  10.0.0.0/8  scram-sha-256
