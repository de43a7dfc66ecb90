-- Trigger: allows an order only one intent. The service writes asked_at before each request for an intent. This trigger refuses
-- that write once the order has an intent or is 23 hours old. The card provider honors the order's idempotency key for 24 hours,
-- so no allowed request can create a second intent.
create or replace function guard_order_intent() returns trigger
language plpgsql
as $$
begin
  if old.intent_id is not null and new.intent_id is distinct from old.intent_id then
    raise exception 'order % has another intent', old.id
      using errcode = 'check_violation', constraint = 'one_intent_an_order';
  end if;
  if new.asked_at is distinct from old.asked_at
    and (old.intent_id is not null or clock_now() >= old.created_at + interval '23 hours') then
    raise exception 'order % must not ask for an intent again', old.id
      using errcode = 'check_violation', constraint = 'one_intent_an_order';
  end if;
  return new;
end
$$;

create or replace trigger orders_have_one_intent before update of intent_id, asked_at on orders
  for each row execute function guard_order_intent();
