-- IANA time zone in which the dashboard shows times; null: the browser's
alter table accounts add column time_zone text;
