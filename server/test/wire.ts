import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import type { Answer, CallInput } from './call.ts';

/** One call over the network. */
export interface Exchange {
  route: Route;
  input: CallInput<Route>;
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A client that uses real sockets and records every exchange. */
export interface Wire {
  readonly exchanges: readonly Exchange[];
  call<R extends Route>(route: R, input?: CallInput<R>): Promise<Answer<R>>;
}

export function wire(origin: string): Wire {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async call(route, input = {}) {
      const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(input.params?.[name] ?? ''),
      );
      const query = new URLSearchParams(
        Object.entries(input.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const response = await fetch(`${origin}${API_BASE}${path}${query.size > 0 ? `?${query}` : ''}`, {
        method: route.method,
        headers: {
          ...(input.apiKey ? { 'x-api-key': input.apiKey } : {}),
          ...(input.bearer ? { authorization: `Bearer ${input.bearer}` } : {}),
          ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...input.headers,
        },
        ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      });
      const text = await response.text();
      const headers = Object.fromEntries(response.headers);
      exchanges.push({ route, input: input as CallInput<Route>, status: response.status, headers, text });
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers };
    },
  };
}
