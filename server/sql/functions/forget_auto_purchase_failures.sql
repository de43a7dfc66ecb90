-- Trigger: deletes an account's recorded failures when the account turns on auto-purchase.
create or replace function forget_auto_purchase_failures() returns trigger
language plpgsql
as $$
begin
  delete from auto_purchases where account_id = new.id;
  return null;
end
$$;

create or replace trigger auto_purchase_starts_afresh after update of auto_purchase_enabled on accounts
  for each row when (new.auto_purchase_enabled and not old.auto_purchase_enabled)
  execute function forget_auto_purchase_failures();
