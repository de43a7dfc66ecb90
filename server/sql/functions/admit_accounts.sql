-- Adds a batch of dashboard calls to each account's count for the current second, across all processes.
--
-- ids      the account of each call; an account may occur several times
-- returns  for each account: its calls in this batch, and its calls in the current second including this batch
-- locks    rows of account_rates, by account
create or replace function admit_accounts(ids uuid[]) returns table (account_id uuid, asked integer, used integer)
language sql volatile
as $$
  with calls as (
    select c.id, count(*)::integer as asked from unnest(ids) as c (id) group by c.id
  ), counted as (
    insert into account_rates as rate (account_id, second, used)
    select id, floor(extract(epoch from clock_now()))::bigint, asked from calls order by id
    on conflict (account_id) do update set
      used = case when rate.second >= excluded.second then rate.used + excluded.used else excluded.used end,
      second = greatest(rate.second, excluded.second)
    returning rate.account_id, rate.used
  )
  select c.account_id, a.asked, c.used from counted c join calls a on a.id = c.account_id
$$;
