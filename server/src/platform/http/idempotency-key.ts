import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Needs } from '../platform.ts';
import { FieldErrors } from './failure.ts';

/** An `Idempotency-Key` and its request, both stored only as hashes. */
export interface RequestIdentity {
  /** SHA-256 of the key */
  key: Buffer;
  /** Keyed fingerprints of the body: with the current server key first, then with the previous ones. */
  requests: [Buffer, ...Buffer[]];
}

/**
 * `body` is the parsed body, so equivalent requests are equal. Null without the header. Throws a field error unless the key has
 * 1 to 255 visible characters.
 */
export function requestIdentity(
  app: Needs<'vault'>,
  request: Pick<FastifyRequest, 'headers'>,
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

/** Serializes a value to JSON independently of its field order. */
function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${stableJson((value as Record<string, unknown>)[name])}`)
    .join(',')}}`;
}
