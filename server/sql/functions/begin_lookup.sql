-- Decides whether a send looks a number up, and counts the look-up.
--
-- asked    {account_id, hashes, version, most_age_seconds?, cost, endpoint, idempotency_key?, proof_id?, most, most_unpaid, most_over_all}
-- returns  {outcome, facts?}. cached: facts are known. repeated: the request has a response already, or its proof was used. unpaid: the account cannot pay for
--          the send. budget_spent: the account or all accounts together have used their look-ups of the day; an account that has neither
--          bought credits nor got some from an operator has most_unpaid. reserved: the caller looks up
-- locks    the counts of all accounts and of the account, in this order
create or replace function begin_lookup(asked json) returns json
language plpgsql volatile
as $$
declare
  a record;
  found_facts jsonb;
  most integer;
  today date := (clock_now() at time zone 'UTC')::date;
  everyone constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  select * into a from json_to_record(asked) as r (account_id uuid, hashes bytea[], version integer, most_age_seconds integer,
    cost integer, endpoint text, idempotency_key bytea, proof_id bytea, most integer, most_unpaid integer, most_over_all integer);
  most := a.most;
  select l.facts into found_facts from lookup_answers l
    where l.account_id = a.account_id and l.hash = any (a.hashes) and l.version = a.version and l.expires_at > clock_now()
      and (a.most_age_seconds is null or l.answered_at > clock_now() - make_interval(secs => a.most_age_seconds))
    order by l.answered_at desc limit 1;
  if found_facts is not null then
    return json_build_object('outcome', 'cached', 'facts', found_facts);
  end if;
  if exists (
      select from idempotency_keys k where k.account_id = a.account_id and k.endpoint = a.endpoint and k.key = a.idempotency_key
        and k.created_at > clock_now() - interval '24 hours')
    or exists (select from used_proofs p where p.id = a.proof_id) then
    return json_build_object('outcome', 'repeated');
  end if;
  if not exists (select from balances b where b.account_id = a.account_id and b.debt = 0 and b.credits >= a.cost) then
    return json_build_object('outcome', 'unpaid');
  end if;
  if not exists (
      select from ledger e where e.account_id = a.account_id and e.kind not in ('usage', 'refund')
        and (e.kind = 'purchase' or e.kind = 'adjustment' and e.credits > 0)) then
    most := least(most, a.most_unpaid);
  end if;
  -- A spent budget is seen without the lock, which all accounts share.
  for pass in 1..2 loop
    if exists (
      select from lookup_counts c where c.day = today
        and (c.account_id = everyone and c.lookups >= a.most_over_all or c.account_id = a.account_id and c.lookups >= most)) then
      return json_build_object('outcome', 'budget_spent');
    end if;
    exit when pass = 2;
    insert into lookup_counts (account_id, day, lookups) values (everyone, today, 0), (a.account_id, today, 0) on conflict do nothing;
    perform from lookup_counts c where c.day = today and c.account_id in (everyone, a.account_id) order by c.account_id for update;
  end loop;
  update lookup_counts c set lookups = c.lookups + 1 where c.day = today and c.account_id in (everyone, a.account_id);
  return json_build_object('outcome', 'reserved');
end
$$;
