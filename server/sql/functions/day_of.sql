-- The UTC day on which a UUIDv7 was created.
create or replace function day_of(id uuid) returns date
language sql immutable strict parallel safe
as $$
  select (to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date
$$;
