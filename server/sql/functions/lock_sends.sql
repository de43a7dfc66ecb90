-- First half of a batch of sends: locks the accounts and recipients, then reads the state needed to decide on the sends.
--
-- items    [{account_id, recipient (prefixed with "test:" for a test), recipient_hash (hex; absent for a test),
--          opt_out: [hex]? (SMS only, one for each server key), known: [hex]? (recipient_hash under the previous server keys),
--          suppression: [hex]? (e-mail only, like opt_out), idempotency_key (hex)?, endpoint?, id?}]
-- keyed    whether an item has an idempotency key
-- retry    whether the batch may already have been committed, so that its ids are looked up
-- returns  {now_ms, server_key, accounts, keys (those with a daily limit), recipients, sent_over_all, opted_out, known, suppressed,
--          answered, written}
-- locks    balances by account; then recipients of an account and recipients over all accounts, together by key
create or replace function lock_sends(items json, keyed boolean, retry boolean) returns json
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  today date := (clock_now() at time zone 'UTC')::date;
  account_ids uuid[];
  recipient_accounts uuid[];
  recipient_names text[];
  hashes text[];
  opt_out_prints bytea[];
  known_accounts uuid[];
  known_hashes bytea[];
  -- of the same length
  suppression_accounts uuid[];
  suppression_prints bytea[];
  accounts_found json;
begin
  -- The items are read once, because reading JSON costs more than any of the queries below.
  with i as materialized (
    select * from json_to_recordset(items) as i (account_id uuid, recipient text, recipient_hash text, opt_out bytea[],
      known bytea[], suppression bytea[])
  ), r as (
    select distinct i.account_id, i.recipient from i
  ), k as (
    select i.account_id, decode(i.recipient_hash, 'hex') as hash from i where i.recipient_hash is not null
    union select i.account_id, h.h from i cross join unnest(i.known) as h (h)
  )
  select array(select distinct i.account_id from i), array(select r.account_id from r order by r.account_id, r.recipient),
    array(select r.recipient from r order by r.account_id, r.recipient),
    array(select distinct i.recipient_hash from i where i.recipient_hash is not null),
    array(select o.o from i cross join unnest(i.opt_out) as o (o)),
    array(select k.account_id from k order by k.account_id, k.hash), array(select k.hash from k order by k.account_id, k.hash),
    array(select i.account_id from i cross join unnest(i.suppression) as s (s) order by i.account_id, s.s),
    array(select s.s from i cross join unnest(i.suppression) as s (s) order by i.account_id, s.s)
    into account_ids, recipient_accounts, recipient_names, hashes, opt_out_prints, known_accounts, known_hashes,
      suppression_accounts, suppression_prints;
  -- One statement locks and reads the balances: after waiting for a lock, it reads the newest version of the row. Whole rows become
  -- JSON, because json_build_object would look up each key's type for every row.
  select json_agg(row) into accounts_found from (
    select b.account_id, b.credits, b.debt, b.daily_credit_limit, b.monthly_credit_limit,
      case when b.spend_day = today then b.spent_today else 0 end as spent_today,
      case when date_trunc('month', b.spend_day) = date_trunc('month', today) then b.spent_this_month else 0 end
        as spent_this_month,
      case when b.spend_day = today then b.tests_today else 0 end as tests_today
    from (select * from balances b where b.account_id = any (account_ids) order by b.account_id for update) b) as row;
  -- Locks each recipient of an account (verifies take the same lock) and each recipient over all accounts, in the order of keys.
  perform pg_advisory_xact_lock(k.key) from (
    select hashtextextended(i.account_id::text || i.recipient, 6 /* recipientOfAccount */) as key
    from unnest(recipient_accounts, recipient_names) as i (account_id, recipient)
    union
    select hashtextextended(h.hash, 9 /* recipient */) from unnest(hashes) as h (hash)
    order by 1
  ) k;
  -- The rest is one statement, because each statement costs more than the rows that it reads. Its snapshot is newer than the locks.
  return json_build_object('now_ms', floor(extract(epoch from clock_now()) * 1000)::bigint,
    'server_key', (select f.value from service_facts f where f.name = 'secret_key_id'),
    'accounts', accounts_found,
    'keys', (
      select json_agg(json_build_object('api_key_id', k.api_key_id, 'daily_credit_limit', k.daily_credit_limit,
        'spent_today', case when k.spend_day = today then k.spent_today else 0 end))
      from key_spending k where k.account_id = any (account_ids)),
    'recipients', (
      select json_agg(row) from (
        select r.account_id, r.recipient, r.code_hmac, r.code_sealed, r.code_length,
          floor(extract(epoch from r.code_first_sent_at) * 1000)::bigint as code_first_sent_ms,
          floor(extract(epoch from r.open_until) * 1000)::bigint as open_until_ms,
          r.open_ids, r.tries_used, r.sends, r.wrong_tries
        from unnest(recipient_accounts, recipient_names) as i (account_id, recipient)
        cross join lateral (
          select * from recipients r where r.account_id = i.account_id and r.recipient = i.recipient offset 0) r) as row),
    'sent_over_all', (
      select json_agg(json_build_object('recipient_hash', encode(s.recipient_hash, 'hex'), 'sends', s.sends))
      from unnest(hashes) as h (hash)
      cross join lateral (select * from recipient_sends s where s.recipient_hash = decode(h.hash, 'hex') offset 0) s),
    'opted_out', (
      select json_agg(o.fingerprint) from opt_outs o where o.fingerprint = any (opt_out_prints)),
    'known', (
      select json_agg(row) from (
        select k.account_id, encode(k.hash, 'hex') as hash, k.known_on, k.is_imported,
          floor(extract(epoch from k.verified_since) * 1000)::bigint as verified_ms
        from unnest(known_accounts, known_hashes) as i (account_id, hash)
        cross join lateral (
          select * from known_recipients k where k.account_id = i.account_id and k.hash = i.hash offset 0) k) as row),
    'suppressed', (
      select json_agg(json_build_object('account_id', i.account_id, 'fingerprint', i.fingerprint, 'reason', s.reason,
        'since', iso(s.created_at)))
      from unnest(suppression_accounts, suppression_prints) as i (account_id, fingerprint)
      cross join lateral (
        (select s.reason, s.created_at from suppressions s
         where s.fingerprint = i.fingerprint and s.account_id = i.account_id and (s.until is null or s.until > clock_now()))
        union all
        -- The second of other accounts' hard bounces that say that there is no such mailbox (RFC 3463). A sender can cause others by its
        -- text, and a reader of the address's mail those by mail.
        (select s.reason, s.created_at from suppressions s
         where s.fingerprint = i.fingerprint and s.reason = 'hard_bounce' and s.otp_id is not null and not s.by_mail
           and s.detail ~ '\m5\.1\.10?\M' and s.created_at > clock_now() - interval '30 days' and s.account_id <> i.account_id
         order by s.created_at offset 1 limit 1)
        limit 1) s),
    'answered', case when keyed then idempotent_answers(items) end,
    'written', case when retry then (
      select json_agg(v.id) from json_to_recordset(items) as i (account_id uuid, id uuid)
      cross join lateral (select v.id from verifications v where v.account_id = i.account_id and v.id = i.id offset 0) v) end);
end
$$;
