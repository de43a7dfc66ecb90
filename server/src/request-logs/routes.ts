import { listRequestLogs, REQUEST_TYPES, type RequestLog } from '#contract/request-logs.ts';
import type { Parsed } from '#contract/route.ts';
import { containing, containingPhone, pageOf, windowOf } from '../db/page.ts';
import type { Needs } from '../ground.ts';
import { type Server, serve } from '../http/serve.ts';
import { isUuid } from '../random.ts';
import { countRequestLogs, selectRequestLogs } from './queries.ts';

type Query = Parsed<typeof listRequestLogs, 'query'>;

export function requestLogRoutes(server: Server, app: Needs<'db' | 'clock'>): void {
  serve(server, listRequestLogs, ({ caller, query }) => requestLogsOf(app, caller.account_id, query));
}

async function requestLogsOf(
  app: Needs<'db' | 'clock'>,
  account_id: string,
  query: Query,
): Promise<{ results: RequestLog[]; count: number }> {
  const { api_key = null, search, ordering } = query;
  if (api_key !== null && !isUuid(api_key)) return { results: [], count: 0 };
  const [status_from, status_to] = statusRange(query.status_code);
  const filter = {
    account_id,
    ...windowOf(query.created_after, app.clock.now()),
    status_from,
    status_to,
    api_key_id: api_key,
    text: containing(search),
    phone: containingPhone(search),
    types: typesNamed(search),
    // Only what can be part of one is looked for in addresses and ids: turning each row's into text takes its time.
    ip: /^[0-9a-f.:]+$/i.test(search) ? containing(search) : null,
    request_id: /^[0-9a-f-]+$/i.test(search) ? containing(search.toLowerCase()) : null,
  };
  const [results, count] = await Promise.all([
    selectRequestLogs(app.db, filter, { ordering, ...pageOf(query) }),
    countRequestLogs(app.db, filter),
  ]);
  return { results, count };
}

/** As stored, or as people say it: `send otp`. */
const typesNamed = (search: string): string[] =>
  REQUEST_TYPES.filter((type) =>
    [type, type.replace('_', ' ')].some((name) => name.includes(search.toLowerCase())),
  );

const CLASSES: Partial<Record<Query['status_code'], [number, number]>> = {
  all: [0, 999],
  success: [200, 299],
  client_error: [400, 499],
  server_error: [500, 599],
};

const statusRange = (filter: Query['status_code']): [number, number] =>
  CLASSES[filter] ?? [Number(filter), Number(filter)];
