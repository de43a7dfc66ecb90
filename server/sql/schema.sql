-- Written by npm run schema. The result of migrations/ and functions/, without the monthly partitions.

create sequence receipt_numbers;

create sequence setting_changes_position_seq;

create table account_devices (
  account_id uuid not null,
  device_hash bytea not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  mailed_at timestamp with time zone,
  person_id uuid not null,
  constraint account_devices_pkey PRIMARY KEY (account_id, device_hash),
  constraint account_devices_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX account_devices_of_person ON public.account_devices USING btree (person_id, device_hash);
CREATE INDEX account_devices_old ON public.account_devices USING btree (last_seen_at);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.account_devices FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table account_networks (
  account_id uuid not null,
  network inet not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  wrong_codes timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  codes_locked_until timestamp with time zone,
  person_id uuid not null,
  constraint account_networks_pkey PRIMARY KEY (account_id, network),
  constraint account_networks_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
) with (fillfactor=70);
CREATE INDEX account_networks_by_last_use ON public.account_networks USING btree (last_seen_at);
CREATE INDEX account_networks_of_person ON public.account_networks USING btree (person_id, network);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.account_networks FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table account_plans (
  account_id uuid not null,
  plans jsonb not null,
  constraint account_plans_pkey PRIMARY KEY (account_id),
  constraint account_plans_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create unlogged table account_rates (
  account_id uuid not null,
  second bigint not null,
  used integer not null,
  constraint account_rates_pkey PRIMARY KEY (account_id)
) with (fillfactor=30, autovacuum_vacuum_threshold=20000, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);

create table account_sso (
  account_id uuid not null,
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  domain text not null,
  token text not null,
  checked_at timestamp with time zone,
  problem text,
  verified_at timestamp with time zone,
  lapses_at timestamp with time zone,
  default_role text not null,
  required boolean default false not null,
  exempt_person_id uuid,
  signed_in_at timestamp with time zone,
  failed_at timestamp with time zone,
  failure text default ''::text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  shared_redirect boolean default true not null,
  session_hours integer default 24 not null,
  constraint account_sso_pkey PRIMARY KEY (account_id),
  constraint account_sso_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint account_sso_exempt_person_id_fkey FOREIGN KEY (exempt_person_id) REFERENCES people(id),
  constraint account_sso_check CHECK (((NOT required) OR (exempt_person_id IS NOT NULL))),
  constraint account_sso_default_role_check CHECK ((default_role = ANY (ARRAY['admin'::text, 'developer'::text, 'support'::text, 'viewer'::text]))),
  constraint account_sso_session_hours_check CHECK (((session_hours >= 1) AND (session_hours <= 2160)))
);
CREATE UNIQUE INDEX account_sso_domain ON public.account_sso USING btree (domain) WHERE (verified_at IS NOT NULL);
CREATE INDEX account_sso_due ON public.account_sso USING btree (checked_at) WHERE (verified_at IS NOT NULL);
CREATE INDEX account_sso_issuer ON public.account_sso USING btree (rtrim(issuer, '/'::text));

create table accounts (
  id uuid not null,
  email text,
  username text,
  password_hash text,
  first_name text default ''::text not null,
  last_name text default ''::text not null,
  phone_number text default ''::text not null,
  phone_verified_at timestamp with time zone,
  two_factor_enabled boolean default false not null,
  two_factor_method text default 'email'::text not null,
  two_factor_phone text default ''::text not null,
  sender_name text default ''::text not null,
  reply_to_email text default ''::text not null,
  default_subject text default ''::text not null,
  default_message text default ''::text not null,
  default_otp_length smallint default 6 not null,
  default_expiry_seconds integer default 300 not null,
  auto_purchase_enabled boolean default false not null,
  auto_purchase_threshold integer default 50 not null,
  auto_purchase_amount integer default 500 not null,
  low_balance_threshold integer,
  welcome_credits_due integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  erased_at timestamp with time zone,
  suspended_at timestamp with time zone,
  suspended_reason text default ''::text not null,
  time_zone text,
  search_text text default lower(((((((COALESCE(email, ''::text) || ' '::text) || COALESCE(username, ''::text)) || ' '::text) || first_name) || ' '::text) || last_name)) not null,
  name text default ''::text not null,
  slug text,
  default_language text default 'en'::text not null,
  language_by_country boolean default false not null,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_slug_key UNIQUE (slug),
  constraint accounts_username_key UNIQUE (username),
  constraint accounts_auto_purchase_amount_check CHECK (((auto_purchase_amount >= 100) AND (auto_purchase_amount <= 100000))),
  constraint accounts_auto_purchase_threshold_check CHECK (((auto_purchase_threshold >= 1) AND (auto_purchase_threshold <= 10000))),
  constraint accounts_default_expiry_seconds_check CHECK (((default_expiry_seconds >= 60) AND (default_expiry_seconds <= 3600))),
  constraint accounts_default_otp_length_check CHECK (((default_otp_length >= 4) AND (default_otp_length <= 8))),
  constraint accounts_low_balance_threshold_check CHECK ((low_balance_threshold >= 0)),
  constraint accounts_two_factor_method_check CHECK ((two_factor_method = ANY (ARRAY['sms'::text, 'email'::text]))),
  constraint accounts_welcome_credits_due_check CHECK ((welcome_credits_due >= 0))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05);
CREATE INDEX accounts_by_email ON public.accounts USING btree (email, id DESC);
CREATE INDEX accounts_by_email_desc ON public.accounts USING btree (email DESC NULLS LAST, id DESC);
CREATE INDEX accounts_by_phone ON public.accounts USING btree (phone_number);
CREATE INDEX accounts_by_text ON public.accounts USING gin (search_text gin_trgm_ops);
CREATE INDEX accounts_deleted ON public.accounts USING btree (id) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX accounts_email_key ON public.accounts USING btree (email) WHERE (username IS NOT NULL);
CREATE INDEX accounts_suspended ON public.accounts USING btree (id) WHERE ((suspended_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX accounts_to_erase ON public.accounts USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (erased_at IS NULL));
CREATE INDEX accounts_with_auto_purchase ON public.accounts USING btree (id) WHERE auto_purchase_enabled;
CREATE INDEX accounts_with_low_balance_notice ON public.accounts USING btree (id) WHERE (low_balance_threshold IS NOT NULL);
CREATE TRIGGER add_owner_of_account AFTER INSERT ON public.accounts FOR EACH ROW WHEN ((new.email IS NOT NULL)) EXECUTE FUNCTION add_owner_of_account();
CREATE TRIGGER add_person_of_account BEFORE INSERT ON public.accounts FOR EACH ROW WHEN ((new.email IS NOT NULL)) EXECUTE FUNCTION add_person_of_account();
CREATE TRIGGER auto_purchase_starts_afresh AFTER UPDATE OF auto_purchase_enabled ON public.accounts FOR EACH ROW WHEN ((new.auto_purchase_enabled AND (NOT old.auto_purchase_enabled))) EXECUTE FUNCTION forget_auto_purchase_failures();
CREATE TRIGGER balance_follows_warning_settings AFTER UPDATE OF low_balance_threshold, auto_purchase_enabled, auto_purchase_threshold ON public.accounts FOR EACH ROW WHEN (((new.deleted_at IS NULL) AND (((new.low_balance_threshold IS DISTINCT FROM old.low_balance_threshold) OR (new.auto_purchase_enabled IS DISTINCT FROM old.auto_purchase_enabled)) OR (new.auto_purchase_threshold IS DISTINCT FROM old.auto_purchase_threshold)))) EXECUTE FUNCTION apply_warning_settings();
CREATE TRIGGER change_person_of_account AFTER UPDATE OF email, username, password_hash, first_name, last_name, phone_number, phone_verified_at, two_factor_enabled, two_factor_method, two_factor_phone, time_zone ON public.accounts FOR EACH ROW WHEN (((pg_trigger_depth() = 0) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION change_person_of_account();
CREATE TRIGGER delete_person_of_account AFTER UPDATE OF deleted_at ON public.accounts FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION delete_person_of_account();

create table activity_minutes (
  minute timestamp with time zone not null,
  kind text not null,
  subject text not null,
  entries integer not null,
  ms bigint not null,
  constraint activity_minutes_pkey PRIMARY KEY (minute, kind, subject)
) with (fillfactor=70);

create table announcements (
  id uuid not null,
  text text not null,
  tone text not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone,
  created_at timestamp with time zone not null,
  operator_id uuid not null,
  constraint announcements_pkey PRIMARY KEY (id),
  constraint announcements_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES people(id),
  constraint announcements_tone_check CHECK ((tone = ANY (ARRAY['info'::text, 'warning'::text])))
);

create table api_keys (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  deleted_at timestamp with time zone,
  mode text default 'live'::text not null,
  scopes text[] default '{otp:send,otp:verify,otp:read}'::text[] not null,
  expires_at timestamp with time zone,
  allowed_networks cidr[],
  note text default ''::text not null,
  retired_hash bytea,
  retired_prefix text,
  retired_until timestamp with time zone,
  retired_last_used_at timestamp with time zone,
  kind text default 'key'::text not null,
  created_by uuid,
  require_proof text default 'never'::text not null,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint api_keys_kind_check CHECK ((kind = ANY (ARRAY['key'::text, 'connection'::text]))),
  constraint api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);
CREATE UNIQUE INDEX api_keys_by_retired_hash ON public.api_keys USING btree (retired_hash) WHERE (retired_hash IS NOT NULL);
CREATE INDEX api_keys_of_account ON public.api_keys USING btree (account_id, id);
CREATE INDEX test_keys_of_account ON public.api_keys USING btree (account_id) WHERE (mode = 'test'::text);

create table audit_entries (
  id uuid not null,
  account_id uuid not null,
  created_at timestamp with time zone not null,
  actor text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  ip_address inet,
  user_agent text,
  count integer default 1 not null,
  repeat_key text,
  person_id uuid,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_actor_check CHECK ((actor = ANY (ARRAY['owner'::text, 'key'::text, 'operator'::text, 'system'::text, 'unknown'::text]))),
  constraint audit_entries_count_check CHECK ((count > 0))
);
CREATE INDEX audit_entries_of_account ON public.audit_entries USING btree (account_id, id);
CREATE UNIQUE INDEX audit_entries_repeated ON public.audit_entries USING btree (account_id, repeat_key) WHERE (repeat_key IS NOT NULL);
CREATE TRIGGER audit_entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('sixdigit.changes_audit');

create table authenticators (
  account_id uuid not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_step bigint default 0 not null,
  last_used_at timestamp with time zone,
  person_id uuid not null,
  constraint authenticators_pkey PRIMARY KEY (account_id),
  constraint authenticators_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX authenticators_of_person ON public.authenticators USING btree (person_id);
CREATE INDEX authenticators_unconfirmed ON public.authenticators USING btree (created_at) WHERE (confirmed_at IS NULL);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.authenticators FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table auto_purchases (
  account_id uuid not null,
  declines smallint default 0 not null,
  retry_at timestamp with time zone,
  paused_at timestamp with time zone,
  reason text,
  constraint auto_purchases_pkey PRIMARY KEY (account_id),
  constraint auto_purchases_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint auto_purchases_reason_check CHECK ((reason = ANY (ARRAY['authentication'::text, 'reversal'::text, 'declined'::text, 'no_card'::text])))
);

create table balances (
  account_id uuid not null,
  credits integer default 0 not null,
  debt integer default 0 not null,
  daily_credit_limit integer,
  monthly_credit_limit integer,
  spent_today integer default 0 not null,
  spent_this_month integer default 0 not null,
  spend_day date default '-infinity'::date not null,
  tests_today integer default 0 not null,
  topped_up_to integer default 0 not null,
  warn_below integer default 5 not null,
  warning text default 'empty'::text not null,
  warning_due_at timestamp with time zone,
  constraint balances_pkey PRIMARY KEY (account_id),
  constraint balances_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint balance_not_negative CHECK ((credits >= 0)),
  constraint balances_daily_credit_limit_check CHECK ((daily_credit_limit > 0)),
  constraint balances_debt_check CHECK ((debt >= 0)),
  constraint balances_monthly_credit_limit_check CHECK ((monthly_credit_limit > 0)),
  constraint balances_warning_check CHECK ((warning = ANY (ARRAY['none'::text, 'low'::text, 'empty'::text])))
) with (fillfactor=50);
CREATE INDEX balances_with_spend_limits ON public.balances USING btree (account_id) WHERE ((daily_credit_limit IS NOT NULL) OR (monthly_credit_limit IS NOT NULL));
CREATE INDEX balances_with_warning_due ON public.balances USING btree (warning_due_at) WHERE (warning_due_at IS NOT NULL);
CREATE TRIGGER balance_warnings BEFORE UPDATE ON public.balances FOR EACH ROW WHEN ((((new.credits = 0) AND (new.warning <> 'empty'::text)) OR ((new.credits < new.warn_below) AND (new.warning = 'none'::text)) OR ((new.warning <> 'none'::text) AND (new.credits >= (new.warn_below + GREATEST(5, (new.warn_below / 2))))))) EXECUTE FUNCTION note_balance_warning();

create table blocked_prefixes (
  account_id uuid not null,
  prefix text not null,
  country text not null,
  rule text not null,
  blocked_until timestamp with time zone not null,
  changed_at timestamp with time zone not null,
  constraint blocked_prefixes_pkey PRIMARY KEY (account_id, prefix)
);
CREATE INDEX blocked_prefixes_by_change ON public.blocked_prefixes USING btree (changed_at);

create table carrier_costs (
  day date not null,
  carrier text not null,
  country text not null,
  currency text not null,
  messages integer not null,
  price numeric not null,
  constraint carrier_costs_pkey PRIMARY KEY (day, carrier, country, currency)
);

create table carrier_errors (
  id uuid not null,
  created_at timestamp with time zone not null,
  carrier text not null,
  channel text not null,
  kind text not null,
  reason text not null,
  detail text not null,
  constraint carrier_errors_pkey PRIMARY KEY (id),
  constraint carrier_errors_kind_check CHECK ((kind = ANY (ARRAY['refused'::text, 'uncertain'::text, 'report'::text])))
);

create table carrier_tests (
  carrier text not null,
  id uuid not null,
  channel text not null,
  sent_at timestamp with time zone not null,
  outcome text,
  report jsonb,
  reported_at timestamp with time zone,
  constraint carrier_tests_pkey PRIMARY KEY (carrier),
  constraint carrier_tests_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'uncertain'::text])))
);

create table challenges (
  id uuid not null,
  token_hash bytea not null,
  purpose text not null,
  account_id uuid,
  code_hmac bytea not null,
  sealed bytea not null,
  code_expires_at timestamp with time zone not null,
  tries smallint default 0 not null,
  resends smallint default 0 not null,
  last_sent_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  person_id uuid,
  constraint challenges_pkey PRIMARY KEY (id),
  constraint challenges_token_hash_key UNIQUE (token_hash),
  constraint challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint challenges_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'sign_up'::text, 'reset_password'::text, 'phone'::text, 'step_up'::text, 'email_change'::text])))
);
CREATE INDEX challenges_by_expiry ON public.challenges USING btree (expires_at);
CREATE INDEX challenges_of_account ON public.challenges USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX challenges_of_person ON public.challenges USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.challenges FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table code_entries (
  account_id uuid not null,
  failures timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  locked_until timestamp with time zone,
  person_id uuid not null,
  constraint code_entries_pkey PRIMARY KEY (account_id),
  constraint code_entries_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
) with (fillfactor=50);
CREATE INDEX code_entries_of_person ON public.code_entries USING btree (person_id);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.code_entries FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table connections (
  id uuid not null,
  account_id uuid not null,
  api_key_id uuid not null,
  key_hash bytea not null,
  system text not null,
  message text,
  code_seconds smallint,
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamp with time zone,
  created_at timestamp with time zone not null,
  wrong_signatures integer default 0 not null,
  wrong_signature_at timestamp with time zone,
  last_error text,
  last_error_at timestamp with time zone,
  language text,
  code_pattern text,
  constraint connections_pkey PRIMARY KEY (id),
  constraint connections_api_key_id_key UNIQUE (api_key_id),
  constraint connections_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint connections_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id),
  constraint connections_code_seconds_check CHECK (((code_seconds >= 60) AND (code_seconds <= 3600)))
);
CREATE INDEX connections_of_account ON public.connections USING btree (account_id, id);

