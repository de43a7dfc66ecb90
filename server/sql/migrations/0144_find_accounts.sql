-- Operators find accounts among many. Without the extension pg_trgm, a search for a part of a text reads every account.
create index accounts_suspended on accounts (id) where suspended_at is not null and deleted_at is null;
create index accounts_deleted on accounts (id) where deleted_at is not null;
-- In the orders of the list, so that a page far from its beginning reads no other rows.
create index accounts_by_email on accounts (email asc nulls last, id desc);
create index accounts_by_email_desc on accounts (email desc nulls last, id desc);
do $$ begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index accounts_by_text on accounts using gin (search_text gin_trgm_ops);
  end if;
end $$;
