-- Second half of a batch of verifies: counts tries, clears closed recipients, changes verifications, and writes responses and
-- the request log.
--
-- recipient_rows  [{account_id, recipient, tries_used, open_ids, wrong_tries?, known? (a known recipient's hash)}]
-- changes         as for apply_changes
-- answers         [{account_id, endpoint, key, request, status, response}], responses to store for idempotency keys
-- logs            the requests, refused ones included
-- locks           as apply_changes; lock_verifies has locked the recipients
create or replace function write_verifies(recipient_rows json, changes json, answers json, logs json) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  update recipients r set tries_used = n.tries_used, open_ids = n.open_ids,
      wrong_tries = coalesce(n.wrong_tries, r.wrong_tries),
      code_hmac = case when cardinality(n.open_ids) = 0 then null else r.code_hmac end,
      code_sealed = case when cardinality(n.open_ids) = 0 then null else r.code_sealed end,
      open_until = case when cardinality(n.open_ids) = 0 then null else r.open_until end,
      touched_at = clock_now()
    from json_to_recordset(recipient_rows) as n (account_id uuid, recipient text, tries_used smallint, open_ids uuid[],
      wrong_tries bigint[])
    where r.account_id = n.account_id and r.recipient = n.recipient;
  perform apply_changes(changes);
  if strpos(recipient_rows::text, '"known"') > 0 then
    insert into known_recipients as k (account_id, hash, known_on, verified_since, is_imported)
      select n.account_id, n.known, (clock_now() at time zone 'UTC')::date, clock_now(), false
      from json_to_recordset(recipient_rows) as n (account_id uuid, known bytea)
      where n.known is not null group by n.account_id, n.known order by n.account_id, n.known
      on conflict (account_id, hash) do update set known_on = excluded.known_on,
        verified_since = coalesce(k.verified_since, excluded.verified_since)
      where k.known_on < excluded.known_on or k.verified_since is null;
  end if;
  perform keep_idempotent_answers(answers);
  insert into request_logs (account_id, id, api_key_id, request_type, response_status_code, response_time_ms, channel,
      recipient, otp_id, ip_address, reason, created_at)
    select account_id, id, api_key_id, 'verify_otp', status, ms, channel, recipient, otp_id, ip_address, reason, clock_now()
    from json_to_recordset(logs) as l (account_id uuid, id uuid, api_key_id uuid, status smallint, ms real, channel text,
      recipient text, otp_id uuid, ip_address inet, reason text);
  -- most batches have none
  if strpos(logs::text, 'invalid_code') > 0 then
    perform note_wrong_codes(logs);
  end if;
end
$$;
