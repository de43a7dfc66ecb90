-- Trigger on verifications: records a statement's changes as deltas, in the same transaction. A delta is the new row's counts minus
-- the old row's, so the counts always match the rows, whichever statement wrote them. Each row has a separate delta. Summing them
-- here would cost more than it saves, because the rate limit allows a key few requests per batch.
--
-- Test verifications are not counted. Those with own codes have separate counts, because only the sender knows their outcome.
--
-- locks    none: deltas are only inserted
create or replace function note_insights() returns trigger
language plpgsql
set plan_cache_mode = force_generic_plan
-- A statement changes up to hundreds of rows, so a nested loop would read all old rows for each new one.
set enable_nestloop = off set enable_mergejoin = off set enable_hashjoin = on
-- Before PostgreSQL 18, the planner still plans a nested loop here, at a cost so high that JIT would compile every call.
set jit = off
as $$
begin
  if tg_op = 'INSERT' then
    insert into insight_deltas
    select account_id, date_bin('5 minutes', created_at, 'epoch'), channel, coalesce(country, ''), api_key_id,
      case when status = 'verified' then seconds_bucket(extract(epoch from verified_at - created_at)) end,
      1, num_nonnulls(sent_at), num_nonnulls(delivered_at),
      (status = 'verified')::integer, (status = 'expired')::integer, (status = 'failed')::integer,
      coalesce((closed_by = 'canceled')::integer, 0), coalesce((closed_by = 'attempts')::integer, 0),
      coalesce((closed_by = 'superseded')::integer, 0),
      cost_credits, 0, (status = 'failed' and sent_at is null and closed_by is null)::integer, 0
    from new_rows where not is_test and not own_code;
    if exists (select from new_rows where own_code and not is_test) then
      insert into insight_deltas (account_id, at, channel, country, api_key_id, sent, dispatched, delivered, verified, expired,
        failed, canceled, exhausted, superseded, credits, refunded, own_codes, own_delivered, own_failed)
      select account_id, date_bin('5 minutes', created_at, 'epoch'), channel, coalesce(country, ''), api_key_id,
        0, 0, 0, 0, 0, 0, 0, 0, 0, cost_credits, 0, 1, num_nonnulls(delivered_at), (status = 'failed')::integer
      from new_rows where own_code and not is_test;
    end if;
  else
    -- The grouping columns are the same in both rows, because refuse_recount refuses to change them.
    insert into insight_deltas
    select n.account_id, date_bin('5 minutes', n.created_at, 'epoch'), n.channel, coalesce(n.country, ''), n.api_key_id,
      case when (n.status = 'verified') <> (o.status = 'verified')
        then seconds_bucket(extract(epoch from n.verified_at - n.created_at)) end,
      0, num_nonnulls(n.sent_at) - num_nonnulls(o.sent_at), num_nonnulls(n.delivered_at) - num_nonnulls(o.delivered_at),
      (n.status = 'verified')::integer - (o.status = 'verified')::integer,
      (n.status = 'expired')::integer - (o.status = 'expired')::integer,
      (n.status = 'failed')::integer - (o.status = 'failed')::integer,
      coalesce((n.closed_by = 'canceled')::integer, 0) - coalesce((o.closed_by = 'canceled')::integer, 0),
      coalesce((n.closed_by = 'attempts')::integer, 0) - coalesce((o.closed_by = 'attempts')::integer, 0),
      coalesce((n.closed_by = 'superseded')::integer, 0) - coalesce((o.closed_by = 'superseded')::integer, 0),
      n.cost_credits - o.cost_credits, o.cost_credits - n.cost_credits,
      (n.status = 'failed' and n.sent_at is null and n.closed_by is null)::integer
        - (o.status = 'failed' and o.sent_at is null and o.closed_by is null)::integer, 0
    from new_rows n join old_rows o on o.id = n.id
    where not n.is_test and not n.own_code
      and (n.status, num_nulls(n.sent_at), num_nulls(n.delivered_at), n.cost_credits, n.closed_by)
        is distinct from (o.status, num_nulls(o.sent_at), num_nulls(o.delivered_at), o.cost_credits, o.closed_by);
    -- Joining the rows again costs time even without rows with own codes.
    if exists (select from new_rows where own_code and not is_test) then
      insert into insight_deltas (account_id, at, channel, country, api_key_id, sent, dispatched, delivered, verified, expired,
        failed, canceled, exhausted, superseded, credits, refunded, own_codes, own_delivered, own_failed)
      select n.account_id, date_bin('5 minutes', n.created_at, 'epoch'), n.channel, coalesce(n.country, ''), n.api_key_id,
        0, 0, 0, 0, 0, 0, 0, 0, 0, n.cost_credits - o.cost_credits, o.cost_credits - n.cost_credits,
        0, num_nonnulls(n.delivered_at) - num_nonnulls(o.delivered_at),
        (n.status = 'failed')::integer - (o.status = 'failed')::integer
      from new_rows n join old_rows o on o.id = n.id
      where n.own_code and not n.is_test
        and (n.status = 'failed', num_nulls(n.delivered_at), n.cost_credits)
          is distinct from (o.status = 'failed', num_nulls(o.delivered_at), o.cost_credits);
    end if;
  end if;
  return null;
end
$$;
create or replace trigger insights_of_new after insert on verifications
  referencing new table as new_rows for each statement execute function note_insights();
create or replace trigger insights_of_changed after update on verifications
  referencing old table as old_rows new table as new_rows for each statement execute function note_insights();
