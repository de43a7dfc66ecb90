-- Each autovacuum and each analysis of a table makes every connection plan its statements on that table again, which delays the next
-- batch by 5 to 15 ms. So tables whose rows live for seconds are vacuumed after more dead rows, which their pages have room for, and are not analyzed: the
-- statements on them look rows up by key whatever the statistics say. An emptied queue keeps its pages, because giving them back locks
-- the table.
alter table deliveries set (autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
alter table webhook_deliveries set (autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
alter table insight_deltas set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
alter table key_rates set (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
alter table account_rates set (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
