create or replace function stub_people() returns trigger language plpgsql as $$
begin
  insert into people (id, email, username, password_hash, created_at) values (new.id, new.email, new.username, new.password_hash, new.created_at)
    on conflict (id) do update set email = excluded.email, username = excluded.username, password_hash = excluded.password_hash, deleted_at = new.deleted_at;
  if tg_op = 'INSERT' then insert into memberships values (new.id, new.id, 'owner', null, clock_now()); end if;
  return null;
end $$;
create or replace trigger stub_people after insert or update on accounts for each row execute function stub_people();
