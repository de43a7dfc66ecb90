-- The smallest UUIDv7 of a time, for partition bounds and time windows.
create or replace function uuid_floor(at timestamptz) returns uuid
language sql immutable strict parallel safe
as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;