create table counted_days (
  list text not null,
  from_day date not null,
  until_day date not null,
  constraint counted_days_pkey PRIMARY KEY (list)
);

create table daily_counts (
  account_id uuid not null,
  list text not null,
  day date not null,
  api_key_id uuid not null,
  outcome text not null,
  request_type text default ''::text not null,
  credits smallint default 0 not null,
  entries integer not null,
  channel text default ''::text not null,
  country text default ''::text not null,
  carrier text default ''::text not null,
  constraint daily_counts_pkey PRIMARY KEY (account_id, list, day, api_key_id, outcome, request_type, credits, channel, country, carrier),
  constraint daily_counts_list_check CHECK ((list = ANY (ARRAY['verifications'::text, 'routes'::text, 'requests'::text, 'all_verifications'::text, 'all_routes'::text, 'all_requests'::text])))
);
CREATE INDEX daily_counts_by_day ON public.daily_counts USING btree (list, day);

create table database_sizes (
  day date not null,
  bytes bigint not null,
  constraint database_sizes_pkey PRIMARY KEY (day)
);

create table deliveries (
  id uuid not null,
  account_id uuid not null,
  channel text not null,
  sealed bytea not null,
  run_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  worker_id uuid,
  claim uuid,
  claimed_at timestamp with time zone,
  carrier text,
  refused_by text[] default '{}'::text[] not null,
  uncertain smallint default 0 not null,
  tries smallint default 0 not null,
  last_failure text,
  constraint deliveries_pkey PRIMARY KEY (id)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_threshold=5000, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);
