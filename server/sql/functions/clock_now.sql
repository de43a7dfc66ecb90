-- The current time for all decisions on expiry and money. Statements never call now() directly, so that tests can replace this
-- function.
create or replace function clock_now() returns timestamptz
language sql stable parallel safe
as $$
  select now()
$$;
