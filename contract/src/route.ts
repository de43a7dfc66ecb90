import type { z } from 'zod';
import type { FailureReason } from './errors.ts';

export const API_BASE = '/api/v1';

/** Who may call: anyone, a signed-in person (`Authorization: Bearer`), or a program (`X-API-Key`). */
export type Auth = 'none' | 'bearer' | 'api_key';
export type Tag =
  | 'otp'
  | 'auth'
  | 'account'
  | 'api-keys'
  | 'verifications'
  | 'logs'
  | 'webhooks'
  | 'payments';

/**
 * A call of the API as a value. Server, web client, docs screen and OpenAPI all read it, so a path, a shape or
 * a message is written once.
 */
export interface Route {
  /** unique; the OpenAPI operationId */
  readonly name: string;
  readonly tag: Tag;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** below `/api/v1`, parameters as `:name`; a trailing slash is optional for callers */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** of the answer that means success */
  readonly status: 200 | 201 | 204;
  /** absent with 204 */
  readonly reply?: z.ZodType;
  /** what it can be refused with, beside what every call can (401, 413, 415, 429, 500, 503) and field errors */
  readonly failures?: readonly FailureReason[];
  /** honours `Idempotency-Key` */
  readonly idempotent?: true;
}

export const route = <const R extends Route>(value: R): R => value;

type Shape<R, K extends 'params' | 'query' | 'body' | 'reply'> =
  R extends Record<K, infer S extends z.ZodType> ? S : undefined;

/** What the server's handler receives, parsed. */
export type Parsed<R extends Route, K extends 'params' | 'query' | 'body'> =
  Shape<R, K> extends z.ZodType ? z.output<Shape<R, K>> : undefined;
/** What a caller writes. */
export type Given<R extends Route, K extends 'params' | 'query' | 'body'> =
  Shape<R, K> extends z.ZodType ? z.input<Shape<R, K>> : undefined;
/** What a caller reads. */
export type Reply<R extends Route> =
  Shape<R, 'reply'> extends z.ZodType ? z.output<Shape<R, 'reply'>> : undefined;
