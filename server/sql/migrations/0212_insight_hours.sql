-- Days of other time zones than UTC are added up from hours. One range of this index has them side by side, where the table has each
-- on another page. Hours hardly change after they are rolled up, so the included columns cost little.
create index insight_sums_of_hours on insight_sums (account_id, country, api_key_id, channel, at)
  include (sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected,
    wrong_codes, times)
  where minutes = 60 and (country = '*' or api_key_id = '00000000-0000-0000-0000-000000000000');