CREATE INDEX deliveries_claimed ON public.deliveries USING btree (worker_id) WHERE (worker_id IS NOT NULL);
CREATE INDEX deliveries_due ON public.deliveries USING btree (channel, run_at) WHERE (worker_id IS NULL);

create table disputes (
  id text not null,
  order_id uuid not null,
  account_id uuid not null,
  cents integer not null,
  currency text not null,
  reason text not null,
  status text not null,
  evidence_due_at timestamp with time zone,
  has_evidence boolean not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  changed_at timestamp with time zone not null,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint disputes_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint disputes_cents_check CHECK ((cents >= 0))
);
CREATE INDEX disputes_by_time ON public.disputes USING btree (opened_at, id);
CREATE INDEX disputes_of_account ON public.disputes USING btree (account_id);
CREATE INDEX disputes_of_order ON public.disputes USING btree (order_id);
CREATE INDEX disputes_open ON public.disputes USING btree (evidence_due_at) WHERE (closed_at IS NULL);

create table feedback (
  otp_id uuid not null,
  account_id uuid not null,
  message_id uuid not null,
  sealed bytea,
  created_at timestamp with time zone not null,
  run_at timestamp with time zone not null,
  tries smallint default 0 not null,
  worker_id uuid,
  claim uuid,
  constraint feedback_pkey PRIMARY KEY (otp_id)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_threshold=5000, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);
CREATE INDEX feedback_due ON public.feedback USING btree (run_at) WHERE (worker_id IS NULL);

create table former_member_hashes (
  account_id uuid not null,
  hash bytea not null,
  left_at timestamp with time zone not null,
  constraint former_member_hashes_pkey PRIMARY KEY (account_id, hash),
  constraint former_member_hashes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table former_members (
  account_id uuid not null,
  person_id uuid not null,
  left_at timestamp with time zone not null,
  constraint former_members_pkey PRIMARY KEY (account_id, person_id),
  constraint former_members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint former_members_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX former_members_person ON public.former_members USING btree (person_id);

create table idempotency_keys (
  account_id uuid not null,
  endpoint text not null,
  key bytea not null,
  request bytea not null,
  status smallint,
  response json,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, endpoint, key)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING brin (created_at);

create table identities (
  account_id uuid not null,
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  constraint identities_pkey PRIMARY KEY (account_id, issuer, subject),
  constraint identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX identities_person ON public.identities USING btree (person_id);

create table insight_deltas (
  account_id uuid not null,
  at timestamp with time zone not null,
  channel text not null,
  country text not null,
  api_key_id uuid not null,
  bucket smallint,
  sent integer not null,
  dispatched integer not null,
  delivered integer not null,
  verified integer not null,
  expired integer not null,
  failed integer not null,
  canceled integer not null,
  exhausted integer not null,
  superseded integer not null,
  credits integer not null,
  refunded integer not null,
  rejected integer default 0 not null,
  wrong_codes integer default 0 not null,
  own_codes integer default 0 not null,
  own_delivered integer default 0 not null,
  own_failed integer default 0 not null
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);
alter table insight_deltas replica identity full;

create table insight_sums (
  account_id uuid not null,
  minutes smallint not null,
  country text not null,
  api_key_id uuid not null,
  channel text not null,
  at timestamp with time zone not null,
  sent integer not null,
  dispatched integer not null,
  delivered integer not null,
  verified integer not null,
  expired integer not null,
  failed integer not null,
  canceled integer not null,
  exhausted integer not null,
  superseded integer not null,
  credits integer not null,
  refunded integer not null,
  rejected integer not null,
  wrong_codes integer not null,
  times integer[],
  own_codes integer default 0 not null,
  own_delivered integer default 0 not null,
  own_failed integer default 0 not null,
  constraint insight_sums_pkey PRIMARY KEY (account_id, minutes, country, api_key_id, channel, at),
  constraint insight_sums_minutes_check CHECK ((minutes = ANY (ARRAY[5, 60, 1440])))
) with (fillfactor=80);
CREATE INDEX insight_sums_by_age ON public.insight_sums USING brin (at);
CREATE INDEX insight_sums_of_hours ON public.insight_sums USING btree (account_id, country, api_key_id, channel, at) INCLUDE (sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected, wrong_codes, times, own_codes, own_delivered, own_failed) WHERE ((minutes = 60) AND ((country = '*'::text) OR (api_key_id = '00000000-0000-0000-0000-000000000000'::uuid)));
CREATE INDEX insight_sums_of_minutes ON public.insight_sums USING btree (at) WHERE (minutes = 5);

create table invitations (
  id uuid not null,
  account_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  links integer default 1 not null,
  invited_by uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_account_id_email_key UNIQUE (account_id, email),
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(id),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'support'::text, 'viewer'::text])))
);
CREATE INDEX invitations_by_expiry ON public.invitations USING btree (expires_at);

create table job_failures (
  job text not null,
  failures integer not null,
  last_failed_at timestamp with time zone not null,
  last_error text not null,
  constraint job_failures_pkey PRIMARY KEY (job)
);

create unlogged table key_rates (
  api_key_id uuid not null,
  second bigint not null,
  used integer not null,
  constraint key_rates_pkey PRIMARY KEY (api_key_id)
) with (fillfactor=30, autovacuum_vacuum_threshold=20000, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);

create table key_rules (
  account_id uuid not null,
  live_keys_need_admin boolean not null,
  constraint key_rules_pkey PRIMARY KEY (account_id),
  constraint key_rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table key_spending (
  account_id uuid not null,
  api_key_id uuid not null,
  daily_credit_limit integer not null,
  spent_today integer default 0 not null,
  spend_day date default '-infinity'::date not null,
  constraint key_spending_pkey PRIMARY KEY (account_id, api_key_id),
  constraint key_spending_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint key_spending_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id),
  constraint key_spending_daily_credit_limit_check CHECK ((daily_credit_limit > 0))
) with (fillfactor=50);

create table known_recipients (
  account_id uuid not null,
  hash bytea not null,
  known_on date not null,
  verified_since timestamp with time zone,
  is_imported boolean not null,
  constraint known_recipients_pkey PRIMARY KEY (account_id, hash)
);
CREATE INDEX known_recipients_by_day ON public.known_recipients USING btree (account_id, known_on);

create table ledger (
  account_id uuid not null,
  id uuid not null,
  created_at timestamp with time zone not null,
  credits integer not null,
  kind text not null,
  reference text,
  description text not null,
  constraint ledger_pkey PRIMARY KEY (account_id, id),
  constraint ledger_reference UNIQUE (kind, reference),
  constraint ledger_kind_check CHECK ((kind = ANY (ARRAY['usage'::text, 'refund'::text, 'purchase'::text, 'clawback'::text, 'reinstate'::text, 'welcome'::text, 'adjustment'::text, 'transfer_out'::text, 'transfer_in'::text]))) NOT VALID,
  constraint ledger_reference_check CHECK (((reference IS NOT NULL) OR (kind = 'usage'::text)))
);
CREATE INDEX ledger_without_sends ON public.ledger USING btree (account_id, id) WHERE (kind <> ALL (ARRAY['usage'::text, 'refund'::text]));
CREATE TRIGGER ledger_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table lookup_answers (
  account_id uuid not null,
  hash bytea not null,
  version integer not null,
  facts jsonb not null,
  answered_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint lookup_answers_pkey PRIMARY KEY (account_id, hash)
);
CREATE INDEX lookup_answers_by_expiry ON public.lookup_answers USING btree (expires_at);
CREATE INDEX lookup_answers_by_hash ON public.lookup_answers USING btree (hash);

create table lookup_counts (
  account_id uuid not null,
  day date not null,
  lookups integer not null,
  constraint lookup_counts_pkey PRIMARY KEY (account_id, day)
);

create table lookup_setups (
  is_only boolean default true not null,
  id uuid not null,
  kind text not null,
  is_enabled boolean not null,
  fields jsonb not null,
  sealed bytea not null,
  cache_hours integer not null,
  timeout_ms integer not null,
  daily_limit integer not null,
  account_daily_limit integer not null,
  version integer not null,
  changed_at timestamp with time zone not null,
  changed_by uuid,
  constraint lookup_setups_pkey PRIMARY KEY (is_only),
  constraint lookup_setups_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES people(id),
  constraint lookup_setups_is_only_check CHECK (is_only)
);

create table low_balance_notices (
  account_id uuid not null,
  notified_at timestamp with time zone not null,
  constraint low_balance_notices_pkey PRIMARY KEY (account_id),
  constraint low_balance_notices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table memberships (
  account_id uuid not null,
  person_id uuid not null,
  role text not null,
  invited_by uuid,
  joined_at timestamp with time zone not null,
  last_seen_at timestamp with time zone,
  service_notices boolean,
  constraint memberships_pkey PRIMARY KEY (account_id, person_id),
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'support'::text, 'viewer'::text])))
);
CREATE INDEX memberships_of_person ON public.memberships USING btree (person_id, joined_at);
CREATE TRIGGER identities_follow_members AFTER INSERT OR DELETE ON public.memberships FOR EACH ROW EXECUTE FUNCTION follow_members();
CREATE TRIGGER memberships_are_mirrored AFTER INSERT OR DELETE OR UPDATE OF role ON public.memberships FOR EACH ROW EXECUTE FUNCTION mirror_membership();

