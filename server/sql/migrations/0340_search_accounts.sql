-- Operators see masked phone numbers, so they find an account by a whole number only.
alter table accounts drop column search_text;
alter table accounts add column search_text text not null generated always as (
  lower(coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || first_name || ' ' || last_name)
) stored;
do $$ begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index accounts_by_text on accounts using gin (search_text gin_trgm_ops);
  end if;
end $$;
create index accounts_by_phone on accounts (phone_number);
