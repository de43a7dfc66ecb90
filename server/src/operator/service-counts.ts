import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import type { CarrierCosts, CarrierError } from '@sixdigit/contract/operator/carriers.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import type { Breakers, Carriers, Outcome } from '../messaging/carriers/carriers.ts';
import type { CarrierCost } from '../otp/otp.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { every } from '../platform/http/every.ts';
import type { Server } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { maskedNumbers } from '../platform/security/masks.ts';

interface Health {
  /** carrier/channel */
  subject: string;
  counts: {
    accepted: number;
    refused: number;
    uncertain: number;
    average_ms: number | null;
    open_breakers: number;
  };
}

/** The carriers' responses of the last ten minutes, and the breakers that are currently open in the workers. */
export const selectCarrierHealth = async (sql: Queryable): Promise<Health[]> =>
  (
    await sql.rows<{ subject: string } & Health['counts']>(
      `select s.subject,
         coalesce(sum(m.entries) filter (where m.kind = 'accepted'), 0) as accepted,
         coalesce(sum(m.entries) filter (where m.kind = 'refused'), 0) as refused,
         coalesce(sum(m.entries) filter (where m.kind = 'uncertain'), 0) as uncertain,
         round(sum(m.ms)::numeric / nullif(sum(m.entries), 0)) as average_ms,
         (select count(*) from open_breakers b where b.carrier || '/' || b.channel = s.subject
            and b.seen_at > clock_timestamp() - interval '5 seconds') as open_breakers
       from (
         select subject from activity_minutes where subject <> '' and minute > clock_now() - interval '10 minutes'
         union select carrier || '/' || channel from open_breakers
       ) s
       left join activity_minutes m on m.subject = s.subject and m.minute > clock_now() - interval '10 minutes'
       group by s.subject`,
    )
  ).map(({ subject, ...counts }) => ({ subject, counts }));

const SHOWN_ERRORS = 20;

export const selectCarrierErrors = (sql: Queryable): Promise<CarrierError[]> =>
  sql.rows<CarrierError>(
    `select id, created_at, carrier, channel, kind, reason, detail from carrier_errors order by id desc limit ${SHOWN_ERRORS}`,
  );

/** The counts of one minute. */
export interface Minute {
  at: string;
  sends: number;
  refused_sends: number;
  verified: number;
  wrong_codes: number;
  delivered: number;
  undelivered: number;
}

/** The last 60 minutes, oldest first. */
export const selectMinutes = (sql: Queryable): Promise<Minute[]> =>
  sql.rows<Minute>(
    `select at, coalesce(sum(m.entries) filter (where m.kind = 'send'), 0) as sends,
       coalesce(sum(m.entries) filter (where m.kind = 'send_refused'), 0) as refused_sends,
       coalesce(sum(m.entries) filter (where m.kind = 'verified'), 0) as verified,
       coalesce(sum(m.entries) filter (where m.kind = 'wrong_code'), 0) as wrong_codes,
       coalesce(sum(m.entries) filter (where m.kind = 'delivered'), 0) as delivered,
       coalesce(sum(m.entries) filter (where m.kind = 'undelivered'), 0) as undelivered
     from generate_series(date_trunc('minute', clock_now()) - interval '59 minutes', date_trunc('minute', clock_now()),
       interval '1 minute') as at
     left join activity_minutes m on m.minute = at and m.subject = ''
     group by at order by at`,
  );

/** The database's size now and a day ago, its connections, and its server version. */
export const selectDatabase = (
  sql: Queryable,
): Promise<{ bytes: number; bytes_a_day_ago: number | null; connections: number; postgresql: string }> =>
  sql.one(
    `select pg_database_size(current_database()) as bytes,
       (select bytes from database_sizes where day < (clock_now() at time zone 'UTC')::date order by day desc limit 1)
         as bytes_a_day_ago,
       (select count(*) from pg_stat_activity where datname = current_database()) as connections,
       split_part(current_setting('server_version'), ' ', 1) as postgresql`,
  );

/**
 * Counts what this process does, per minute, for the operators' overview. Counts are collected in memory and added to the
 * database every second; a crash loses one second of them. Nothing else depends on them.
 */
export interface Activity {
  count(kind: string, subject?: string, ms?: number): void;
  carrierAnswered(answer: { carrier: string; channel: Channel; outcome: Outcome; ms: number }): void;
  /** Shows operators a status that a carrier's record does not map, once an hour per status and process. */
  unknownStatus(report: { carrier: string; channel: Channel; status: string }): void;
  /** Adds what a message cost at its carrier to the sums per day. */
  paid(cost: CarrierCost): void;
  flush(): Promise<void>;
}

type App = Needs<'db' | 'random' | 'clock'>;

