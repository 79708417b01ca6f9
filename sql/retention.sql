-- Three ways to keep the outbox small. The relay reads the WAL, never the table: rows may go as soon as they are committed.

-- 1. Delete in the transaction that inserts. Nothing to run later, and the table never grows:
--
--      BEGIN;
--      UPDATE orders SET ...;
--      INSERT INTO outbox (...) VALUES (...) RETURNING id;
--      DELETE FROM outbox WHERE id = ...;
--      COMMIT;

-- 2. Keep rows for a while (for audits or a second reader), then delete in small steps. Run it from cron until it says 0 rows.
DELETE FROM public.outbox
WHERE id IN (SELECT id FROM public.outbox WHERE created_at < now() - interval '7 days' ORDER BY created_at LIMIT 10000 FOR UPDATE SKIP LOCKED);

-- 3. Many rows a day: partition by day and drop whole days, which costs nothing. The parent goes into the publication, and
--    publish_via_partition_root makes all days one table to the relay (publish.via.partition.root=true where the relay makes it):
--
--      CREATE TABLE public.outbox (
--          id uuid NOT NULL DEFAULT gen_random_uuid(), aggregatetype varchar(255) NOT NULL, aggregateid varchar(255) NOT NULL,
--          type varchar(255) NOT NULL, payload jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), published_at timestamptz,
--          PRIMARY KEY (id, created_at)
--      ) PARTITION BY RANGE (created_at);
--      CREATE TABLE public.outbox_2030_01_01 PARTITION OF public.outbox FOR VALUES FROM ('2030-01-01') TO ('2030-01-02');
--      CREATE PUBLICATION outbox_publication FOR TABLE public.outbox WITH (publish = 'insert', publish_via_partition_root);
--      DROP TABLE public.outbox_2029_12_25;
