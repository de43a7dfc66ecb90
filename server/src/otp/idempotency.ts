import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Needs } from '../ground.ts';
import { FieldErrors } from '../http/failure.ts';
import { hex } from './admission.ts';

/** An `Idempotency-Key` as the database keeps it: both in hex, the body as a keyed fingerprint that cannot reveal a code. */
export interface Idempotency {
  key: string;
  request: string;
}

/** Reads the header; throws a field error where it is no text of 1 to 255 visible characters. */
export function idempotencyOf(app: Needs<'vault'>, request: FastifyRequest): Idempotency | null {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given))
    throw new FieldErrors({ 'Idempotency-Key': ['Use 1 to 255 visible ASCII characters.'] });
  return {
    key: hex(createHash('sha256').update(given).digest()),
    request: hex(app.vault.fingerprint('idempotency', stableJson(request.body ?? {}))),
  };
}

/** The same for the same fields in any order. */
function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${stableJson((value as Record<string, unknown>)[name])}`)
    .join(',')}}`;
}