create table message_domains (
  id uuid not null,
  account_id uuid not null,
  domain text not null,
  token text not null,
  created_at timestamp with time zone not null,
  checked_at timestamp with time zone,
  problem text,
  verified_at timestamp with time zone,
  lapses_at timestamp with time zone,
  constraint message_domains_pkey PRIMARY KEY (id),
  constraint message_domains_account_id_domain_key UNIQUE (account_id, domain),
  constraint message_domains_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX message_domains_due ON public.message_domains USING btree (checked_at) WHERE (verified_at IS NOT NULL);

create table notice_log (
  id uuid not null,
  account_id uuid not null,
  told_id uuid not null,
  kind text not null,
  posted_at timestamp with time zone not null,
  constraint notice_log_pkey PRIMARY KEY (id)
);
CREATE INDEX notice_log_by_age ON public.notice_log USING btree (posted_at);
CREATE INDEX notice_log_of_kind ON public.notice_log USING btree (account_id, told_id, kind, posted_at);

create table notices (
  id uuid not null,
  account_id uuid,
  channel text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  run_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  worker_id uuid,
  claim uuid,
  tries smallint default 0 not null,
  uncertain_at text,
  person_id uuid,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text])))
);
CREATE INDEX notices_claimed ON public.notices USING btree (worker_id) WHERE (worker_id IS NOT NULL);
CREATE INDEX notices_of_account ON public.notices USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX notices_of_person ON public.notices USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE INDEX notices_ordinary ON public.notices USING btree (run_at) WHERE ((worker_id IS NULL) AND ((expires_at - created_at) > '01:00:00'::interval));
CREATE INDEX notices_ready ON public.notices USING btree (run_at) WHERE (worker_id IS NULL);
CREATE INDEX notices_urgent ON public.notices USING btree (run_at) WHERE ((worker_id IS NULL) AND ((expires_at - created_at) <= '01:00:00'::interval));

create table open_breakers (
  worker_id uuid not null,
  carrier text not null,
  channel text not null,
  seen_at timestamp with time zone not null,
  detail text,
  constraint open_breakers_pkey PRIMARY KEY (worker_id, carrier, channel)
);

create table operator_actions (
  id uuid not null,
  created_at timestamp with time zone not null,
  operator_id uuid,
  operator_key_id uuid,
  action text not null,
  subject_account_id uuid,
  subject text not null,
  reason text not null,
  before jsonb,
  after jsonb,
  ip_address inet,
  user_agent text,
  constraint operator_actions_pkey PRIMARY KEY (id),
  constraint operator_actions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES people(id),
  constraint operator_actions_operator_key_id_fkey FOREIGN KEY (operator_key_id) REFERENCES operator_keys(id)
);
CREATE INDEX operator_actions_of_account ON public.operator_actions USING btree (subject_account_id, id) WHERE (subject_account_id IS NOT NULL);
CREATE TRIGGER operator_actions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_actions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table operator_keys (
  id uuid not null,
  operator_id uuid not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint operator_keys_pkey PRIMARY KEY (id),
  constraint operator_keys_hash_key UNIQUE (hash),
  constraint operator_keys_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES people(id)
);

create table operator_searches (
  fingerprint bytea not null,
  began_at timestamp with time zone not null,
  constraint operator_searches_pkey PRIMARY KEY (fingerprint)
);
CREATE INDEX operator_searches_by_time ON public.operator_searches USING btree (began_at);

create table operators (
  account_id uuid not null,
  role text not null,
  created_at timestamp with time zone not null,
  person_id uuid not null,
  constraint operators_pkey PRIMARY KEY (account_id),
  constraint operators_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint operators_role_check CHECK ((role = ANY (ARRAY['support'::text, 'admin'::text])))
);
CREATE INDEX operators_of_person ON public.operators USING btree (person_id);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.operators FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table opt_outs (
  fingerprint bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint opt_outs_pkey PRIMARY KEY (fingerprint)
);

create table order_reversals (
  id text not null,
  order_id uuid not null,
  cents integer not null,
  state text not null,
  changed_at timestamp with time zone not null,
  taken_at timestamp with time zone default now() not null,
  constraint order_reversals_pkey PRIMARY KEY (id),
  constraint order_reversals_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint order_reversals_cents_check CHECK ((cents >= 0)),
  constraint order_reversals_state_check CHECK ((state = ANY (ARRAY['taken'::text, 'returned'::text])))
);
CREATE INDEX order_reversals_by_time ON public.order_reversals USING btree (taken_at);
CREATE INDEX order_reversals_of_order ON public.order_reversals USING btree (order_id);
CREATE INDEX order_reversals_returned ON public.order_reversals USING btree (changed_at) WHERE (state = 'returned'::text);

