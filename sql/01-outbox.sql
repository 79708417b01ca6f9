-- The outbox table, with the columns that Debezium's Outbox Event Router takes by default. Run it as the application's owner.
--
-- The application inserts one row for each event, in the transaction that changes its own tables. It may delete the row at once, in the
-- same transaction: the event is in the WAL all the same, and the table stays empty (see retention.sql for tables that keep their rows).

CREATE TABLE IF NOT EXISTS public.outbox (
    id            uuid         PRIMARY KEY DEFAULT gen_random_uuid(), -- the header "id": consumers tell repeats by it
    aggregatetype varchar(255) NOT NULL,                              -- the topic: outbox.event.<aggregatetype>
    aggregateid   varchar(255) NOT NULL,                              -- the record's key: what must stay in order
    type          varchar(255) NOT NULL,                              -- what happened; published only where the configuration places it
    payload       jsonb        NOT NULL,                              -- the record's value
    created_at    timestamptz  NOT NULL DEFAULT now(),
    published_at  timestamptz                                         -- for applications that mark rows; the relay needs no column
);

-- Finds rows that nobody has marked, however large the table.
CREATE INDEX IF NOT EXISTS outbox_unpublished ON public.outbox (created_at) WHERE published_at IS NULL;
