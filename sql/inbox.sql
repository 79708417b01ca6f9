-- The consumer's side: an inbox that makes each event count once. Run it in the consumer's own database.
--
-- Delivery is at least once: after a crash of relay, server or broker an event may arrive again, with the same header "id".

CREATE TABLE IF NOT EXISTS public.inbox (
    consumer    text        NOT NULL, -- several consumers may share the table
    event_id    uuid        NOT NULL, -- the record's header "id"
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX IF NOT EXISTS inbox_received ON public.inbox (received_at);

-- In one transaction with the consumer's work, before committing the offset:
--
--   BEGIN;
--   INSERT INTO inbox (consumer, event_id) VALUES ('billing', :id) ON CONFLICT DO NOTHING;
--   -- no row inserted: seen before; COMMIT and go on with the next record
--   -- one row inserted: do the work here
--   COMMIT;

-- Keep ids for as long as a repeat can come: the retention of the topic is always enough.
DELETE FROM public.inbox WHERE received_at < now() - interval '7 days';