create table orders (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  credits integer not null,
  price_usd_cents integer not null,
  status text default 'pending'::text not null,
  provider text not null,
  customer_id text not null,
  method_id text,
  saves_method boolean default false not null,
  request_key bytea,
  intent_id text,
  failure text,
  card_brand text,
  card_last4 text,
  credits_taken integer default 0 not null,
  receipt_number bigint,
  created_at timestamp with time zone not null,
  asked_at timestamp with time zone not null,
  check_at timestamp with time zone,
  paid_at timestamp with time zone,
  is_tried boolean default false not null,
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_intent_id_key UNIQUE (intent_id),
  constraint orders_receipt_number_key UNIQUE (receipt_number),
  constraint orders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint orders_check CHECK (((credits_taken >= 0) AND (credits_taken <= credits))),
  constraint orders_check1 CHECK (((status <> 'succeeded'::text) OR (intent_id IS NOT NULL))),
  constraint orders_credits_check CHECK ((credits > 0)),
  constraint orders_kind_check CHECK ((kind = ANY (ARRAY['bundle'::text, 'custom'::text, 'auto'::text]))),
  constraint orders_price_usd_cents_check CHECK ((price_usd_cents > 0)),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'failed'::text, 'canceled'::text, 'succeeded'::text])))
);
CREATE UNIQUE INDEX one_auto_purchase_in_flight ON public.orders USING btree (account_id) WHERE ((kind = 'auto'::text) AND (status = 'pending'::text));
CREATE UNIQUE INDEX orders_by_request_key ON public.orders USING btree (account_id, request_key, ((method_id IS NULL))) WHERE (request_key IS NOT NULL);
CREATE INDEX orders_of_account ON public.orders USING btree (account_id, id);
CREATE INDEX orders_of_auto_purchases ON public.orders USING btree (account_id, id) WHERE (kind = 'auto'::text);
CREATE INDEX orders_paid ON public.orders USING btree (paid_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX orders_to_check ON public.orders USING btree (check_at) WHERE (check_at IS NOT NULL);
CREATE TRIGGER orders_are_paid BEFORE INSERT OR UPDATE OF status ON public.orders FOR EACH ROW EXECUTE FUNCTION note_payment();
CREATE TRIGGER orders_have_one_intent BEFORE UPDATE OF intent_id, asked_at ON public.orders FOR EACH ROW EXECUTE FUNCTION guard_order_intent();

create table own_sms (
  key bytea not null,
  times timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  items bytea[] default '{}'::bytea[] not null,
  until timestamp with time zone not null,
  constraint own_sms_pkey PRIMARY KEY (key)
) with (fillfactor=50);
CREATE INDEX own_sms_by_end ON public.own_sms USING btree (until);

create table passkey_challenges (
  hash bytea not null,
  purpose text not null,
  account_id uuid,
  subject uuid,
  expires_at timestamp with time zone not null,
  person_id uuid,
  constraint passkey_challenges_pkey PRIMARY KEY (hash),
  constraint passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign_in'::text, 'second_step'::text, 'step_up'::text])))
);
CREATE INDEX passkey_challenges_by_expiry ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_of_account ON public.passkey_challenges USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX passkey_challenges_of_person ON public.passkey_challenges USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.passkey_challenges FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table passkeys (
  id uuid not null,
  account_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  is_synced boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  is_syncable boolean default false not null,
  suspected_at timestamp with time zone,
  person_id uuid not null,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX passkeys_of_account ON public.passkeys USING btree (account_id, id);
CREATE INDEX passkeys_of_person ON public.passkeys USING btree (person_id, id);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.passkeys FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table payment_customers (
  account_id uuid not null,
  provider text not null,
  customer_id text not null,
  last_method_id text,
  created_at timestamp with time zone not null,
  constraint payment_customers_pkey PRIMARY KEY (account_id, provider),
  constraint payment_customers_customer_id_key UNIQUE (customer_id),
  constraint payment_customers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint payment_customers_provider_check CHECK ((provider = ANY (ARRAY['stripe'::text, 'stripe_test'::text, 'sandbox'::text])))
);

create table payment_events (
  id text not null,
  type text not null,
  intent_id text,
  received_at timestamp with time zone not null,
  run_at timestamp with time zone not null,
  tries smallint default 0 not null,
  last_failure text,
  processed_at timestamp with time zone,
  constraint payment_events_pkey PRIMARY KEY (id)
);
CREATE INDEX payment_events_by_age ON public.payment_events USING brin (received_at);
CREATE INDEX payment_events_to_process ON public.payment_events USING btree (run_at) WHERE (processed_at IS NULL);

create table people (
  id uuid not null,
  email text,
  username text,
  password_hash text,
  first_name text default ''::text not null,
  last_name text default ''::text not null,
  phone_number text default ''::text not null,
  phone_verified_at timestamp with time zone,
  two_factor_enabled boolean default false not null,
  two_factor_method text default 'email'::text not null,
  two_factor_phone text default ''::text not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  time_zone text,
  search_text text default lower(((((((COALESCE(email, ''::text) || ' '::text) || COALESCE(username, ''::text)) || ' '::text) || first_name) || ' '::text) || last_name)) not null,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_email_key UNIQUE (email),
  constraint people_username_key UNIQUE (username),
  constraint people_two_factor_method_check CHECK ((two_factor_method = ANY (ARRAY['sms'::text, 'email'::text])))
);
CREATE INDEX people_by_phone ON public.people USING btree (phone_number);
CREATE INDEX people_by_text ON public.people USING gin (search_text gin_trgm_ops);
CREATE TRIGGER people_are_mirrored AFTER UPDATE ON public.people FOR EACH ROW EXECUTE FUNCTION mirror_person();

create table plans (
  otp_id uuid not null,
  account_id uuid not null,
  current_id uuid not null,
  rest json not null,
  wait_seconds smallint not null,
  sealed bytea not null,
  run_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  is_held boolean default false not null,
  worker_id uuid,
  claim uuid,
  claimed_at timestamp with time zone,
  constraint plans_pkey PRIMARY KEY (otp_id)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_threshold=5000, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);
CREATE INDEX plans_claimed ON public.plans USING btree (worker_id) WHERE (worker_id IS NOT NULL);
CREATE INDEX plans_due ON public.plans USING btree (run_at) WHERE (worker_id IS NULL);

create table prefix_costs (
  account_id uuid not null,
  day date not null,
  country text not null,
  prefix text not null,
  verified integer not null,
  unverified integer not null,
  spent integer not null,
  credits integer not null,
  constraint prefix_costs_pkey PRIMARY KEY (account_id, day, country, prefix)
);
CREATE INDEX prefix_costs_by_day ON public.prefix_costs USING btree (day);

create table protection_blocks (
  account_id uuid not null,
  hour integer not null,
  rule text not null,
  scope text not null,
  prefix text not null,
  country text not null,
  client text not null,
  blocked integer not null,
  monitored integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint protection_blocks_pkey PRIMARY KEY (account_id, hour, rule, scope, prefix, country, client)
);
CREATE INDEX protection_blocks_by_age ON public.protection_blocks USING btree (hour);

create table protection_counts (
  account_id uuid not null,
  kind text not null,
  key text not null,
  unit text not null,
  bucket integer not null,
  sent integer not null,
  tried integer not null,
  over integer not null,
  verified integer not null,
  constraint protection_counts_pkey PRIMARY KEY (account_id, kind, key, unit, bucket),
  constraint protection_counts_unit_check CHECK ((unit = ANY (ARRAY['hour'::text, 'day'::text])))
);
CREATE INDEX protection_counts_by_age ON public.protection_counts USING btree (unit, bucket);

create table protection_decisions (
  account_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  sends integer not null,
  outcome text not null,
  exemption text,
  rule text not null,
  findings jsonb not null,
  api_key_id uuid,
  prefix text not null,
  country text not null,
  client text not null,
  strictest boolean,
  loosest boolean,
  constraint protection_decisions_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX protection_decisions_by_time ON public.protection_decisions USING brin (at);

create table protection_deltas (
  process_id uuid not null,
  seq bigint not null,
  at timestamp with time zone not null,
  deltas json not null,
  is_summed boolean default false not null,
  constraint protection_deltas_pkey PRIMARY KEY (process_id, seq)
);
CREATE INDEX protection_deltas_by_time ON public.protection_deltas USING btree (at);
CREATE INDEX protection_deltas_to_sum ON public.protection_deltas USING btree (at) WHERE (NOT is_summed);

create table protection_mails (
  account_id uuid not null,
  subject text not null,
  day date not null,
  constraint protection_mails_pkey PRIMARY KEY (account_id, subject, day)
);

create table protection_settings (
  account_id uuid not null,
  rules jsonb default '{}'::jsonb not null,
  allow jsonb default '[]'::jsonb not null,
  deny jsonb default '[]'::jsonb not null,
  bounds jsonb default '{}'::jsonb not null,
  updated_at timestamp with time zone not null,
  known_days smallint,
  lookups jsonb default '{}'::jsonb not null,
  require_proof text,
  constraint protection_settings_pkey PRIMARY KEY (account_id)
);
CREATE INDEX protection_settings_by_update ON public.protection_settings USING btree (updated_at);

create table recipient_erasures (
  id uuid not null,
  created_at timestamp with time zone not null,
  requested_by uuid not null,
  operator_key_id uuid,
  masked text not null,
  sealed bytea,
  retention_days integer not null,
  steps integer not null,
  steps_done integer default 0 not null,
  erased jsonb default '{}'::jsonb not null,
  lease uuid,
  leased_until timestamp with time zone,
  ended_at timestamp with time zone,
  constraint recipient_erasures_pkey PRIMARY KEY (id),
  constraint recipient_erasures_operator_key_id_fkey FOREIGN KEY (operator_key_id) REFERENCES operator_keys(id),
  constraint recipient_erasures_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES people(id),
  constraint recipient_erasures_forget CHECK (((sealed IS NULL) = (ended_at IS NOT NULL)))
);
CREATE INDEX recipient_erasures_open ON public.recipient_erasures USING btree (id) WHERE (ended_at IS NULL);

create unlogged table recipient_sends (
  recipient_hash bytea not null,
  sends bigint[] not null,
  touched_at timestamp with time zone not null,
  constraint recipient_sends_pkey PRIMARY KEY (recipient_hash)
) with (fillfactor=70);
CREATE INDEX recipient_sends_by_touch ON public.recipient_sends USING brin (touched_at);

create table recipients (
  account_id uuid not null,
  recipient text not null,
  code_hmac bytea,
  code_sealed bytea,
  code_length smallint,
  code_first_sent_at timestamp with time zone,
  code_until timestamp with time zone,
  open_until timestamp with time zone,
  open_ids uuid[] default '{}'::uuid[] not null,
  tries_used smallint default 0 not null,
  sends bigint[] default '{}'::bigint[] not null,
  touched_at timestamp with time zone not null,
  wrong_tries bigint[] default '{}'::bigint[] not null,
  constraint recipients_pkey PRIMARY KEY (account_id, recipient)
) with (fillfactor=70);
CREATE INDEX recipients_by_touch ON public.recipients USING brin (touched_at);
CREATE INDEX recipients_with_code ON public.recipients USING btree (code_until) WHERE (code_sealed IS NOT NULL);

create table recovery_codes (
  account_id uuid not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  person_id uuid not null,
  constraint recovery_codes_pkey PRIMARY KEY (account_id, hash),
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX recovery_codes_of_person ON public.recovery_codes USING btree (person_id, hash);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.recovery_codes FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table request_logs (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  otp_id uuid,
  request_id uuid,
  created_at timestamp with time zone not null,
  response_time_ms real not null,
  count integer default 1 not null,
  response_status_code smallint not null,
  credits_used smallint default 0 not null,
  request_type text not null,
  method text,
  endpoint text,
  channel text,
  recipient text,
  reason text,
  ip_address inet,
  blocked_by text[],
  recipient_hash bytea,
  refused_fields jsonb,
  constraint request_logs_pkey PRIMARY KEY (account_id, id),
  constraint request_logs_request_type_check CHECK ((request_type = ANY (ARRAY['send_otp'::text, 'verify_otp'::text])))
) partition by RANGE (id);
CREATE INDEX request_logs_by_age ON ONLY public.request_logs USING brin (id);
CREATE INDEX request_logs_by_duration ON ONLY public.request_logs USING btree (account_id, (((response_time_ms * (10)::double precision))::integer), (((created_at AT TIME ZONE 'UTC'::text))::date) DESC);
CREATE INDEX request_logs_of_key_by_duration ON ONLY public.request_logs USING btree (api_key_id, (((response_time_ms * (10)::double precision))::integer), (((created_at AT TIME ZONE 'UTC'::text))::date) DESC);
CREATE INDEX request_logs_refused_by_status ON ONLY public.request_logs USING btree (account_id, response_status_code, (((response_time_ms * (10)::double precision))::integer), (((created_at AT TIME ZONE 'UTC'::text))::date) DESC, id DESC) INCLUDE (response_time_ms, created_at, api_key_id) WHERE (response_status_code >= 400);
CREATE TRIGGER requests_are_recounted AFTER INSERT ON public.request_logs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recount_late_rows('requests');

create table request_logs_other partition of request_logs DEFAULT;

create table reset_links (
  token_hash bytea not null,
  account_id uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  person_id uuid,
  constraint reset_links_pkey PRIMARY KEY (token_hash),
  constraint reset_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX reset_links_by_expiry ON public.reset_links USING btree (expires_at);
CREATE INDEX reset_links_of_account ON public.reset_links USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX reset_links_of_person ON public.reset_links USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.reset_links FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table sandbox_cards (
  id text not null,
  customer_id text not null,
  behaviour text not null,
  brand text not null,
  last4 text not null,
  exp_month smallint not null,
  exp_year smallint not null,
  created_at timestamp with time zone not null,
  constraint sandbox_cards_pkey PRIMARY KEY (id)
);
CREATE INDEX sandbox_cards_of_customer ON public.sandbox_cards USING btree (customer_id);

create table sandbox_intents (
  id text not null,
  client_secret text not null,
  order_id uuid not null,
  account_id uuid not null,
  customer_id text not null,
  amount_cents integer not null,
  status text not null,
  saves_method boolean not null,
  card jsonb,
  failure jsonb,
  created_at timestamp with time zone not null,
  constraint sandbox_intents_pkey PRIMARY KEY (id),
  constraint sandbox_intents_client_secret_key UNIQUE (client_secret),
  constraint sandbox_intents_order_id_key UNIQUE (order_id),
  constraint sandbox_intents_status_check CHECK ((status = ANY (ARRAY['requires_payment_method'::text, 'requires_action'::text, 'succeeded'::text, 'canceled'::text])))
);

create table sandbox_messages (
  id uuid not null,
  channel text not null,
  recipient text not null,
  subject text,
  text text not null,
  html text,
  code text,
  created_at timestamp with time zone not null,
  constraint sandbox_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX sandbox_messages_of_recipient ON public.sandbox_messages USING btree (recipient, id);

create table sandbox_refunds (
  id text not null,
  intent_id text not null,
  cents integer not null,
  created_at timestamp with time zone not null,
  constraint sandbox_refunds_pkey PRIMARY KEY (id),
  constraint sandbox_refunds_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES sandbox_intents(id),
  constraint sandbox_refunds_cents_check CHECK ((cents > 0))
);
CREATE INDEX sandbox_refunds_of_intent ON public.sandbox_refunds USING btree (intent_id);

create table schema_functions (
  name text not null,
  sha256 text not null,
  version text not null,
  created_at timestamp with time zone default now() not null,
  constraint schema_functions_pkey PRIMARY KEY (name)
);

create table schema_migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create unlogged table server_key_holders (
  id uuid not null,
  key_id text not null,
  since timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint server_key_holders_pkey PRIMARY KEY (id)
);

create table service_facts (
  name text not null,
  value text not null,
  changed_at timestamp with time zone default now() not null,
  constraint service_facts_pkey PRIMARY KEY (name)
);

create table sessions (
  id uuid not null,
  account_id uuid not null,
  refresh_hash bytea not null,
  parent_hash bytea,
  rotated_at timestamp with time zone,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  ip_address inet,
  user_agent text,
  proven_at timestamp with time zone,
  person_id uuid not null,
  sso_account_id uuid,
  ends_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint sessions_sso_account_id_fkey FOREIGN KEY (sso_account_id) REFERENCES accounts(id)
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_of_account ON public.sessions USING btree (account_id, id);
CREATE INDEX sessions_of_person ON public.sessions USING btree (person_id, id);
CREATE INDEX sessions_of_sso ON public.sessions USING btree (sso_account_id, person_id) WHERE (sso_account_id IS NOT NULL);
CREATE TRIGGER set_person_id BEFORE INSERT ON public.sessions FOR EACH ROW EXECUTE FUNCTION set_person_id();

create table setting_changes (
  id uuid not null,
  name text not null,
  value jsonb,
  created_at timestamp with time zone not null,
  operator_id uuid,
  "position" bigint not null,
  constraint setting_changes_pkey PRIMARY KEY (id),
  constraint setting_changes_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES people(id)
);
CREATE INDEX setting_changes_by_name ON public.setting_changes USING btree (name, "position");
CREATE UNIQUE INDEX setting_changes_by_position ON public.setting_changes USING btree ("position");
CREATE TRIGGER setting_changes_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.setting_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table spend_notices (
  account_id uuid not null,
  subject_id uuid not null,
  span text not null,
  period date not null,
  percent smallint not null,
  credit_limit integer not null,
  constraint spend_notices_pkey PRIMARY KEY (account_id, subject_id, span),
  constraint spend_notices_span_check CHECK ((span = ANY (ARRAY['day'::text, 'month'::text])))
);

create table sso_links (
  token_hash bytea not null,
  account_id uuid not null,
  person_id uuid not null,
  issuer text not null,
  subject text not null,
  expires_at timestamp with time zone not null,
  constraint sso_links_pkey PRIMARY KEY (token_hash),
  constraint sso_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint sso_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX sso_links_account ON public.sso_links USING btree (account_id);
CREATE INDEX sso_links_expiry ON public.sso_links USING btree (expires_at);
CREATE INDEX sso_links_person ON public.sso_links USING btree (person_id);

create table sso_logins (
  state_hash bytea not null,
  browser_hash bytea not null,
  account_id uuid not null,
  issuer text not null,
  client_id text not null,
  session_id uuid,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  test jsonb,
  constraint sso_logins_pkey PRIMARY KEY (state_hash),
  constraint sso_logins_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX sso_logins_account ON public.sso_logins USING btree (account_id);
CREATE INDEX sso_logins_browser ON public.sso_logins USING btree (browser_hash);
CREATE INDEX sso_logins_expiry ON public.sso_logins USING btree (expires_at);

create table status_history (
  account_id uuid not null,
  otp_id uuid not null,
  changed_at timestamp with time zone not null,
  previous_status text,
  new_status text not null,
  ip_address inet,
  notes text
) partition by RANGE (otp_id);
alter table status_history replica identity full;
CREATE INDEX status_history_by_age ON ONLY public.status_history USING brin (otp_id);
CREATE INDEX status_history_of_verification ON ONLY public.status_history USING btree (otp_id);

create table status_history_other partition of status_history DEFAULT;
alter table status_history_other replica identity full;

create table stored_carriers (
  id uuid not null,
  name text not null,
  kind text not null,
  channels text[] not null,
  is_enabled boolean not null,
  switched_at timestamp with time zone not null,
  fields jsonb not null,
  sealed bytea not null,
  version integer not null,
  changed_at timestamp with time zone not null,
  changed_by uuid,
  constraint stored_carriers_pkey PRIMARY KEY (id),
  constraint stored_carriers_name_key UNIQUE (name),
  constraint stored_carriers_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES people(id),
  constraint stored_carriers_channels_check CHECK ((cardinality(channels) > 0)),
  constraint stored_carriers_kind_check CHECK ((kind ~ '^[a-z0-9][a-z0-9_]*$'::text))
);

create table suppressions (
  id uuid not null,
  account_id uuid not null,
  fingerprint bytea not null,
  recipient text not null,
  reason text not null,
  soft_bounces smallint default 0 not null,
  carrier text,
  otp_id uuid,
  detail text,
  created_at timestamp with time zone not null,
  until timestamp with time zone,
  by_mail boolean default false not null,
  constraint suppressions_pkey PRIMARY KEY (account_id, id),
  constraint suppressions_fingerprint_account_id_key UNIQUE (fingerprint, account_id),
  constraint suppressions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX suppressions_hard_bounces ON public.suppressions USING btree (fingerprint, created_at) WHERE ((reason = 'hard_bounce'::text) AND (otp_id IS NOT NULL));

create table templates (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  texts jsonb not null,
  dlt_entity_id text,
  dlt_template_id text,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint templates_pkey PRIMARY KEY (id),
  constraint templates_account_id_name_key UNIQUE (account_id, name),
  constraint templates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table test_messages (
  account_id uuid not null,
  id uuid not null,
  created_at timestamp with time zone not null,
  report text,
  report_at timestamp with time zone,
  code_sealed bytea,
  constraint test_messages_pkey PRIMARY KEY (account_id, id),
  constraint test_messages_report_check CHECK ((report = ANY (ARRAY['delivered'::text, 'undelivered'::text])))
);
CREATE INDEX test_messages_by_age ON public.test_messages USING btree (created_at);
CREATE INDEX test_messages_to_report ON public.test_messages USING btree (report_at) WHERE (report IS NOT NULL);
CREATE INDEX test_messages_with_code ON public.test_messages USING btree (created_at) WHERE (code_sealed IS NOT NULL);

create unlogged table throttles (
  key bytea not null,
  used integer not null,
  until timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (key)
) with (fillfactor=50);
CREATE INDEX throttles_by_end ON public.throttles USING btree (until);

create table transaction_counts (
  account_id uuid not null,
  up_to_id uuid not null,
  counts jsonb not null,
  constraint transaction_counts_pkey PRIMARY KEY (account_id)
);

create table twilio_attempts (
  otp_id uuid not null,
  account_id uuid not null,
  service_id uuid not null,
  verification_id uuid not null,
  is_test boolean not null,
  constraint twilio_attempts_pkey PRIMARY KEY (otp_id),
  constraint twilio_attempts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint twilio_attempts_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES twilio_verifications(id) ON DELETE CASCADE
);
CREATE INDEX twilio_attempts_of_account ON public.twilio_attempts USING btree (account_id, otp_id);
CREATE INDEX twilio_attempts_of_verification ON public.twilio_attempts USING btree (verification_id);

create table twilio_bucket_counts (
  bucket_id uuid not null,
  value_hash bytea not null,
  used integer not null,
  ends_at timestamp with time zone not null,
  constraint twilio_bucket_counts_pkey PRIMARY KEY (bucket_id, value_hash),
  constraint twilio_bucket_counts_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES twilio_buckets(id) ON DELETE CASCADE
);
CREATE INDEX twilio_bucket_counts_ended ON public.twilio_bucket_counts USING btree (ends_at);

create table twilio_buckets (
  id uuid not null,
  account_id uuid not null,
  rate_limit_id uuid not null,
  most integer not null,
  interval_seconds integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint twilio_buckets_pkey PRIMARY KEY (id),
  constraint twilio_buckets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint twilio_buckets_rate_limit_id_fkey FOREIGN KEY (rate_limit_id) REFERENCES twilio_rate_limits(id) ON DELETE CASCADE,
  constraint twilio_buckets_interval_seconds_check CHECK ((interval_seconds > 0)),
  constraint twilio_buckets_most_check CHECK ((most > 0))
);
CREATE INDEX twilio_buckets_of_rate_limit ON public.twilio_buckets USING btree (rate_limit_id, id);

create table twilio_rate_limits (
  id uuid not null,
  account_id uuid not null,
  service_id uuid,
  unique_name text not null,
  description text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint twilio_rate_limits_pkey PRIMARY KEY (id),
  constraint twilio_rate_limits_service_id_unique_name_key UNIQUE (service_id, unique_name),
  constraint twilio_rate_limits_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint twilio_rate_limits_service_id_fkey FOREIGN KEY (service_id) REFERENCES twilio_services(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX twilio_rate_limits_of_account ON public.twilio_rate_limits USING btree (account_id, unique_name) WHERE (service_id IS NULL);

create table twilio_safe_list_changes (
  account_id uuid not null,
  day date not null,
  changes integer not null,
  constraint twilio_safe_list_changes_pkey PRIMARY KEY (account_id),
  constraint twilio_safe_list_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table twilio_services (
  id uuid not null,
  account_id uuid not null,
  friendly_name text not null,
  code_length smallint not null,
  settings jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  is_test boolean default false not null,
  constraint twilio_services_pkey PRIMARY KEY (id),
  constraint twilio_services_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint twilio_services_code_length_check CHECK (((code_length >= 4) AND (code_length <= 10)))
);
CREATE INDEX twilio_services_of_account ON public.twilio_services USING btree (account_id, id);

create table twilio_verifications (
  id uuid not null,
  account_id uuid not null,
  service_id uuid not null,
  recipient_hash bytea not null,
  is_test boolean not null,
  own_code boolean not null,
  created_at timestamp with time zone not null,
  approved_at timestamp with time zone,
  constraint twilio_verifications_pkey PRIMARY KEY (id),
  constraint twilio_verifications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX twilio_verifications_by_recipient ON public.twilio_verifications USING btree (recipient_hash, account_id, service_id, id);
CREATE INDEX twilio_verifications_of_account ON public.twilio_verifications USING btree (account_id, id);

create table unmatched_payments (
  intent_id text not null,
  provider text not null,
  account_id uuid not null,
  order_id uuid not null,
  amount_cents integer not null,
  currency text not null,
  reason text not null,
  found_at timestamp with time zone not null,
  run_at timestamp with time zone not null,
  tries integer default 0 not null,
  last_failure text,
  refunded_at timestamp with time zone,
  constraint unmatched_payments_pkey PRIMARY KEY (intent_id),
  constraint unmatched_payments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint unmatched_payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint unmatched_payments_amount_cents_check CHECK ((amount_cents >= 0)),
  constraint unmatched_payments_reason_check CHECK ((reason = ANY (ARRAY['second_intent'::text, 'other_amount'::text, 'other_currency'::text])))
);
CREATE INDEX unmatched_payments_by_time ON public.unmatched_payments USING btree (found_at);
CREATE INDEX unmatched_payments_refunded ON public.unmatched_payments USING btree (refunded_at) WHERE (refunded_at IS NOT NULL);
CREATE INDEX unmatched_payments_to_refund ON public.unmatched_payments USING btree (run_at) WHERE (refunded_at IS NULL);

create table unreachable_recipients (
  channel text not null,
  recipient_hash bytea not null,
  created_at timestamp with time zone not null,
  constraint unreachable_recipients_pkey PRIMARY KEY (channel, recipient_hash)
);
CREATE INDEX unreachable_recipients_created ON public.unreachable_recipients USING btree (created_at);

create table used_proofs (
  id bytea not null,
  expires_at timestamp with time zone not null,
  constraint used_proofs_pkey PRIMARY KEY (id)
);
CREATE INDEX used_proofs_by_expiry ON public.used_proofs USING btree (expires_at);

create table verifications (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  verified_at timestamp with time zone,
  cost_credits smallint not null,
  code_length smallint not null,
  segments smallint,
  channel text not null,
  recipient text not null,
  status text not null,
  code_hmac bytea,
  message text,
  subject text,
  carrier text,
  provider_message_id text,
  failure text,
  closed_by text,
  ip_address inet,
  client_ip inet,
  is_test boolean default false not null,
  country text,
  verified_ip inet,
  recipient_hash bytea,
  own_code boolean default false not null,
  outcome text,
  outcome_at timestamp with time zone,
  metadata text,
  locale text,
  language text,
  purpose text,
  max_attempts smallint,
  resend_of uuid,
  resend_ids uuid[],
  template text,
  template_version integer,
  dlt jsonb,
  plan jsonb,
  known text,
  carrier_price numeric,
  carrier_currency text,
  network text,
  read_at timestamp with time zone,
  lookup jsonb,
  sender text,
  constraint verifications_pkey PRIMARY KEY (account_id, id),
  constraint verifications_closed_by_check CHECK ((closed_by = ANY (ARRAY['canceled'::text, 'superseded'::text, 'attempts'::text]))),
  constraint verifications_outcome_check CHECK ((outcome = ANY (ARRAY['verified'::text, 'unverified'::text]))),
  constraint verifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'verified'::text, 'failed'::text, 'expired'::text])))
) partition by RANGE (id);
CREATE INDEX verifications_by_age ON ONLY public.verifications USING brin (id);
CREATE INDEX verifications_that_can_verify ON ONLY public.verifications USING btree (expires_at) WHERE (code_hmac IS NOT NULL);
CREATE TRIGGER insights_of_changed AFTER UPDATE ON public.verifications REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_insights();
CREATE TRIGGER insights_of_new AFTER INSERT ON public.verifications REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_insights();
CREATE TRIGGER verifications_are_recounted AFTER INSERT ON public.verifications REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recount_late_rows('verifications', 'routes', 'prefix_costs');
CREATE TRIGGER verifications_keep_their_count BEFORE UPDATE OF account_id, id, api_key_id, created_at, channel, country, is_test, own_code ON public.verifications FOR EACH STATEMENT EXECUTE FUNCTION refuse_recount();

create table verifications_other partition of verifications DEFAULT;

create table webhook_attempts (
  endpoint_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  message_id uuid not null,
  event_type text not null,
  otp_id uuid,
  attempt smallint not null,
  attempted_at timestamp with time zone not null,
  response_status smallint,
  duration_ms integer not null,
  succeeded boolean not null,
  error text,
  response_excerpt text,
  next_attempt_at timestamp with time zone,
  constraint webhook_attempts_pkey PRIMARY KEY (endpoint_id, id)
) partition by RANGE (id);
CREATE INDEX webhook_attempts_by_age ON ONLY public.webhook_attempts USING brin (id);
CREATE INDEX webhook_attempts_failed ON ONLY public.webhook_attempts USING btree (endpoint_id, message_id) WHERE (NOT succeeded);
CREATE INDEX webhook_attempts_of_message ON ONLY public.webhook_attempts USING btree (endpoint_id, message_id);

create table webhook_attempts_other partition of webhook_attempts DEFAULT;

create table webhook_deliveries (
  id uuid not null,
  endpoint_id uuid not null,
  account_id uuid not null,
  run_at timestamp with time zone not null,
  tries smallint default 0 not null,
  tries_before_replay smallint default 0 not null,
  worker_id uuid,
  claim uuid,
  claimed_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_threshold=5000, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);
CREATE INDEX webhook_deliveries_claimed ON public.webhook_deliveries USING btree (worker_id) WHERE (worker_id IS NOT NULL);
CREATE INDEX webhook_deliveries_ready ON public.webhook_deliveries USING btree (endpoint_id, run_at) WHERE (worker_id IS NULL);

create table webhook_endpoints (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  url text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  is_active boolean default true not null,
  disabled_reason text,
  send_on_sent boolean default true not null,
  send_on_delivered boolean default true not null,
  send_on_failed boolean default true not null,
  send_on_verified boolean default true not null,
  send_on_expired boolean default true not null,
  total_sent integer default 0 not null,
  consecutive_failures integer default 0 not null,
  last_sent_at timestamp with time zone,
  last_success_at timestamp with time zone,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  send_on_step boolean default false not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text])))
);
CREATE INDEX webhook_endpoints_of_account ON public.webhook_endpoints USING btree (account_id, id);

create table webhook_messages (
  id uuid not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  type text not null,
  otp_id uuid,
  body jsonb not null,
  created_at timestamp with time zone not null,
  constraint webhook_messages_pkey PRIMARY KEY (endpoint_id, id)
) partition by RANGE (id);
CREATE INDEX webhook_messages_by_age ON ONLY public.webhook_messages USING brin (id);

create table webhook_messages_other partition of webhook_messages DEFAULT;

create unlogged table webhook_rates (
  endpoint_id uuid not null,
  action text not null,
  since timestamp with time zone not null,
  used integer not null,
  constraint webhook_rates_pkey PRIMARY KEY (endpoint_id, action),
  constraint webhook_rates_action_check CHECK ((action = ANY (ARRAY['test'::text, 'replay'::text, 'mail'::text])))
) with (fillfactor=50);

create table welcome_numbers (
  fingerprint bytea not null,
  created_at timestamp with time zone not null,
  constraint welcome_numbers_pkey PRIMARY KEY (fingerprint)
);

create table workers (
  id uuid not null,
  name text not null,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  version text default ''::text not null,
  constraint workers_pkey PRIMARY KEY (id)
);

-- function add_owner_of_account()
-- returns trigger
-- plpgsql volatile

-- function add_person_of_account()
-- returns trigger
-- plpgsql volatile

-- function add_times(a integer[], b integer[])
-- returns integer[]
-- sql immutable parallel safe

-- function admit_accounts(ids uuid[])
-- returns TABLE(account_id uuid, asked integer, used integer)
-- sql volatile

-- function admit_requests(hashes bytea[], times integer[], known text[])
-- returns TABLE(hash bytea, asked integer, used integer, version text, caller json)
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_nestloop=off, set enable_mergejoin=off, set enable_hashjoin=on, set jit=off

-- function advance_plans(moves json)
-- returns void
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function apply_changes(changes json)
-- returns TABLE(id uuid, previous_status text, status text, refunded boolean)
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_nestloop=off, set enable_mergejoin=off, set enable_hashjoin=on, set jit=off

-- function apply_warning_settings()
-- returns trigger
-- plpgsql volatile

-- function begin_lookup(asked json)
-- returns json
-- plpgsql volatile

-- function change_person_of_account()
-- returns trigger
-- plpgsql volatile

-- function claim_deliveries(worker uuid, token uuid, wanted jsonb)
-- returns TABLE(id uuid, account_id uuid, channel text, sealed bytea, expires_at timestamp with time zone, claim uuid, carrier text, refused_by text[], uncertain smallint, tries smallint, recipient text, status text, cost_credits smallint, message text, subject text, sender_name text, reply_to_email text, default_message text, default_subject text, seconds integer, now_ms bigint)
-- sql volatile

-- function claim_messages(worker uuid, token uuid, wanted jsonb)
-- returns TABLE(id uuid, account_id uuid, channel text, sealed bytea, expires_at timestamp with time zone, claim uuid, carrier text, refused_by text[], uncertain smallint, tries smallint, recipient text, status text, cost_credits smallint, seconds integer, now_ms bigint, texts json)
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function claim_own_sms(claims json)
-- returns TABLE(name text, is_silent boolean, wait_seconds integer)
-- plpgsql volatile

-- function claim_plans(worker uuid, token uuid, most integer)
-- returns TABLE(id uuid, account_id uuid, claim uuid)
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function claim_webhook_deliveries(claimant uuid, token uuid, most integer, per_endpoint integer)
-- returns TABLE(id uuid, endpoint_id uuid, account_id uuid, tries smallint, tries_before_replay smallint, type text, otp_id uuid, body text, url text, secret bytea, previous_secret bytea)
-- plpgsql volatile set enable_seqscan=off, set enable_bitmapscan=off

-- function clock_now()
-- returns timestamp with time zone
-- sql stable parallel safe

-- function contact_of(account uuid)
-- returns uuid
-- sql stable

-- function count_failed_sign_ins(failures json)
-- returns void
-- plpgsql volatile

-- function day_of(id uuid)
-- returns date
-- sql immutable strict parallel safe

-- function delete_person_of_account()
-- returns trigger
-- plpgsql volatile

-- function end_expired(most integer)
-- returns json
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function end_plans(ids uuid[])
-- returns void
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function ensure_partitions(from_month date, months integer)
-- returns void
-- plpgsql volatile

-- function erase_audit_entries(account uuid, most integer)
-- returns integer
-- plpgsql volatile

-- function find_own_codes(items json)
-- returns json
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function find_unreachable(channels text[], hashes bytea[])
-- returns integer[]
-- plpgsql stable set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function finish_deliveries(claims json, changes json)
-- returns integer
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function fold_insights(most integer)
-- returns integer
-- sql volatile

-- function follow_members()
-- returns trigger
-- plpgsql volatile

-- function forget_auto_purchase_failures()
-- returns trigger
-- plpgsql volatile

-- function guard_order_intent()
-- returns trigger
-- plpgsql volatile

-- function hasten_plans(changes json)
-- returns void
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function idempotent_answers(items json)
-- returns json
-- sql stable

-- function iso(at timestamp with time zone)
-- returns text
-- sql stable strict parallel safe

-- function keep_idempotent_answers(answers json)
-- returns void
-- plpgsql volatile set plan_cache_mode=force_generic_plan

-- function lock_sends(items json, keyed boolean, retry boolean)
-- returns json
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function lock_verifications(ids uuid[])
-- returns void
-- plpgsql volatile

-- function lock_verifies(items json, keyed boolean)
-- returns json
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function merge_insights(before timestamp with time zone, most integer)
-- returns integer
-- sql volatile

-- function mirror_contact(account uuid)
-- returns void
-- sql volatile

-- function mirror_membership()
-- returns trigger
-- plpgsql volatile

-- function mirror_person()
-- returns trigger
-- plpgsql volatile

-- function new_uuid()
-- returns uuid
-- sql volatile parallel safe

-- function note_balance_warning()
-- returns trigger
-- plpgsql volatile

-- function note_feedback(codes json, carriers json)
-- returns integer
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function note_insights()
-- returns trigger
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_nestloop=off, set enable_mergejoin=off, set enable_hashjoin=on, set jit=off

-- function note_payment()
-- returns trigger
-- plpgsql volatile

-- function note_wrong_codes(logs json)
-- returns void
-- sql volatile

-- function record_sends(rows json, sends json, recipient_rows json, answers json)
-- returns void
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off

-- function recount_late_rows()
-- returns trigger
-- plpgsql volatile

-- function refuse_change()
-- returns trigger
-- plpgsql volatile

-- function refuse_recount()
-- returns trigger
-- plpgsql volatile

-- function remove_old_audit_entries(days integer, most integer)
-- returns integer
-- plpgsql volatile

-- function seconds_bucket(seconds double precision)
-- returns smallint
-- sql immutable parallel safe

-- function send_settings(of_account uuid)
-- returns json
-- sql stable

-- function set_person_id()
-- returns trigger
-- plpgsql volatile

-- function single_changes(changes json)
-- returns TABLE(id uuid, change jsonb)
-- sql stable

-- function sso_bars(in_account_id uuid, in_person_id uuid)
-- returns boolean
-- sql stable

-- function start_of(day date)
-- returns uuid
-- sql immutable strict parallel safe

-- function sum_protection_deltas(most integer)
-- returns integer
-- plpgsql volatile

-- function uuid_floor(at timestamp with time zone)
-- returns uuid
-- sql immutable strict parallel safe

-- function warn_below_of(account uuid, topped_up_to integer)
-- returns integer
-- sql stable

-- function wipe_codes(most integer)
-- returns integer
-- sql volatile

-- function write_sends(sends json, recipient_rows json, answers json)
-- returns void
-- sql volatile

-- function write_verifies(recipient_rows json, changes json, answers json, logs json)
-- returns void
-- plpgsql volatile set plan_cache_mode=force_generic_plan, set enable_seqscan=off, set enable_hashjoin=off, set enable_mergejoin=off
