-- Ends claims and applies the outcomes to the verifications. A claim whose token no longer matches was lost and changes nothing. If
-- a verification was canceled or superseded while a worker had its message, and the carrier then refused it, the credit is refunded.
--
-- claims   [{id, claim}]
-- changes  as for apply_changes
-- returns  the number of claims that ended
-- locks    balances by account, if there is a refund; then rows of deliveries and verifications by key
create or replace function finish_deliveries(claims json, changes json) returns integer
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- Most batches have no refund, and searching the text for the word costs far less than parsing the JSON.
  refunds boolean := strpos(changes::text, '"refund"') > 0;
  claimed integer;
  still_ours uuid[];
  closed_meanwhile json;
begin
  if refunds then
    perform 1 from balances b where b.account_id = any (array(
        select c.account_id from json_to_recordset(changes) as c (account_id uuid, refund boolean) where c.refund))
      order by b.account_id for update;
  end if;
  with c as materialized (
    select c.id, c.claim from json_to_recordset(claims) as c (id uuid, claim uuid)
  ), gone as (
    -- With the array, every plan looks rows up by key. `is true` prevents the planner from turning the pairs into a join in another
    -- order.
    delete from deliveries d
    where d.id = any (array(select c.id from c)) and ((d.id, d.claim) in (select c.id, c.claim from c)) is true
    returning d.id
  )
  select (select count(*) from c), array(select id from gone) into claimed, still_ours;
  perform apply_changes(case when cardinality(still_ours) = claimed then changes else (
    select coalesce(json_agg(c.change), '[]') from single_changes(changes) c where c.id = any (still_ours)) end);
  if not refunds then return cardinality(still_ours); end if;
  select json_agg(json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', array[v.status],
      'refund', true, 'note', 'Credit returned: never dispatched to a carrier')) into closed_meanwhile
    from json_to_recordset(changes) as c (account_id uuid, id uuid, refund boolean)
    cross join lateral (
      select v.* from verifications v where v.account_id = c.account_id and v.id = c.id offset 0) v
    where c.refund and c.id = any (still_ours) and v.cost_credits > 0 and v.status in ('expired', 'failed')
      and v.closed_by is not null;
  if closed_meanwhile is not null then perform apply_changes(closed_meanwhile); end if;
  return cardinality(still_ours);
end
$$;
