import type { Sql } from '../src/platform/db/sql.ts';

/**
 * The schema of a database as text: tables, indexes, triggers and the signatures of functions. It leaves out the monthly
 * partitions, whose number depends on the date, and objects of extensions.
 */
export async function schemaText(sql: Sql): Promise<string> {
  const parts = [
    await sql.rows<{ text: string }>(SEQUENCES),
    await sql.rows<{ text: string }>(TABLES),
    await sql.rows<{ text: string }>(FUNCTIONS),
  ];
  return `-- Written by npm run schema. The result of migrations/ and functions/, without the monthly partitions.\n\n${parts
    .flat()
    .map(({ text }) => text)
    .join('\n\n')}\n`;
}

const IS_MONTH = String.raw`~ '_\d{4}_\d{2}$'`;

const SEQUENCES = `
  select format('create sequence %I;', sequencename) as text from pg_sequences
  where schemaname = 'public' order by sequencename`;

/** One text per table: its columns, constraints, storage options, other indexes and triggers. */
const TABLES = `
  with tables as (
    select c.oid, c.relname, c.relkind, c.relpersistence, c.relispartition, c.reloptions, c.relreplident
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relname ${IS_MONTH}
  ), columns as (
    select a.attrelid, string_agg(
        format('  %s %s%s%s', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          ' default ' || pg_get_expr(d.adbin, d.adrelid), case when a.attnotnull then ' not null' end),
        E',\\n' order by a.attnum) as text
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped group by 1
  ), constraints as (
    select c.conrelid, string_agg(
        format(E',\\n  constraint %I %s', c.conname, pg_get_constraintdef(c.oid)),
        '' order by array_position('{p,u,f,c}', c.contype::text), c.conname) as text
    from pg_constraint c
    where c.contype in ('p', 'u', 'f', 'c') group by 1
  ), indexes as (
    select i.indrelid, string_agg(E'\\n' || pg_get_indexdef(i.indexrelid) || ';', '' order by i.indexrelid::regclass::text) as text
    from pg_index i
    where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
    group by 1
  ), triggers as (
    select t.tgrelid, string_agg(E'\\n' || pg_get_triggerdef(t.oid) || ';', '' order by t.tgname) as text
    from pg_trigger t where not t.tgisinternal group by 1
  )
  select case when t.relispartition
      then format('create table %I partition of %s %s', t.relname, i.inhparent::regclass,
        pg_get_expr(c.relpartbound, c.oid))
      else format(E'create %stable %I (\\n%s%s\\n)%s', case t.relpersistence when 'u' then 'unlogged ' end, t.relname,
        columns.text, constraints.text, ' partition by ' || pg_get_partkeydef(t.oid)) end
    || coalesce(' with (' || array_to_string(t.reloptions, ', ') || ')', '') || ';'
    || case t.relreplident when 'f' then format(E'\\nalter table %I replica identity full;', t.relname) else '' end
    || case when t.relispartition then '' else coalesce(indexes.text, '') end
    || case when t.relispartition then '' else coalesce(triggers.text, '') end as text
  from tables t
  join pg_class c on c.oid = t.oid
  join columns on columns.attrelid = t.oid
  left join pg_inherits i on i.inhrelid = t.oid
  left join constraints on constraints.conrelid = t.oid
  left join indexes on indexes.indrelid = t.oid
  left join triggers on triggers.tgrelid = t.oid
  order by t.relname`;

/** The name, arguments, result and attributes of each function; functions/<name>.sql has its text. */
const FUNCTIONS = `
  select format('-- function %s(%s)%s-- returns %s%s', p.proname,
      pg_get_function_arguments(p.oid), E'\\n', pg_get_function_result(p.oid),
      E'\\n-- ' || concat_ws(' ', l.lanname, case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
        case when p.proisstrict then 'strict' end, case when p.proparallel = 's' then 'parallel safe' end,
        'set ' || array_to_string(p.proconfig, ', set '))) as text
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
  order by p.proname, p.oid`;
