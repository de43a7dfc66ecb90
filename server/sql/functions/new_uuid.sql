-- A UUIDv7 for a row that a statement makes. The process makes all other ids.
create or replace function new_uuid() returns uuid
language sql volatile parallel safe
as $$
  select encode(
    set_byte(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_now()) * 1000)::bigint) from 3) from 1 for 6),
      6, (get_byte(uuid_send(gen_random_uuid()), 6) & 15) | 112),
    'hex')::uuid
$$;
