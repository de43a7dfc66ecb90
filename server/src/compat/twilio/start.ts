import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { relaySend } from '../../otp/otp.ts';
import { lockKey } from '../../platform/db/advisory-locks.ts';
import { hashesOf } from '../../platform/db/removed-recipients.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { endedWith, noting, Replied } from '../../platform/http/answer.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { invalid, TwilioError } from './errors.ts';
import { type Wanted, wantedFrom } from './request.ts';
import type { TwilioApp, TwilioCall } from './serve.ts';
import type { ServiceRow } from './service-queries.ts';
import { isApproved, isOpen, scopeOf, type Verification, withSends } from './verification.ts';
import {
  deleteAttempt,
  findVerification,
  findVerificationOf,
  findVerificationWith,
  insertAttempt,
  insertVerification,
  LASTS_SECONDS,
  moveAttempt,
  type Scope,
  SENDS_MAX,
  type VerificationRow,
} from './verification-queries.ts';

/** The place of a send in its verification, taken before the send. */
interface Place {
  verification: VerificationRow;
  otp_id: string;
}

interface Asked {
  scope: Scope;
  wanted: Wanted;
  hashes: readonly Buffer[];
}

interface Placed extends Asked {
  service: ServiceRow;
  place: Place;
}

/**
 * Sends a code with the engine of `POST /otp/send/`. While a verification of the recipient is open, the send belongs to it and
 * carries its code; each message has its price. The place in the verification is written first, with the id of the send, so that no
 * message goes out without one. A refused send gives its place back.
 */
export async function startVerification(
  app: TwilioApp,
  call: TwilioCall,
  service: ServiceRow,
): Promise<Replied<Verification>> {
  const scope = scopeOf(call, service);
  const wanted = wantedFrom(app, service, call.fields);
  const { recipient } = wanted;
  const asked = { scope, service, wanted, hashes: hashesOf(app.vault, recipient) };
  return noting({ about: { otp_id: null, recipient, channel: wanted.body.channel } }, async () => {
    const place = await app.db.transaction((tx) => takePlace(tx, app, asked));
    const { reply, noted } = await sendAt(app, call, { ...asked, place }).catch(async (error: unknown) => {
      // If the database went away, the send may have been committed.
      if (isRefusal(endedWith(error).error)) await leave(app, asked, place);
      throw error;
    });
    return noting(
      noted,
      async () => new Replied(await sentAs(app, call, { ...asked, place }, reply.otp_id), noted),
    );
  });
}

/** The verification of a send. It is an earlier one if the engine repeated an earlier response. */
async function sentAs(
  app: TwilioApp,
  call: TwilioCall,
  { service, place, ...asked }: Placed,
  otp_id: string,
): Promise<Verification> {
  if (otp_id === place.otp_id) return settled(app, asked, place);
  // The response to an earlier request: the same `Idempotency-Key`, or the same code of the caller.
  await leave(app, asked, place);
  const earlier = await withSends(app.db, await findVerificationWith(app.db, asked.scope, otp_id));
  if (earlier && (isOpen(earlier) || keyOf(call, service) !== null)) return earlier;
  throw new TwilioError([400, 60200], 'This code was sent before, in a verification that is over', {
    reason: 'code_repeated',
  });
}

const isRefusal = (error: unknown): boolean =>
  error instanceof FieldErrors || (error instanceof Failure && error.status < 500);

const lockRecipientOf = (tx: Tx, { scope, wanted }: Asked): Promise<number> =>
  lockKey(tx, 'twilio', `recipient ${scope.account_id} ${scope.service_id} ${wanted.recipient}`);

