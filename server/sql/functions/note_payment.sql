-- Records when an order was paid. It is a trigger, so that every statement that completes an order sets the time.
create or replace function note_payment() returns trigger
language plpgsql
as $$
begin
  if new.status = 'succeeded' and new.paid_at is null then
    new.paid_at := case tg_op when 'INSERT' then new.created_at else clock_now() end;
  end if;
  return new;
end
$$;

create or replace trigger orders_are_paid before insert or update of status on orders
  for each row execute function note_payment();
