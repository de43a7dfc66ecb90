-- Trigger on balances: records in the row that the balance has fallen below its threshold or to 0. Each crossing is therefore
-- recorded once, whichever statement spends the credits. A job sends the mail. The warning is reset only when the
-- balance rises well above the threshold, so that a balance that fluctuates around it causes only one mail.
create or replace function note_balance_warning() returns trigger
language plpgsql
as $$
begin
  new.warning := case when new.credits = 0 then 'empty' when new.credits < new.warn_below then 'low' else 'none' end;
  new.warning_due_at := case when new.warning <> 'none' and new.warn_below > 0 then
    clock_now() + case when exists (select from accounts a where a.id = new.account_id and a.auto_purchase_enabled)
      -- By then, auto-purchase has usually added credits.
      then interval '2 minutes' else interval '0' end end;
  return new;
end
$$;

create or replace trigger balance_warnings before update on balances
  for each row when (
    new.credits = 0 and new.warning <> 'empty'
    or new.credits < new.warn_below and new.warning = 'none'
    or new.warning <> 'none' and new.credits >= new.warn_below + greatest(5, new.warn_below / 2))
  execute function note_balance_warning();
