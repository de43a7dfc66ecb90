import type { FailureFacts } from '@sixdigit/contract/errors.ts';
import type { Given, Reply, Route } from '@sixdigit/contract/route.ts';
import { tabAccount } from './account.ts';
import { noteResponse, noteUnreachable } from './connection.ts';
import { deployment } from './deployment.ts';
import { earlyResponse } from './early.ts';
import { within } from './waiting.ts';

type Part<R extends Route, K extends 'params' | 'query' | 'body'> =
  undefined extends Given<R, K>
    ? { [P in K]?: undefined }
    : Record<never, never> extends Given<R, K>
      ? { [P in K]?: Given<R, K> }
      : { [P in K]: Given<R, K> };

/** Exactly the request parts that the route declares. */
export type Request<R extends Route> = Part<R, 'params'> &
  Part<R, 'query'> &
  Part<R, 'body'> & { idempotencyKey?: string; signal?: AbortSignal };

/** A failed call. `status` is 0 if no response arrived. */
export class ApiError extends Error {
  readonly status: number;
  /** the server's sentence, if it sent one */
  readonly error: string | undefined;
  readonly reason: string | undefined;
  /** sentences by body field */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly facts: FailureFacts;
  readonly requestId: string | undefined;

  constructor(status: number, body: unknown, requestId?: string) {
    const facts = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const error = typeof facts.error === 'string' ? facts.error : undefined;
    super(
      error ?? (status === 0 ? 'The service could not be reached' : `The service responded with ${status}`),
    );
    this.name = 'ApiError';
    this.status = status;
    this.error = error;
    this.reason = typeof facts.reason === 'string' ? facts.reason : undefined;
    this.fields = Object.fromEntries(
      Object.entries(facts).filter((entry): entry is [string, string[]] => Array.isArray(entry[1])),
    );
    this.facts = facts;
    this.requestId = requestId;
  }
}

const withParams = (path: string, params: Record<string, string> | undefined): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));

function withQuery(query: Record<string, unknown> | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** The service ends a customer's read after seconds. A change waits for the card provider, and the doctor takes up to 25 s. */
const mostMsOf = ({ method, auth }: Route): number =>
  method === 'GET' && auth !== 'operator' ? 20_000 : 30_000;

const LATE = {
  reason: 'timeout',
  error: 'The service did not respond in time. Check your connection, then try again.',
};

/** Sends one request without retries, and waits at most `mostMs` for its whole response. Throws `ApiError`. */
export const exchange = <R extends Route>(
  route: R,
  request: Request<R>,
  accessToken?: string,
  mostMs = mostMsOf(route),
): Promise<Reply<R>> =>
  reached(mostMs, request.signal, async (signal) => {
    const answer = await responseTo(route, { ...request, signal }, accessToken);
    return parse(await answer.text()) as Reply<R>;
  });

/** The successful response to one request, with its body unread. Throws `ApiError`. */
export const answerTo = <R extends Route>(
  route: R,
  request: Request<R>,
  accessToken?: string,
): Promise<Response> =>
  reached(mostMsOf(route), request.signal, (signal) =>
    responseTo(route, { ...request, signal }, accessToken),
  );

/** A response that does not arrive, or not in time, is an `ApiError` of status 0, unless the caller ended the call. */
async function reached<T>(
  mostMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await within(mostMs, work, outer);
  } catch (cause) {
    if (outer?.aborted || cause instanceof ApiError) throw cause;
    noteUnreachable();
    throw new ApiError(0, (cause as Error).name === 'TimeoutError' ? LATE : undefined);
  }
}

async function responseTo<R extends Route>(
  route: R,
  request: Request<R>,
  accessToken?: string,
): Promise<Response> {
  const { params, query, body, idempotencyKey, signal } = request as {
    params?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
    idempotencyKey?: string;
    signal?: AbortSignal;
  };
  const accept = route.stream ? `${route.stream}, application/json` : 'application/json';
  const headers: Record<string, string> = { accept };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (accessToken) headers.authorization = `Bearer ${accessToken}`;
  const account = route.auth === 'bearer' ? tabAccount() : undefined;
  if (account) headers['x-account'] = account.id;
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;

  const url = `${deployment().api_url}${withParams(route.path, params)}${withQuery(query)}`;
  const early = route.method === 'GET' && !account ? earlyResponse(url, accessToken) : undefined;
  const answer = await (early ??
    fetch(url, {
      method: route.method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }));
  noteResponse(answer.status);
  if (answer.ok) return answer;
  const requestId = answer.headers.get('x-request-id') ?? undefined;
  throw new ApiError(answer.status, parse(await answer.text()), requestId);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
