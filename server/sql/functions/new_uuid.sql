-- A UUIDv7 for a row that a statement creates. The process generates all other ids. The function takes a random version 4 UUID,
-- overwrites its first 48 bits with the time, and sets two bits to change the version to 7.
create or replace function new_uuid() returns uuid
language sql volatile parallel safe
as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_now()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;
