import { API_BASE } from '@sixdigit/contract/route.ts';
import { quantile } from '../harness/load.ts';

/** Requests the two big lists through the API, one after the other. */
export interface Timed {
  /** milliseconds */
  ms: number[];
  slowest: string;
}

interface Asking {
  port: number;
  bearer: () => Promise<string>;
  api_key_ids: readonly string[];
}

type Query = Record<string, string>;
type List = 'verifications' | 'logs';

const FIRST_PAGES = 1_000;
const FILTERS: Record<List, Record<string, readonly string[]>> = {
  verifications: {
    created_after: ['1', '7', '15', '30'],
    status: ['pending', 'sent', 'verified', 'failed', 'expired'],
    channel: ['sms', 'email', 'voice'],
    country: ['US', 'CA'],
    carrier: ['twilio', 'smtp'],
  },
  logs: {
    created_after: ['1', '7', '15', '30', '90'],
    status_code: ['success', 'client_error', 'server_error', '200', '201', '400', '402', '404', '429', '500'],
  },
};
const ORDERS: Record<List, readonly string[]> = {
  verifications: ['created_at', 'status'],
  logs: ['created_at', 'request_type', 'response_status_code', 'credits_used', 'response_time_ms'],
};

/** Random pages among the first thousand, with up to two random filters and a random order. */
export async function timePages(
  asking: Asking,
  list: List,
  asks: number,
  chance: () => number,
): Promise<Timed> {
  const one = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const filters = { ...FILTERS[list], api_key: asking.api_key_ids };
  return timed(asks, () => {
    const names = Object.keys(filters).toSorted(() => chance() - 0.5);
    const query: Query = {
      page: String(1 + Math.floor(chance() * FIRST_PAGES)),
      ordering: one(['', '-']) + one(ORDERS[list]),
    };
    for (const name of names.slice(0, one([0, 1, 1, 2, 2, 2])))
      query[name] = one(filters[name as keyof typeof filters] as string[]);
    return ask(asking, list, query);
  });
}

/** Searches both lists for each text, over all time: the rows with the count when it is quick, and with the exact count. */
export async function timeSearches(
  asking: Asking,
  texts: readonly string[],
): Promise<{ ms: number; exactMs: number; count: number; what: string }[]> {
  const found = [];
  for (const search of texts)
    for (const list of ['verifications', 'logs'] as const) {
      const { ms } = await ask(asking, list, { search, count: 'later' });
      const { ms: exactMs, count, what } = await ask(asking, list, { search });
      found.push({ ms, exactMs, count, what });
    }
  return found;
}

async function timed(asks: number, next: () => ReturnType<typeof ask>): Promise<Timed> {
  const all = [];
  for (let n = 0; n < asks; n++) all.push(await next());
  const slowest = all.reduce((worst, each) => (each.ms > worst.ms ? each : worst));
  return { ms: all.map(({ ms }) => ms), slowest: `${slowest.what}: ${slowest.ms.toFixed(0)} ms` };
}

async function ask({ port, bearer }: Asking, list: List, query: Query) {
  const what = `${list} ${new URLSearchParams(query)}`;
  const headers = { authorization: `Bearer ${await bearer()}` };
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${API_BASE}/${list}/?${new URLSearchParams(query)}`, {
    headers,
  });
  const body = (await answer.json()) as { count: number; results: unknown[] };
  const ms = performance.now() - began;
  if (!answer.ok) throw new Error(`${what}: ${answer.status} ${JSON.stringify(body)}`);
  return { ms, count: body.count, what };
}

export const p95 = ({ ms }: Timed): number => quantile(ms, 0.95);
