import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FieldErrors } from './failure.ts';

/** Facts about a response for the request log and the metrics. */
export interface Noted {
  /** the reason of an error */
  reason?: string | null;
  /** the status of a refusal, where the response has another in the form of the caller's system */
  status?: number;
  /** the sentences of the fields that were refused */
  fields?: Readonly<Record<string, readonly string[]>> | undefined;
  /** the request in our form, if it came in that of another system */
  given?: Readonly<Record<string, unknown>>;
  /** the rules that refused the request */
  blockedBy?: readonly string[] | undefined;
  /** the verification that the request is about */
  about?: { otp_id: string | null; recipient: string; channel: string | null } | null;
  /** the statement that made the change has already written the request log row */
  isLogged?: boolean;
}

/** A successful response of the contract, with its notes. */
export class Replied<T> {
  readonly reply: T;
  readonly noted: Noted;

  constructor(reply: T, noted: Noted) {
    this.reply = reply;
    this.noted = noted;
  }
}

/** A response whose status the handler sets. The contract's success schema does not apply to it. */
export class Decided {
  readonly status: number;
  readonly body: unknown;
  readonly noted: Noted;

  constructor(status: number, body: unknown, noted: Noted = {}) {
    this.status = status;
    this.body = body;
    this.noted = noted;
  }
}

/** What to note about a refusal. */
export const notesOf = (refusal: Failure | FieldErrors): Noted =>
  refusal instanceof Failure
    ? { reason: refusal.reason, blockedBy: refusal.facts.blocked_by }
    : { reason: 'invalid_fields', fields: refusal.fields };

/** An error (`cause`), and the notes about its request. */
export class NotedError extends Error {
  readonly noted: Noted;

  constructor(noted: Noted, cause: unknown) {
    super('The request was refused', { cause });
    this.name = 'NotedError';
    this.noted = noted;
  }
}

/** Runs a part of a request. Its refusal gets these notes, unless an inner part has given it others. */
export async function noting<T>(noted: Noted, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof NotedError ? error : new NotedError(noted, error);
  }
}

/** The error that a request ended with, and the notes that it was given. */
export const endedWith = (error: unknown): { error: unknown; noted: Noted } =>
  error instanceof NotedError ? { error: error.cause, noted: error.noted } : { error, noted: {} };

/** The only writer of `request.noted`. */
export function note(request: { noted: Noted | null }, noted: Noted | null): void {
  request.noted = noted;
}

/** A response as it is sent. */
export interface Written {
  status: number;
  type?: 'application/json' | 'text/plain';
  body?: string;
  headers?: Record<string, string>;
}

/** Sets everything of a response but its body, which it returns. */
export function write(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, type = 'application/json', body, headers }: Written,
  noted: Noted | null,
): string | undefined {
  note(request, noted);
  reply.code(status);
  if (headers) reply.headers(headers);
  if (body !== undefined) reply.type(`${type}; charset=utf-8`);
  return body;
}
