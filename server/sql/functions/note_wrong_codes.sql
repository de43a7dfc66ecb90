-- Records wrong codes for the insights, each at the time of its verification. Tests are not counted.
--
-- logs     verify requests: [{account_id, otp_id, reason}]
-- locks    none: deltas are only inserted
create or replace function note_wrong_codes(logs json) returns void
language sql volatile
as $$
  insert into insight_deltas (account_id, at, channel, country, api_key_id, sent, dispatched, delivered, verified, expired,
    failed, canceled, exhausted, superseded, credits, refunded, wrong_codes)
  select l.account_id, date_bin('5 minutes', v.created_at, 'epoch'), v.channel, coalesce(v.country, ''), v.api_key_id,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*)
  from json_to_recordset(logs) as l (account_id uuid, otp_id uuid, reason text)
  cross join lateral (
    select * from verifications v where v.account_id = l.account_id and v.id = l.otp_id offset 0) v
  where l.reason = 'invalid_code' and not v.is_test
  group by 1, 2, 3, 4, 5
$$;
