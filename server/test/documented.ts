import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { expect } from 'vitest';
import { sentenceOf } from '../src/platform/http/failure.ts';

export interface Answered {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
}

/** Asserts that a response is documented by the contract: never a 500, the declared shape, a request id. */
export function expectDocumented(answer: Answered, { auth }: Pick<Route, 'auth'> = { auth: 'bearer' }): void {
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.statusCode).not.toBe(500);
  if (answer.statusCode < 400) return;
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  const { error, reason, ...others } = body;
  // A refused field can have this name.
  const rest = Array.isArray(reason) ? { reason, ...others } : others;
  if (typeof reason === 'string') {
    expect(Object.keys(failures)).toContain(reason);
    const known = reason as FailureReason;
    expect(answer.statusCode).toBe(failures[known].status);
    // The message for a declined card comes from the card provider.
    if (reason !== 'card_declined')
      expect(error).toBe(sentenceOf(known, body.retry_after as number | undefined));
  } else {
    expect(answer.statusCode).toBe(400);
    expect(Object.keys(rest).length).toBeGreaterThan(0);
    for (const sentences of Object.values(rest)) {
      expect(sentences).toSatisfy(Array.isArray);
      for (const sentence of sentences as unknown[]) expect(sentence).toMatch(/^[A-Z][^\0]{2,200}$/);
    }
    if (auth === 'api_key') expect(error).toBeUndefined();
    else expect(Object.values(rest).flat()).toContain(error);
  }
  if (answer.statusCode === 429 || answer.statusCode === 503)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}
