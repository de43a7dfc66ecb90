-- A time in the API's format: ISO 8601 in UTC with milliseconds. Declared stable, not immutable, because to_char is stable and
-- PostgreSQL does not inline a function that claims to be less volatile than its body.
create or replace function iso(at timestamptz) returns text
language sql stable strict parallel safe
as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
