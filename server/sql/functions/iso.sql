-- A time as in the API: ISO 8601 UTC with milliseconds. As stable as to_char, because PostgreSQL inlines no function that claims more
-- than its text does.
create or replace function iso(at timestamptz) returns text
language sql stable strict parallel safe
as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
