import type { FastifyRequest } from 'fastify';
import { requestIdentity } from '../../platform/http/idempotency-key.ts';
import type { Needs } from '../../platform/platform.ts';
import { hex } from '../../platform/security/hex.ts';

export { deleteIdempotencyKeysOf, eraseRecipientFromResponses } from './erasure.ts';
export { withIdempotentResponse } from './idempotent-response.ts';
export { idempotencyRetention } from './retention.ts';

/** An `Idempotency-Key` as stored: all values in hex, the body as a keyed fingerprint that cannot reveal a code. */
export interface Idempotency {
  key: string;
  /** Under the current server key. */
  request: string;
  /** Fingerprints under the earlier server keys, for keys stored before a rotation. */
  olderRequests: readonly string[];
}

/** Throws a field error unless the header has 1 to 255 visible characters. */
export function idempotencyOf(
  app: Needs<'vault'>,
  request: FastifyRequest,
  body: unknown,
): Idempotency | null {
  const identity = requestIdentity(app, request, body);
  if (!identity) return null;
  const [current, ...older] = identity.requests;
  return { key: hex(identity.key), request: hex(current), olderRequests: older.map(hex) };
}

export const isSameRequest = (own: Idempotency, kept: string): boolean =>
  own.request === kept || own.olderRequests.includes(kept);
