-- The bucket of a duration in seconds: the number of upper bounds that it has reached. TIME_BOUNDS in contract/src/insights.ts has
-- the same bounds.
create or replace function seconds_bucket(seconds double precision) returns smallint
language sql immutable parallel safe
return width_bucket(seconds, array[1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 180, 240, 300, 450, 600, 900, 1800]::double precision[])::smallint;
