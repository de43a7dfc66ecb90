-- Trigger on memberships: a person who leaves an account, or is removed, loses the identities at its provider and the sessions that
-- it began, and cannot come back by single sign-on. A new membership ends that.
create or replace function follow_members() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    delete from former_members where account_id = new.account_id and person_id = new.person_id;
    return null;
  end if;
  delete from identities where account_id = old.account_id and person_id = old.person_id;
  update sessions set ended_at = clock_now()
    where sso_account_id = old.account_id and person_id = old.person_id and ended_at is null;
  insert into former_members (account_id, person_id, left_at)
    select old.account_id, old.person_id, clock_now() from accounts where id = old.account_id and deleted_at is null
    on conflict do nothing;
  return null;
end
$$;

create or replace trigger identities_follow_members after insert or delete on memberships
  for each row execute function follow_members();
