import { API_BASE, type Route } from '#contract/route.ts';
import type { Answer, Said } from './call.ts';

/** One call over the network. */
export interface Exchange {
  route: Route;
  said: Said<Route>;
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A client that uses real sockets and records every exchange. */
export interface Wire {
  readonly exchanges: readonly Exchange[];
  call<R extends Route>(route: R, said?: Said<R>): Promise<Answer<R>>;
}

export function wire(origin: string): Wire {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async call(route, said = {}) {
      const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(said.params?.[name] ?? ''),
      );
      const query = new URLSearchParams(
        Object.entries(said.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const response = await fetch(`${origin}${API_BASE}${path}${query.size > 0 ? `?${query}` : ''}`, {
        method: route.method,
        headers: {
          ...(said.apiKey ? { 'x-api-key': said.apiKey } : {}),
          ...(said.bearer ? { authorization: `Bearer ${said.bearer}` } : {}),
          ...(said.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...said.headers,
        },
        ...(said.body === undefined ? {} : { body: JSON.stringify(said.body) }),
      });
      const text = await response.text();
      const headers = Object.fromEntries(response.headers);
      exchanges.push({ route, said: said as Said<Route>, status: response.status, headers, text });
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers };
    },
  };
}
