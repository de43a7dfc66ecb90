-- Networks that an account signed in from: strangers cannot use up what is allowed there.
create table account_networks (
  account_id uuid not null references accounts,
  -- /24 of IPv4, /56 of IPv6
  network inet not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- wrong codes from this network within the last hour; those from unknown networks are in code_entries
  wrong_codes timestamptz[] not null default '{}',
  codes_locked_until timestamptz,
  primary key (account_id, network)
) with (fillfactor = 70);
create index account_networks_by_last_use on account_networks (last_seen_at);

-- Accounts that exist already are known from where their sessions began.
insert into account_networks (account_id, network, first_seen_at, last_seen_at)
select account_id, network(set_masklen(ip_address, case family(ip_address) when 4 then 24 else 56 end)),
       min(created_at), max(last_used_at)
from sessions where ip_address is not null group by 1, 2;
