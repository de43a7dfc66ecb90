-- Counters of passkeys that can be synchronised do not decide: each device may count separately.
alter table passkeys
  -- can be synchronised between devices, as the authenticator reports it ("backup eligible")
  add column is_syncable boolean not null default false,
  -- when its counter last failed to grow, which may be the sign of a copy
  add column suspected_at timestamptz;
update passkeys set is_syncable = is_synced;
