import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db, Sql } from './db/sql.ts';

/**
 * Prometheus metrics. Label values come from fixed sets (routes, reasons, carriers, channels), never from ids, recipients or
 * addresses, so the number of series stays small.
 */
export interface Metrics {
  answered(answer: Answered): void;
  carrierAnswered(carrier: string, channel: string, outcome: string): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
  /** an SMS of the dashboard: queued, or the limit that refused it */
  ownSms(outcome: 'accepted' | 'number' | 'account' | 'network' | 'deployment'): void;
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
  read(sql: Sql): Promise<readonly { name: string; labels?: Record<string, string>; value: number }[]>;
}

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(modules: readonly DatabaseGauges[]): Metrics {
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
  const webhooks = counter('webhook_attempts_total', 'Webhook deliveries tried.', ['outcome']);
  const ownSms = counter(
    'own_sms_total',
    'Texts of the dashboard: accepted, or the limit that refused them.',
    ['outcome'],
  );
  const database = gauge('database_up', 'Whether the database responded to this scrape.');
  const byName = new Map(
    modules
      .flatMap(({ gauges }) => gauges)
      .map(({ name, help, labelNames = [] }) => [name, gauge(name, help, [...labelNames])]),
  );
  const pool = gauge('database_connections', 'Connections of this process.', ['state']);
  collectDefaultMetrics({ register: registry });
  // prom-client names these gauges like counters. Each is the sum of a gauge labelled by type.
  for (const kind of ['resources', 'handles', 'requests'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);

  const ofSend: Record<string, Counter<'outcome'>> = { sendOtp: sends, verifyOtp: verifies };
  const success: Record<string, string> = { sendOtp: 'accepted', verifyOtp: 'verified' };

  const readDatabase = async (db: Db): Promise<void> => {
    for (const { read } of modules)
      for (const { name, labels = {}, value } of await read(db)) byName.get(name)?.set(labels, value);
  };

  return {
    answered({ route, method, status, refusal, ms }) {
      requests.inc({ route, method, status: String(status) });
      durations.observe({ route }, ms / 1000);
      ofSend[route]?.inc({
        outcome: status < 300 ? (success[route] ?? 'done') : (refusal ?? 'invalid_fields'),
      });
    },
    carrierAnswered: (carrier, channel, outcome) => carriers.inc({ carrier, channel, outcome }),
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    ownSms: (outcome) => ownSms.inc({ outcome }),
    async scrape(db) {
      for (const [state, count] of Object.entries(db.connections())) pool.set({ state }, count);
      const isUp = await readDatabase(db).then(
        () => true,
        () => false,
      );
      database.set(isUp ? 1 : 0);
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
