-- Mails about new receivers of an account's events are counted by day.
alter table webhook_rates
  drop constraint webhook_rates_action_check,
  add constraint webhook_rates_action_check check (action in ('test', 'replay', 'mail'));
