-- Repeats the name, address and number of an account's contact in its row, so that operators' lists, receipts and searches of
-- 100,000 accounts read one table. Processes of the release before sign users in by the other columns, which repeat only the
-- person whom the account's sign-up made. The next release drops those.
create or replace function mirror_contact(account uuid) returns void
language sql
as $$
  update accounts a set email = c.email, first_name = c.first_name, last_name = c.last_name, phone_number = c.phone_number,
    phone_verified_at = c.phone_verified_at, two_factor_enabled = c.two_factor_enabled,
    username = c.username, password_hash = c.password_hash, two_factor_method = c.two_factor_method,
    two_factor_phone = c.two_factor_phone, time_zone = c.time_zone
  from (
    select p.email, p.first_name, p.last_name, p.phone_number, p.phone_verified_at, p.two_factor_enabled,
      case when p.id = account then p.username end as username,
      case when p.id = account then p.password_hash end as password_hash,
      case when p.id = account then p.two_factor_method else 'email' end as two_factor_method,
      case when p.id = account then p.two_factor_phone else '' end as two_factor_phone,
      case when p.id = account then p.time_zone end as time_zone
    from people p where p.id = contact_of(account) and p.deleted_at is null
  ) c
  where a.id = account and a.deleted_at is null
    and (a.email, a.first_name, a.last_name, a.phone_number, a.phone_verified_at, a.two_factor_enabled, a.username,
      a.password_hash, a.two_factor_method, a.two_factor_phone, a.time_zone)
    is distinct from (c.email, c.first_name, c.last_name, c.phone_number, c.phone_verified_at, c.two_factor_enabled, c.username,
      c.password_hash, c.two_factor_method, c.two_factor_phone, c.time_zone)
$$;