interface Count {
  kind: string;
  subject: string;
  entries: number;
  ms: number;
}

interface CarrierFailure {
  id: string;
  carrier: string;
  channel: Channel;
  kind: 'refused' | 'uncertain' | 'report';
  reason: string;
  detail: string;
}

/** Bounds memory and the number of rows while every dispatch to a carrier fails. */
const FAILURES_MOST = 20;
const HOUR_MS = 3_600_000;
const FLUSH_EVERY_MS = 1_000;
const STATUSES_MOST = 200;

export function createActivity(
  { db, random, clock }: App,
  { lookupPause }: { lookupPause: () => string | undefined },
): Activity {
  let counts = new Map<string, Count>();
  let failures: CarrierFailure[] = [];
  let costs = new Map<string, CarrierCosts>();
  const shownAtMs = new Map<string, number>();
  const process_id = random.uuid();
  let isPauseShown = false;
  const count: Activity['count'] = (kind, subject = '', ms = 0) => {
    const key = `${kind} ${subject}`;
    const one = counts.get(key) ?? { kind, subject, entries: 0, ms: 0 };
    one.entries += 1;
    one.ms += Math.round(ms);
    counts.set(key, one);
  };
  return {
    count,
    carrierAnswered({ carrier, channel, outcome, ms }) {
      count(outcome.kind, `${carrier}/${channel}`, ms);
      if (outcome.kind === 'accepted' || failures.length >= FAILURES_MOST) return;
      const { kind, reason, detail } = outcome;
      // A carrier's refusal can contain the recipient.
      const masked = maskedNumbers(detail).slice(0, 500);
      failures.push({ id: random.uuid(), carrier, channel, kind, reason, detail: masked });
    },
    unknownStatus({ carrier, channel, status }) {
      const shown = maskedNumbers(status).slice(0, 60);
      const key = `${carrier} ${shown}`;
      const nowMs = clock.now().getTime();
      if (nowMs - (shownAtMs.get(key) ?? 0) < HOUR_MS || failures.length >= FAILURES_MOST) return;
      if (shownAtMs.size >= STATUSES_MOST) shownAtMs.clear();
      shownAtMs.set(key, nowMs);
      const detail =
        shown === ''
          ? 'A delivery report has no status. It changed nothing.'
          : `A delivery report has the status “${shown}”, whose meaning is unknown. It changed nothing.`;
      failures.push({
        id: random.uuid(),
        carrier,
        channel,
        kind: 'report',
        reason: 'unknown_status',
        detail,
      });
    },
    paid({ messages, price, ...of }) {
      const key = Object.values(of).join(' ');
      const one = costs.get(key) ?? { ...of, messages: 0, price: 0 };
      costs.set(key, { ...one, messages: one.messages + messages, price: one.price + price });
    },
    async flush() {
      const [counted, failed, paid] = [counts, failures, costs];
      counts = new Map();
      failures = [];
      costs = new Map();
      if (counted.size > 0) await addCounts(db, [...counted.values()]);
      if (failed.length > 0) await insertFailures(db, failed);
      if (paid.size > 0) await addCosts(db, [...paid.values()]);
      const detail = lookupPause();
      if (detail === undefined && !isPauseShown) return;
      await showOpenBreakers(db, process_id, detail === undefined ? [] : [{ ...LOOKUP_BREAKER, detail }]);
      isPauseShown = detail !== undefined;
    },
  };
}

/** Stands for the look-up of numbers in `open_breakers`. API processes look up too. */
const LOOKUP_BREAKER = { carrier: 'look-up', channel: 'look-up' };

/** What the company did, if a process currently makes no look-ups. */
export const selectLookupPause = async (sql: Queryable): Promise<string | undefined> =>
  (
    await sql.maybe<{ detail: string }>(
      `select detail from open_breakers where channel = $1 and seen_at > clock_timestamp() - interval '5 seconds'
       order by seen_at desc limit 1`,
      [LOOKUP_BREAKER.channel],
    )
  )?.detail;

/** Counts an API's refused sends, and writes all its counts, off the request path. */
export function countActivity(
  server: Server,
  { activity, log }: Needs<'log'> & { activity: Activity },
): void {
  server.addHook('onResponse', async ({ route, routeOptions, caller, noted }, { statusCode: shown }) => {
    if ((caller as { is_test?: boolean } | undefined)?.is_test) return;
    const { name = '' } = route ?? (caller ? routeOptions.config.relayed : undefined) ?? {};
    if ((noted?.status ?? shown) >= 300 && SENDS.has(name)) activity.count('send_refused');
  });
  const flush = () =>
    activity.flush().catch((err: unknown) => log.debug({ err }, 'could not count activity'));
  every(server, FLUSH_EVERY_MS, flush, { atClose: true });
}

