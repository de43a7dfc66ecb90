-- The time that decides expiry and money. Statements never call now() themselves; tests replace this function.
create or replace function clock_now() returns timestamptz
language sql stable parallel safe
as $$
  select now()
$$;