async function takePlace(tx: Tx, app: TwilioApp, asked: Asked): Promise<Place> {
  const { scope, wanted, hashes } = asked;
  await lockRecipientOf(tx, asked);
  const own_code = wanted.body.code !== undefined;
  const newest = await findVerificationOf(tx, scope, hashes, own_code);
  const isJoined = newest !== undefined && (await accepts(tx, newest));
  if (isJoined && newest.otp_ids.length >= SENDS_MAX)
    throw new Failure('recipient_rate_limited', { retry_after: secondsLeft(newest, app.clock.now()) });
  const [recipient_hash] = hashes as [Buffer];
  const verification = isJoined
    ? newest
    : await insertVerification(tx, scope, { id: app.random.uuid(), recipient_hash, own_code });
  const otp_id = app.random.uuid();
  await insertAttempt(tx, verification, otp_id);
  return { verification, otp_id };
}

/** Whether a send belongs to this verification: until it ends, or while its first send is being decided. */
async function accepts(tx: Tx, row: VerificationRow): Promise<boolean> {
  const verification = await withSends(tx, row);
  return verification ? isOpen(verification) : !row.is_over;
}

const secondsLeft = ({ created_at }: VerificationRow, now: Date): number =>
  Math.max(1, Math.ceil((Date.parse(created_at) - now.getTime()) / 1000) + LASTS_SECONDS);

const SHORTEST_SECONDS = 60;

/**
 * The key's account with the settings of the service. All messages of a verification expire together, and this is no part of the
 * request, or a repeated `Idempotency-Key` would name another one.
 */
const programOf = (caller: ApiCaller, { code_length }: ServiceRow, seconds: number): ApiCaller => ({
  ...caller,
  default_otp_length: code_length,
  default_expiry_seconds: Math.min(LASTS_SECONDS, Math.max(SHORTEST_SECONDS, seconds)),
});

const KEY_MAX = 200;

/** The caller's `Idempotency-Key`, for this service alone. */
function keyOf({ request }: TwilioCall, { id }: ServiceRow): string | null {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return null;
  if (key.length > KEY_MAX) throw invalid('Idempotency-Key', `must have at most ${KEY_MAX} characters`);
  return `twilio:${id}:${key}`;
}

async function sendAt(
  app: TwilioApp,
  call: TwilioCall,
  { service, place, wanted }: Placed,
): ReturnType<typeof relaySend> {
  const { caller, request, reply } = call;
  const { verification, otp_id } = place;
  const seconds = secondsLeft(verification, app.clock.now());
  return relaySend(app, programOf(caller, service, seconds), {
    request,
    reply,
    read: () => wanted.body,
    noted: {},
    inbound: {
      log_id: request.id,
      message_id: keyOf(call, service),
      otp_id,
      limits_of: service.id,
    },
  });
}

/** Gives a place back that no send took. */
const leave = (app: TwilioApp, asked: Asked, { verification, otp_id }: Place): Promise<void> =>
  app.db.transaction(async (tx) => {
    await lockRecipientOf(tx, asked);
    await deleteAttempt(tx, verification.id, otp_id);
  });

/** The verification of a send. If another one was approved during the send, which has a fresh code then, it begins a new one. */
async function settled(
  app: TwilioApp,
  asked: Asked,
  { verification: { id }, otp_id }: Place,
): Promise<Verification> {
  const { scope, wanted, hashes } = asked;
  const verification = await found(app, scope, id);
  if (verification.sends.length === 1 || !isApproved(verification)) return verification;
  const [recipient_hash] = hashes as [Buffer];
  const moved = await app.db.transaction(async (tx) => {
    await lockRecipientOf(tx, asked);
    const own_code = wanted.body.code !== undefined;
    const row = await insertVerification(tx, scope, { id: app.random.uuid(), recipient_hash, own_code });
    await moveAttempt(tx, otp_id, row.id);
    return row;
  });
  return found(app, scope, moved.id);
}

async function found(app: TwilioApp, scope: Scope, id: string): Promise<Verification> {
  const verification = await withSends(app.db, await findVerification(app.db, scope, id));
  if (!verification) throw new Failure('otp_not_found');
  return verification;
}
