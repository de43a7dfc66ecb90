-- The balance below which an account's owner is warned: the owner's threshold or, by default, a tenth of the balance after credits
-- were last added. The default never exceeds the auto-purchase threshold, below which auto-purchase adds credits anyway.
--
-- returns  0 if the owner has turned off the warnings
create or replace function warn_below_of(account uuid, topped_up_to integer) returns integer
language sql stable
as $$
  select coalesce(
    (select coalesce(a.low_balance_threshold,
       least(greatest(5, topped_up_to / 10), case when a.auto_purchase_enabled then a.auto_purchase_threshold end))
     from accounts a where a.id = account),
    5)
$$;
