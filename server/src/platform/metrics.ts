/**
 * Prometheus metrics. Label values come from fixed sets (routes, reasons, carriers, channels), never from ids, recipients or
 * addresses, so the number of series stays small.
 */

import { LOOKUP_OUTCOMES, type LookupOutcome } from '@sixdigit/contract/protection/lookups.ts';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db, Sql } from './db/sql.ts';
import type { ReadSource } from './db/standby-reads.ts';
import { commit, version } from './version.ts';

export interface Metrics {
  answered(answer: Answered): void;
  /** `ms`: how long the carrier took to respond */
  carrierAnswered(answer: { carrier: string; channel: string; outcome: string; ms: number }): void;
  /** `ms`: from the acceptance of the request until a carrier took its message, or until a carrier reported its delivery */
  messageReached(state: 'taken' | 'delivered', channel: string, ms: number): void;
  /** `ms`: until the answer or its absence, with the wait for a slot */
  lookedUp(outcome: LookupOutcome, ms: number): void;
  /** counts right codes of which a company was told, or was not in the end */
  feedbackEnded(carrier: string, outcome: 'given' | 'dropped'): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
  /** counts an SMS of the dashboard as queued, or by the limit that refused it */
  ownSms(outcome: 'accepted' | 'number' | 'account' | 'network' | 'deployment'): void;
  /** counts a read of a list, insights or an export by where it ran */
  listRead(source: ReadSource): void;
  /** This process runs a worker. */
  working(): void;
  /** Renders the metrics for a scrape, including those from the database. */
  scrape(db: Db): Promise<{ type: string; text: string }>;
}

export interface Answered {
  /** the route's name, not the requested path */
  route: string;
  method: string;
  status: number;
  /** the reason of an error */
  refusal: string | null;
  ms: number;
}

/** Gauges whose values a module reads from the database for each scrape. Names have no prefix. */
export interface DatabaseGauges {
  gauges: readonly { name: string; help: string; labelNames?: readonly string[] }[];
  read(sql: Sql): Promise<readonly Reading[]>;
}

interface Reading {
  name: string;
  labels?: Record<string, string>;
  value: number;
}

/** Shorter than Prometheus's scrape timeout. */
const DATABASE_MS = 3_000;

async function readAll(modules: readonly DatabaseGauges[], db: Db): Promise<readonly Reading[]> {
  const all: Reading[] = [];
  for (const { read } of modules) all.push(...(await read(db)));
  return all;
}

