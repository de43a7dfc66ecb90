import type { z } from 'zod';
import type { FailureReason } from './errors.ts';

export const API_BASE = '/api/v1';

/** Below `API_BASE`: the addresses of connections, which begin with the connection's id. */
export const CONNECTIONS_PATH = '/in/';

/**
 * The required authentication: none; a session (`Authorization: Bearer`), of a `person` or of a person as a member of an account
 * (`bearer`); an API key (`X-API-Key`); or an operator's session or key (`Authorization: Bearer`).
 */
export type Auth = 'none' | 'person' | 'bearer' | 'api_key' | 'operator';

/** Chooses the account of a `bearer` call by its id. Without it, the call is about the person's first account. */
export const ACCOUNT_HEADER = 'X-Account';

/** Whether the call needs the session of a user. */
export const needsSession = ({ auth }: { readonly auth: Auth }): boolean =>
  auth === 'person' || auth === 'bearer';

/** The scopes of a key that is created without a choice. */
export const DEFAULT_SCOPES = ['otp:send', 'otp:verify', 'otp:read'] as const;
/** The scopes of an API key. */
export const API_SCOPES = [
  ...DEFAULT_SCOPES,
  'otp:own_code',
  'events:read',
  'verify_services:write',
  'limits:write',
  'templates:write',
  'recipients:write',
] as const;
export type ApiScope = (typeof API_SCOPES)[number];

export type Tag =
  | 'otp'
  | 'auth'
  | 'account'
  | 'api-keys'
  | 'limits'
  | 'connections'
  | 'verifications'
  | 'logs'
  | 'insights'
  | 'webhooks'
  | 'templates'
  | 'protection'
  | 'payments'
  | 'operator';

/**
 * A call of the API as a value. Server, web client, docs screen and OpenAPI share it, so each path, shape and message is defined
 * once.
 */
export interface Route {
  /** unique; the OpenAPI operationId */
  readonly name: string;
  readonly tag: Tag;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * below `/api/v1`, parameters as `:name`; callers may add a trailing slash. A parameter is any text: an invalid UUID gets the
   * response of an unknown object
   */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** status of a successful response: 204 without `reply` and `stream` */
  readonly status: 200 | 201 | 204;
  readonly reply?: z.ZodType;
  /** the type of a successful response that is written piece by piece instead of as JSON */
  readonly stream?: 'text/csv' | 'text/event-stream';
  /** possible errors in addition to those of every call (401, 413, 415, 429, 500, 503) and field errors */
  readonly failures?: readonly FailureReason[];
  /** can respond with field errors although it takes neither body nor query */
  readonly fieldErrors?: true;
  /** with `auth: 'api_key'`: the scope that the key needs; with `auth: 'bearer'`: that of keys, which may make the call as well */
  readonly scope?: ApiScope;
  /** with `auth: 'operator'`: the role it needs, and the scope that lets an operator key make the call; null for sessions only */
  readonly operator?: { readonly role: 'support' | 'admin'; readonly scope: string | null };
  /**
   * With a session, the call needs a proof of identity from the last 15 minutes: always, or only for the changes that the text
   * names. Without one it fails with `step_up_required` and changes nothing.
   */
  readonly stepUp?: true | { readonly when: string };
  /**
   * changes a proof of identity of the person, or concerns another account of theirs, so an SSO session gets
   * `sso_session`
   */
  readonly ownProof?: true;
  /** the largest body, if it is larger than those of other calls */
  readonly bodyBytes?: number;
  /** supports `Idempotency-Key` */
  readonly idempotent?: true;
}

/** The first argument of `route`, such as `'PUT /webhooks/:id/'`. */
export type Endpoint = `${Route['method']} ${Route['path']}`;
/** The second argument of `route`. The status defaults to 200, or to 204 without a response. */
export type Details = Omit<Route, 'method' | 'path' | 'status'> & { readonly status?: 201 };

type Made<E extends Endpoint, D extends Details> = E extends `${infer M} ${infer P}`
  ? D & { readonly method: M; readonly path: P; readonly status: Status<D> }
  : never;
type Status<D> = D extends { status: 201 }
  ? 201
  : D extends { reply: object } | { stream: string }
    ? 200
    : 204;

export const route = <const E extends Endpoint, const D extends Details>(
  endpoint: E,
  details: D,
): Made<E, D> => {
  const [method, path] = endpoint.split(' ');
  const status = details.reply || details.stream ? 200 : 204;
  return { method, path, status, ...details } as never;
};

export const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'auth' in value;

/** The names of a path's parameters. */
export const paramsOf = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

type ParamOf<P extends string> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer After}`
    ? Name | ParamOf<After>
    : Rest
  : never;
type Params<P extends string> = [ParamOf<P>] extends [never] ? undefined : Record<ParamOf<P>, string>;

type Part = 'params' | 'query' | 'body';
type Shape<R, K extends 'query' | 'body' | 'reply'> =
  R extends Record<K, infer S extends z.ZodType> ? S : undefined;

/** The parsed input of the server's handler. */
export type Parsed<R extends Route, K extends Part> = K extends 'query' | 'body'
  ? Shape<R, K> extends z.ZodType
    ? z.output<Shape<R, K>>
    : undefined
  : Params<R['path']>;
/** The input that a client sends. */
export type Given<R extends Route, K extends Part> = K extends 'query' | 'body'
  ? Shape<R, K> extends z.ZodType
    ? z.input<Shape<R, K>>
    : undefined
  : Params<R['path']>;
/** The response that a client receives. */
export type Reply<R extends Route> =
  Shape<R, 'reply'> extends z.ZodType ? z.output<Shape<R, 'reply'>> : undefined;