const SENDS = new Set<string>([sendOtp.name, resendOtp.name]);

/** Adds a worker's counts, records its open breakers, and deletes rows older than the overview shows. */
export function activityJobs(
  app: App & { activity: Activity; breakers: Breakers; carriers: Carriers },
): Job[] {
  return [
    {
      name: 'activity',
      everyMs: FLUSH_EVERY_MS,
      async run(worker) {
        await app.activity.flush();
        await showOpenBreakers(app.db, worker.id, openOf(app));
        return false;
      },
    },
    {
      name: 'activity-retention',
      everyMs: 600_000,
      async run() {
        await removeOld(app.db);
        await noteSize(app.db);
        return false;
      },
    },
  ];
}

const openOf = ({ breakers, carriers }: { breakers: Breakers; carriers: Carriers }) =>
  CHANNELS.flatMap((channel) =>
    carriers
      .forChannel(channel)
      .filter((carrier) => breakers.isOpen(carrier, channel))
      .map(({ name }) => ({ carrier: name, channel })),
  );

// ── statements ──

const addCounts = (db: App['db'], counts: readonly Count[]): Promise<number> =>
  db.run(
    `insert into activity_minutes as m (minute, kind, subject, entries, ms)
     select date_trunc('minute', clock_now()), c.kind, c.subject, c.entries, c.ms
     from json_to_recordset($1) as c (kind text, subject text, entries integer, ms bigint) order by c.kind, c.subject
     on conflict (minute, kind, subject) do update set entries = m.entries + excluded.entries, ms = m.ms + excluded.ms`,
    [JSON.stringify(counts)],
  );

const addCosts = (db: App['db'], costs: readonly CarrierCosts[]): Promise<number> =>
  db.run(
    `insert into carrier_costs as s (day, carrier, country, currency, messages, price)
     select c.day, c.carrier, c.country, c.currency, c.messages, round(c.price, 10)
     from json_to_recordset($1) as c (day date, carrier text, country text, currency text, messages integer, price numeric)
     order by c.day, c.carrier, c.country, c.currency
     on conflict (day, carrier, country, currency) do update set messages = s.messages + excluded.messages, price = s.price + excluded.price`,
    [JSON.stringify(costs)],
  );

const COSTS_MOST = 100;

/** The newest of the last 30 days. */
export const selectCarrierCosts = (sql: Queryable): Promise<CarrierCosts[]> =>
  sql.rows<CarrierCosts>(
    `select day::text, carrier, country, currency, messages, price::float8 from carrier_costs
     where day > (clock_now() at time zone 'UTC')::date - 30 and messages > 0
     order by day desc, price desc, carrier, country, currency limit ${COSTS_MOST}`,
  );

const insertFailures = (db: App['db'], failures: readonly CarrierFailure[]): Promise<number> =>
  db.run(
    `insert into carrier_errors (id, created_at, carrier, channel, kind, reason, detail)
     select f.id, clock_now(), f.carrier, f.channel, f.kind, f.reason, f.detail
     from json_to_recordset($1) as f (id uuid, carrier text, channel text, kind text, reason text, detail text)`,
    [JSON.stringify(failures)],
  );

const showOpenBreakers = (
  db: App['db'],
  process_id: string,
  open: readonly { carrier: string; channel: string; detail?: string }[],
): Promise<number> =>
  db.run(
    `with open as (
       select o.carrier, o.channel, o.detail from json_to_recordset($2) as o (carrier text, channel text, detail text)
     ), closed as (
       delete from open_breakers b where b.worker_id = $1
         and not exists (select from open o where o.carrier = b.carrier and o.channel = b.channel)
     )
     insert into open_breakers (worker_id, carrier, channel, seen_at, detail)
     select $1, carrier, channel, clock_timestamp(), detail from open
     on conflict (worker_id, carrier, channel) do update set seen_at = excluded.seen_at, detail = excluded.detail`,
    [process_id, JSON.stringify(open)],
  );

const KEPT_ERRORS = 500;

const removeOld = (db: App['db']): Promise<number> =>
  db.run(
    `with old as (delete from activity_minutes where minute < clock_now() - interval '2 days'),
       costs as (delete from carrier_costs where day < (clock_now() at time zone 'UTC')::date - 400),
       dead as (delete from open_breakers where seen_at < clock_timestamp() - interval '1 minute')
     delete from carrier_errors where id < (select id from carrier_errors order by id desc offset ${KEPT_ERRORS} limit 1)`,
  );

/** Records the database's size once a day, so that the overview can show its growth. */
const noteSize = (db: App['db']): Promise<number> =>
  db.run(
    `insert into database_sizes (day, bytes) select (clock_now() at time zone 'UTC')::date, pg_database_size(current_database())
     on conflict (day) do nothing`,
  );
