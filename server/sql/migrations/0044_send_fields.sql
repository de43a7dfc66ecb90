-- What the caller chose for one code: what it is for, and how many attempts it allows. A resend is a send of its own that names the
-- verification it belongs to.
alter table verifications add purpose text, add max_attempts smallint, add resend_of uuid, add resend_ids uuid[];
-- A limit without a service belongs to the account: every send may name it.
alter table twilio_rate_limits alter service_id drop not null;
create unique index twilio_rate_limits_of_account on twilio_rate_limits (account_id, unique_name) where service_id is null;
