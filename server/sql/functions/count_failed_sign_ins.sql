-- Adds failed sign-ins and step-ups to the audit logs of the person's accounts. Each account, person, action, network and minute has
-- one row with a count. Once an action has 60 rows of an account in an hour, further networks share one row per minute, so that
-- strangers cannot fill the table.
--
-- failures  [{person_id or of_account, action (default: sign_in.fail), network, ip_address, user_agent, subject, count}];
--           of_account: a sign-in to this account by single sign-on, by an unknown person; processes of the release before send
--           the person as account_id
create or replace function count_failed_sign_ins(failures json) returns void
language plpgsql
as $$
declare
  this_minute text := to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI');
  hour_ago uuid := uuid_floor(clock_now() - interval '1 hour');
  failure record;
  is_full boolean;
begin
  perform set_config('sixdigit.changes_audit', 'on', true);
  for failure in
    select f.*, m.account_id, coalesce(f.given, 'sign_in.fail') as action,
      this_minute || ' ' || case when f.given <> 'sign_in.fail' then f.given || ' ' else '' end
        || case when f.of_account is not null then 'sso ' when f.person_id <> m.account_id then f.person_id || ' ' else '' end
        as period
    from (
      select coalesce(person_id, account_id) as person_id, of_account, action as given, network, ip_address, user_agent, subject,
        count
      from json_to_recordset(failures) as f(person_id uuid, account_id uuid, of_account uuid, action text, network text,
        ip_address inet, user_agent text, subject text, count integer)) f
    cross join lateral (
      select account_id from memberships where person_id = f.person_id
      union all
      select f.of_account where f.of_account is not null) m
    order by m.account_id, f.person_id, given, network
  loop
    select count(*) >= 60 into is_full from audit_entries e
    where e.account_id = failure.account_id and e.id >= hour_ago and e.repeat_key is not null
      and e.action = failure.action and e.repeat_key <> failure.period || failure.network;
    insert into audit_entries as e (id, account_id, person_id, created_at, actor, action, subject, ip_address, user_agent, count,
      repeat_key)
    values (new_uuid(), failure.account_id, failure.person_id, clock_now(), 'unknown', failure.action,
      case when is_full then 'Several networks' else failure.subject end,
      case when not is_full then failure.ip_address end, case when not is_full then failure.user_agent end, failure.count,
      failure.period || case when is_full then 'other networks' else failure.network end)
    on conflict (account_id, repeat_key) where repeat_key is not null do update set count = e.count + excluded.count;
  end loop;
  perform set_config('sixdigit.changes_audit', 'off', true);
end
$$;
