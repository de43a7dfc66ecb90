-- Creates the missing monthly partitions. Rows outside these months go to the default partitions.
--
-- from_month  any day of the first month
-- months      the number of months
-- locks       the partitioned tables, exclusively, if a partition is missing
create or replace function ensure_partitions(from_month date, months integer) returns void
language plpgsql volatile
as $$
declare
  parent text;
  month date;
begin
  foreach parent in array array['verifications', 'status_history', 'request_logs', 'webhook_messages', 'webhook_attempts'] loop
    for n in 0 .. months - 1 loop
      month := (date_trunc('month', from_month) + make_interval(months => n))::date;
      if to_regclass(format('%I', parent || '_' || to_char(month, 'YYYY_MM'))) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          parent || '_' || to_char(month, 'YYYY_MM'), parent,
          uuid_floor(month::timestamp at time zone 'UTC'),
          uuid_floor((month + interval '1 month')::timestamp at time zone 'UTC'));
        -- Partitions do not inherit this.
        if (select c.relreplident = 'f' from pg_class c where c.oid = to_regclass(parent)) then
          execute format('alter table %I replica identity full', parent || '_' || to_char(month, 'YYYY_MM'));
        end if;
      end if;
    end loop;
  end loop;
end
$$;
