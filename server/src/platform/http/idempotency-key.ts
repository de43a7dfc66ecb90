import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Needs } from '../platform.ts';
import { FieldErrors } from './failure.ts';

/** An `Idempotency-Key` and the request it came with, neither of which can be read back. */
export interface RequestIdentity {
  /** SHA-256 of the key */
  key: Buffer;
  /** Keyed fingerprints of the body: the current server key's first, then those before it. */
  requests: [Buffer, ...Buffer[]];
}

/** `body` as parsed: what means the same is the same. Null without the header; throws a field error where it is no text of 1 to 255 visible characters. */
export function requestIdentity(
  app: Needs<'vault'>,
  request: FastifyRequest,
  body: unknown,
): RequestIdentity | null {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given))
    throw new FieldErrors({ 'Idempotency-Key': ['Use 1 to 255 visible ASCII characters.'] });
  const text = stableJson(body);
  const [current, ...older] = app.vault.fingerprints('idempotency', text);
  if (!current) throw new Error('A vault without a key');
  return { key: createHash('sha256').update(given).digest(), requests: [current, ...older] };
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
