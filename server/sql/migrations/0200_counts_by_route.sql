-- Lists of verifications can be filtered by channel, country and carrier. The list `routes` counts the days of verifications by these
-- too; it is a list of its own because its rows are many, and most pages of the list do not need them. The lists `all_…` have the same
-- counts over all keys, which are far fewer rows for lists without a filter by key.
alter table daily_counts
  drop constraint daily_counts_list_check,
  drop constraint daily_counts_pkey,
  add column channel text not null default '',
  add column country text not null default '',
  add column carrier text not null default '',
  add constraint daily_counts_list_check check (list in ('verifications', 'routes', 'requests', 'all_verifications', 'all_routes', 'all_requests')),
  add primary key (account_id, list, day, api_key_id, outcome, request_type, credits, channel, country, carrier);
