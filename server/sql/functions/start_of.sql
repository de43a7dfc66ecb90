-- The smallest UUIDv7 of a UTC day.
create or replace function start_of(day date) returns uuid
language sql immutable strict parallel safe
as $$
  select uuid_floor(day::timestamp at time zone 'UTC')
$$;
