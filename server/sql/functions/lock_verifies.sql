-- First half of a batch of verifies: locks the verifications' recipients and the idempotency keys, then reads the verifications
-- and the recipients' other open verifications.
--
-- items    [{account_id, otp_id, idempotency_key (hex)?, endpoint?}]
-- keyed    whether an item has an idempotency key
-- returns  {now_ms, server_key, verifications, recipients, siblings, answered}
-- locks    recipients of an account by key; then idempotency keys, which may name other recipients, by key
create or replace function lock_verifies(items json, keyed boolean) returns json
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  found json;
  recipients_found json;
  siblings json;
  answered json;
  several uuid[];
  accounts_of_several uuid[];
  -- the verifications, sorted and without duplicates
  account_ids uuid[];
  ids uuid[];
  -- With these bounds in variables, PostgreSQL prunes the partitions of other months before it opens them.
  least_id uuid;
  greatest_id uuid;
begin
  select array_agg(i.account_id), array_agg(i.otp_id) into account_ids, ids from (
    select distinct i.account_id, i.otp_id from json_to_recordset(items) as i (account_id uuid, otp_id uuid)
    order by i.otp_id) i;
  least_id := ids[1];
  greatest_id := ids[cardinality(ids)];
  perform pg_advisory_xact_lock(k.key) from (
    select hashtextextended(v.account_id || case when v.is_test then 'test:' else '' end || v.recipient, 6 /* recipientOfAccount */) as key
    from unnest(account_ids, ids) as i (account_id, id)
    cross join lateral (
      select v.account_id, v.recipient, v.is_test from verifications v
      where v.account_id = i.account_id and v.id = i.id and v.id between least_id and greatest_id offset 0) v
    order by 1
  ) k;
  if keyed then
    perform pg_advisory_xact_lock(k.key) from (
      select hashtextextended(i.account_id || i.idempotency_key, 8 /* idempotencyKey */) as key
      from json_to_recordset(items) as i (account_id text, idempotency_key text)
      where i.idempotency_key is not null order by 1
    ) k;
  end if;
  with asked as materialized (
    select v.* from unnest(account_ids, ids) as i (account_id, id)
    cross join lateral (
      select v.account_id, v.id, v.recipient, v.is_test, v.own_code, v.purpose, v.max_attempts, v.resend_of, v.channel, v.status,
        v.closed_by, v.code_hmac, v.code_length, v.client_ip, v.known, v.expires_at
      from verifications v
      where v.account_id = i.account_id and v.id = i.id and v.id between least_id and greatest_id offset 0) v
  ), theirs as materialized (
    -- The row with the code of a purpose has no limits.
    select r.* from (
      select account_id, case when is_test then 'test:' else '' end || recipient as recipient from asked
      union
      select account_id, case when is_test then 'test:' else '' end || 'for:' || purpose || ':' || recipient from asked
      where purpose is not null) a
    cross join lateral (
      select r.account_id, r.recipient, r.open_ids, r.tries_used, r.wrong_tries from recipients r
      where r.account_id = a.account_id and r.recipient = a.recipient offset 0) r
  )
  select (select json_agg(row) from (
        select v.account_id, v.id, v.recipient, v.is_test, v.own_code, v.purpose, v.max_attempts, v.resend_of, v.channel,
          v.status, v.closed_by, v.code_hmac, v.code_length, host(v.client_ip) as client_ip, v.known, floor(extract(epoch from v.expires_at) * 1000)::bigint as expires_ms
        from asked v) as row),
      (select json_agg(r) from theirs r),
      open.ids, open.account_ids
    into found, recipients_found, several, accounts_of_several
    from (
      select array_agg(o.id) as ids, array_agg(r.account_id) as account_ids
      from theirs r cross join lateral unnest(r.open_ids) as o (id) where cardinality(r.open_ids) > 1) open;
  if several is not null then
    select json_agg(row) into siblings from (
      select v.account_id, v.id, v.recipient, v.is_test, v.own_code, v.purpose, v.max_attempts, v.resend_of, v.channel,
        v.status, v.closed_by, v.code_hmac, v.code_length, host(v.client_ip) as client_ip, v.known, floor(extract(epoch from v.expires_at) * 1000)::bigint as expires_ms
      from unnest(accounts_of_several, several) as o (account_id, id)
      cross join lateral (select * from verifications v where v.account_id = o.account_id and v.id = o.id offset 0) v) as row;
  end if;
  if keyed then
    answered := idempotent_answers(items);
  end if;
  -- Read last: a code that was written under a new server key was committed after that key was named.
  return json_build_object('now_ms', floor(extract(epoch from clock_now()) * 1000)::bigint,
    'server_key', (select f.value from service_facts f where f.name = 'secret_key_id'),
    'verifications', found, 'recipients', recipients_found, 'siblings', siblings, 'answered', answered);
end
$$;
