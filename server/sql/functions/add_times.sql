-- Adds two arrays of `insight_sums.times` element by element. Null means no times.
create or replace function add_times(a integer[], b integer[]) returns integer[]
language sql immutable parallel safe
return case when a is null then b when b is null then a else array(
  select coalesce(x, 0) + coalesce(y, 0) from unnest(a, b) with ordinality t (x, y, n) order by n) end;
