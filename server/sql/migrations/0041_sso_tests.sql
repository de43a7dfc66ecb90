-- The unsaved settings of a test sign-in, with the client's secret sealed; null: a sign-in or a step-up. The callback of a test opens
-- nothing. Only its session can complete it, and no browser has a token for it, so a process of the version before cannot complete
-- it as a sign-in.
alter table sso_logins add column test jsonb;