function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The database did not respond in time')), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Codes are useful for minutes. Few buckets, because each channel and carrier has all of them. */
const MESSAGE_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(modules: readonly DatabaseGauges[], databaseMs: number = DATABASE_MS): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const name = (rest: string) => `sixdigit_${rest}`;
  const counter = <L extends string>(rest: string, help: string, labelNames: L[]) =>
    new Counter({ name: name(rest), help, labelNames, registers });
  const gauge = <L extends string>(rest: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: name(rest), help, labelNames, registers });

  const requests = counter('http_requests_total', 'Responses by route and status.', [
    'route',
    'method',
    'status',
  ]);
  const durations = new Histogram({
    name: name('http_request_duration_seconds'),
    help: 'Time from request to response.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  const sends = counter('sends_total', 'Sends by outcome: accepted, or why not.', ['outcome']);
  const verifies = counter('verifies_total', 'Verifies by outcome: verified, or why not.', ['outcome']);
  const carriers = counter('carrier_outcomes_total', 'What carriers answered.', [
    'carrier',
    'channel',
    'outcome',
  ]);
  const histogram = <L extends string>(rest: string, help: string, labelNames: L[]) =>
    new Histogram({ name: name(rest), help, labelNames, buckets: MESSAGE_SECONDS, registers });
  const responses = histogram('carrier_response_seconds', 'Time in which carriers responded.', [
    'carrier',
    'channel',
  ]);
  const reached = {
    taken: histogram(
      'message_taken_seconds',
      'Time from the acceptance of a message until a carrier took it.',
      ['channel'],
    ),
    delivered: histogram(
      'message_delivered_seconds',
      'Time from the acceptance of a message until a carrier reported its delivery.',
      ['channel'],
    ),
  };
  const webhooks = counter('webhook_attempts_total', 'Webhook deliveries tried.', ['outcome']);
  const feedback = counter('feedback_total', 'Feedback about right codes, given or dropped.', [
    'carrier',
    'outcome',
  ]);
  const lookups = counter('lookups_total', 'Look-ups of numbers before a send, by outcome.', ['outcome']);
  const lookupSeconds = new Histogram({
    name: name('lookup_seconds'),
    help: 'Time that sends waited for a look-up.',
    buckets: SECONDS,
    registers,
  });
  const ownSms = counter(
    'own_sms_total',
    'Texts of the dashboard: accepted, or the limit that refused them.',
    ['outcome'],
  );
  const listReads = counter(
    'list_reads_total',
    'Reads of lists, insights and exports by where they ran, if READ_DATABASE_URL is set.',
    ['source'],
  );
  const working = gauge('working', 'Whether this process runs a worker, whose counters it has.');
  working.remove();
  // Starts these series at 0, because Prometheus does not see an increase when a series first appears with a value.
  for (const outcome of ['accepted', 'number', 'account', 'network', 'deployment'] as const)
    ownSms.inc({ outcome }, 0);
  for (const outcome of ['delivered', 'failed'] as const) webhooks.inc({ outcome }, 0);
  for (const outcome of LOOKUP_OUTCOMES) lookups.inc({ outcome }, 0);
  gauge('build_info', 'The version and the commit that this process runs; always 1.', [
    'version',
    'commit',
  ]).set({ version, commit }, 1);
  const database = gauge('database_up', 'Whether the database responded to this scrape.');
  const ofDatabase = modules.flatMap(({ gauges }) => gauges);
  const byName = new Map(
    ofDatabase.map(({ name, help, labelNames = [] }) => [name, gauge(name, help, [...labelNames])]),
  );
  const clearDatabase = () => {
    for (const { name, labelNames } of ofDatabase) {
      const one = byName.get(name);
      one?.reset();
      // Without labels, `reset` sets it to 0.
      if (!labelNames) one?.remove();
    }
  };
  const pool = gauge('database_connections', 'Connections of this process.', ['state']);
  collectDefaultMetrics({ register: registry });
  // Removed because prom-client names these gauges like counters. Each is the sum of a gauge that is labeled by type.
  for (const kind of ['resources', 'handles', 'requests'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);

  const ofSend: Record<string, Counter<'outcome'>> = { sendOtp: sends, verifyOtp: verifies };
  const success: Record<string, string> = { sendOtp: 'accepted', verifyOtp: 'verified' };

  let reading: Promise<readonly Reading[]> | undefined;
  /** Runs one read at a time, because reads of every scrape would otherwise pile up while the database hangs. */
  const readDatabase = (db: Db): Promise<readonly Reading[]> => {
    reading ??= readAll(modules, db).finally(() => {
      reading = undefined;
    });
    return inTime(reading, databaseMs);
  };

  return {
    answered({ route, method, status, refusal, ms }) {
      requests.inc({ route, method, status: String(status) });
      durations.observe({ route }, ms / 1000);
      ofSend[route]?.inc({
        outcome: status < 300 ? (success[route] ?? 'done') : (refusal ?? 'invalid_fields'),
      });
    },
    carrierAnswered({ carrier, channel, outcome, ms }) {
      carriers.inc({ carrier, channel, outcome });
      responses.observe({ carrier, channel }, ms / 1000);
    },
    messageReached: (state, channel, ms) => reached[state].observe({ channel }, Math.max(0, ms) / 1000),
    listRead: (source) => listReads.inc({ source }),
    lookedUp(outcome, ms) {
      lookups.inc({ outcome });
      lookupSeconds.observe(ms / 1000);
    },
    feedbackEnded: (carrier, outcome) => feedback.inc({ carrier, outcome }),
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    ownSms: (outcome) => ownSms.inc({ outcome }),
    working: () => working.set(1),
    async scrape(db) {
      for (const [state, count] of Object.entries(db.connections())) pool.set({ state }, count);
      const readings = await readDatabase(db).catch(() => undefined);
      clearDatabase();
      for (const { name, labels = {}, value } of readings ?? []) byName.get(name)?.set(labels, value);
      database.set(readings ? 1 : 0);
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
