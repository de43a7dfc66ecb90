import { DEFAULTS, type Rule } from '@sixdigit/contract/protection/protection.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { getUnverifiedCosts, UnverifiedCosts } from '@sixdigit/contract/unverified-costs.ts';
import { countNextDay, uncountedFrom } from '../../platform/db/count-days.ts';
import type { Sql, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';

/**
 * The credits spent on codes that were never verified, by country and prefix. A job counts each day once; the days after these
 * are read row by row, up to a limit.
 */
const LIST = 'prefix_costs';
/** Days with stored counts, more than the longest period. */
export const COST_DAYS = 92;
/** Prefixes of an account's day with their own row. */
const PREFIXES_A_DAY = 200;
/** Rows of the uncounted days that one call reads. */
const RECENT_MOST = 50_000;
const SHOWN_MOST = 20;

const PREFIX = `case when v.recipient like '+%' then left(v.recipient, -4) else '' end`;
/** Canceled and superseded sends are neither verified nor unverified. */
const UNVERIFIED = `(v.cost_credits > 0 and v.sent_at is not null and coalesce(v.closed_by, '') not in ('canceled', 'superseded')
  and (v.status in ('failed', 'expired') or v.status = 'sent' and v.expires_at <= clock_now()))`;
const SUMS = `count(*) filter (where v.status = 'verified') as verified, count(*) filter (where ${UNVERIFIED}) as unverified,
  coalesce(sum(v.cost_credits) filter (where v.status = 'verified' or ${UNVERIFIED}), 0) as spent,
  coalesce(sum(v.cost_credits) filter (where ${UNVERIFIED}), 0) as credits`;

export async function unverifiedCostsOf(
  { db }: { db: Sql },
  account_id: string,
  { days }: Parsed<typeof getUnverifiedCosts, 'query'>,
): Promise<UnverifiedCosts> {
  const { by_country, by_prefix, ...totals } = await selectCosts(db, account_id, Number(days));
  return {
    ...totals,
    by_country: by_country.map((row) => ({ ...costOf(row), rule: ruleOfCountry(row) })),
    by_prefix: by_prefix.map(({ prefix, ...row }) => ({ ...costOf(row), prefix, rule: ruleOfPrefix(row) })),
  };
}

/** Below this share of verified codes, a rule can tell an attack from ordinary losses. */
const FEW_VERIFIED = 0.5;

const shareOf = ({ verified, unverified }: Row): number => verified / Math.max(1, verified + unverified);

function ruleOfCountry(row: Row): Rule | null {
  if (row.country === '' || shareOf(row) >= FEW_VERIFIED) return null;
  return row.verified === 0 ? 'country' : 'country_unverified';
}

function ruleOfPrefix(row: Row): Rule | null {
  if (row.country === '' || shareOf(row) >= FEW_VERIFIED) return null;
  const { limit, percent } = DEFAULTS.prefix_conversion;
  const isClear = row.verified + row.unverified >= limit && shareOf(row) < percent / 100;
  return isClear ? 'prefix_conversion' : 'country_unverified';
}

const costOf = ({ country, ...row }: Row) => ({ ...row, country: country || null });

interface Row {
  /** empty for e-mail */
  country: string;
  verified: number;
  unverified: number;
  credits: number;
}

/** Counts the next day of all accounts. Returns true if more may be due. */
export const countNextCosts = (app: Needs<'db'>): Promise<boolean> =>
  countNextDay(app, { list: LIST, after: 'routes', days: COST_DAYS }, insertCosts);

async function insertCosts(tx: Tx, day: string): Promise<void> {
  // A late row drops the counts from its day on.
  await tx.run('delete from prefix_costs where day >= $1::date', [day]);
  await tx.run(
    `insert into prefix_costs (account_id, day, country, prefix, verified, unverified, spent, credits)
     select account_id, $1::date, country, case when place <= ${PREFIXES_A_DAY} then prefix else '' end,
       sum(verified), sum(unverified), sum(spent), sum(credits)
     from (
       select s.*, row_number() over (partition by account_id order by credits desc, prefix) as place from (
         select v.account_id, coalesce(v.country, '') as country, ${PREFIX} as prefix, ${SUMS} from verifications v
         where v.id >= start_of($1::date) and v.id < start_of($1::date + 1) and not v.is_test and not v.own_code
         group by 1, 2, 3) s
       where s.verified > 0 or s.unverified > 0) placed
     group by 1, 3, 4`,
    [day],
  );
}

/** One statement, so that a day that is counted meanwhile is counted exactly once. */
const selectCosts = (
  sql: Sql,
  account_id: string,
  days: number,
): Promise<
  Pick<UnverifiedCosts, 'from' | 'to' | 'spent' | 'unverified' | 'credits'> & {
    by_country: Row[];
    by_prefix: (Row & { prefix: string })[];
  }
> =>
  sql.one(
    `with period as materialized (
       select from_day, greatest(from_day, ${uncountedFrom(LIST)}) as recent_day from (
         select (clock_now() at time zone 'UTC')::date - ($2::integer - 1) as from_day) f
     ), recent as materialized (
       select v.* from verifications v
       where v.account_id = $1 and v.id >= start_of((select recent_day from period)) order by v.id limit ${RECENT_MOST}
     ), sums as materialized (
       select country, prefix, sum(verified) as verified, sum(unverified) as unverified, sum(spent) as spent,
         sum(credits) as credits
       from (
         select c.country, c.prefix, c.verified, c.unverified, c.spent, c.credits from period p join prefix_costs c
           on c.account_id = $1 and c.day >= p.from_day and c.day < p.recent_day
         union all
         select coalesce(v.country, ''), ${PREFIX}, ${SUMS} from recent v where not v.is_test and not v.own_code group by 1, 2) s
       group by 1, 2
     ), countries as (
       select country, sum(verified) as verified, sum(unverified) as unverified, sum(credits) as credits from sums
       group by 1 having sum(unverified) > 0 order by sum(credits) desc, country limit ${SHOWN_MOST}
     ), prefixes as (
       select country, prefix, verified, unverified, credits from sums where unverified > 0 and prefix <> ''
       order by credits desc, prefix limit ${SHOWN_MOST}
     )
     select iso((select from_day from period)::timestamp at time zone 'UTC') as from,
       iso(coalesce((select max(created_at) from recent having count(*) = ${RECENT_MOST}), clock_now())) as to,
       (select coalesce(sum(spent), 0)::integer from sums) as spent,
       (select coalesce(sum(unverified), 0)::integer from sums) as unverified,
       (select coalesce(sum(credits), 0)::integer from sums) as credits,
       coalesce((select json_agg(c order by c.credits desc, c.country) from countries c), '[]') as by_country,
       coalesce((select json_agg(p order by p.credits desc, p.prefix) from prefixes p), '[]') as by_prefix`,
    [account_id, days],
  );
