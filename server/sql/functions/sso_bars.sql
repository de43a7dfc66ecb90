-- Whether the account requires single sign-on of this person, so that a session that began otherwise cannot open it.
create or replace function sso_bars(in_account_id uuid, in_person_id uuid) returns boolean
language sql stable
as $$
  select exists (
    select from account_sso s join people p on p.id = in_person_id
    where s.account_id = in_account_id and s.required and s.exempt_person_id is distinct from in_person_id
      and s.verified_at is not null and (s.lapses_at is null or s.lapses_at > clock_now())
      and substring(p.email from '[^@]*$') = s.domain)
$$;
