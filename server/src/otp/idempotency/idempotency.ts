import type { FastifyReply, FastifyRequest } from 'fastify';
import { deleteRowsOf, ERASED, type RecipientForms } from '../../platform/db/erasure.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type RequestIdentity, requestIdentity } from '../../platform/http/idempotency-key.ts';
import type { Needs } from '../../platform/platform.ts';
import { hex } from '../../platform/security/vault.ts';

/** A repeated key gets its stored response for 24 hours. */
export const idempotencyRetention: RetentionRules = {
  rows: [{ table: 'idempotency_keys', where: `created_at < clock_now() - interval '24 hours'` }],
};

export const eraseRecipientFromResponses = (sql: Sql, { recipient }: RecipientForms): Promise<number> =>
  sql.run(
    `update idempotency_keys set response = jsonb_set(response::jsonb, '{recipient}', to_jsonb($2::text))::json
     where response ->> 'recipient' = $1`,
    [recipient, ERASED],
  );

/** Deletes up to `most` keys of a deleted account. Returns the number of deleted rows. */
export const deleteIdempotencyKeysOf = (
  sql: Sql,
  limit: { account_id: string; most: number },
): Promise<number> => deleteRowsOf(sql, { table: 'idempotency_keys', key: 'key' }, limit);

interface Asked extends RequestIdentity {
  account_id: string;
  /** path of the call */
  endpoint: string;
}

/**
 * For 24 hours, a request with the same Idempotency-Key gets the same response. Successful responses are stored sealed, because
 * they contain a client secret. Refusals are not stored, so that the client can retry.
 */
export async function withIdempotentResponse<T>(
  app: Needs<'db' | 'vault'>,
  asked: Asked,
  reply: FastifyReply,
  answer: () => Promise<T>,
): Promise<T> {
  const context = `answer:${asked.account_id}:${asked.endpoint}:${asked.key.toString('hex')}`;
  if (!(await begin(app.db, asked))) {
    const earlier = await findAnswer(app.db, asked);
    if (!earlier) throw new Failure('idempotency_key_in_flight', { retry_after: 1 });
    if (!asked.requests.some((one) => one.equals(earlier.request)))
      throw new Failure('idempotency_key_reused');
    if (earlier.response === null) throw new Failure('idempotency_key_in_flight', { retry_after: 1 });
    reply.header('Idempotent-Replayed', 'true');
    return JSON.parse(app.vault.open(Buffer.from(earlier.response.sealed, 'base64'), context)) as T;
  }
  try {
    const result = await answer();
    const sealed = app.vault.seal(JSON.stringify(result), context).toString('base64');
    await keep(app.db, asked, JSON.stringify({ sealed }));
    return result;
  } catch (error) {
    await release(app.db, asked);
    throw error;
  }
}

const SAME = 'account_id = $1 and endpoint = $2 and key = $3';
const identity = ({ account_id, endpoint, key }: Asked) => [account_id, endpoint, key];

/** Returns true if this request must run: the key is new, older than a day, or claimed by a crashed process. */
const begin = async (sql: Sql, asked: Asked): Promise<boolean> =>
  (await sql.run(
    `insert into idempotency_keys as k (account_id, endpoint, key, request, created_at)
     values ($1, $2, $3, $4, clock_now())
     on conflict (account_id, endpoint, key) do update
       set request = excluded.request, status = null, response = null, created_at = excluded.created_at
     where k.created_at <= clock_now() - interval '24 hours'
       or (k.status is null and k.created_at <= clock_now() - interval '2 minutes' and k.request = any ($5))`,
    [...identity(asked), asked.requests[0], asked.requests],
  )) === 1;

const findAnswer = (
  sql: Sql,
  asked: Asked,
): Promise<{ request: Buffer; response: { sealed: string } | null } | undefined> =>
  sql.maybe(`select request, response from idempotency_keys where ${SAME}`, identity(asked));

const keep = (sql: Sql, asked: Asked, response: string): Promise<number> =>
  sql.run(`update idempotency_keys set status = 200, response = $4 where ${SAME}`, [
    ...identity(asked),
    response,
  ]);

const release = (sql: Sql, asked: Asked): Promise<number> =>
  sql.run(`delete from idempotency_keys where ${SAME} and status is null`, identity(asked));

/**
 * An `Idempotency-Key` as stored. All values are in hex. The body is stored as a keyed fingerprint, which cannot reveal a code.
 */
export interface Idempotency {
  key: string;
  /** The body's fingerprint under the current server key. */
  request: string;
  /** Fingerprints under the earlier server keys, for keys stored before a rotation. */
  olderRequests: readonly string[];
}

/** Throws a field error unless the header has 1 to 255 visible characters. */
export function idempotencyOf(
  app: Needs<'vault'>,
  request: Pick<FastifyRequest, 'headers'>,
  body: unknown,
): Idempotency | null {
  const identity = requestIdentity(app, request, body);
  if (!identity) return null;
  const [current, ...older] = identity.requests;
  return { key: hex(identity.key), request: hex(current), olderRequests: older.map(hex) };
}

export const isSameRequest = (own: Idempotency, kept: string): boolean =>
  own.request === kept || own.olderRequests.includes(kept);
