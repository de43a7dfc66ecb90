import { API_BASE, type Given, type Reply, type Route } from '@sixdigit/contract/route.ts';
import type { Server } from '../src/platform/http/serve.ts';

export interface Answer<R extends Route> {
  status: number;
  body: (R extends { stream: string } ? { text: string } : Reply<R>) & Record<string, unknown>;
  headers: Record<string, string>;
}

export interface CallInput<R extends Route> {
  params?: Record<string, string>;
  query?: Given<R, 'query'> | Record<string, unknown>;
  body?: Given<R, 'body'> | Record<string, unknown>;
  apiKey?: string;
  bearer?: string;
  headers?: Record<string, string>;
}

/** Calls a route of the contract through the real router. */
export async function callOn<R extends Route>(
  server: Pick<Server, 'inject'>,
  route: R,
  input: CallInput<R> = {},
): Promise<Answer<R>> {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(input.params?.[name] ?? ''),
  );
  const response = await server.inject({
    method: route.method,
    url: API_BASE + path,
    headers: {
      ...(input.apiKey ? { 'x-api-key': input.apiKey } : {}),
      ...(input.bearer ? { authorization: `Bearer ${input.bearer}` } : {}),
      ...input.headers,
    },
    ...(input.query ? { query: stringly(input.query) } : {}),
    ...(input.body === undefined ? {} : { payload: input.body as object }),
  });
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  const body = response.body === '' ? undefined : isJson ? response.json() : { text: response.body };
  return { status: response.statusCode, body, headers: response.headers as Record<string, string> };
}

const stringly = (query: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
