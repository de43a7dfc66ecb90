-- Trigger on accounts: updates the balance's warning threshold when the account's settings change.
--
-- locks    the balance; the caller takes this lock before the account's
create or replace function apply_warning_settings() returns trigger
language plpgsql
as $$
begin
  update balances set warn_below = warn_below_of(account_id, topped_up_to) where account_id = new.id;
  return null;
end
$$;

create or replace trigger balance_follows_warning_settings
  after update of low_balance_threshold, auto_purchase_enabled, auto_purchase_threshold on accounts
  for each row when (new.deleted_at is null and
    (new.low_balance_threshold, new.auto_purchase_enabled, new.auto_purchase_threshold)
      is distinct from (old.low_balance_threshold, old.auto_purchase_enabled, old.auto_purchase_threshold))
  execute function apply_warning_settings();
