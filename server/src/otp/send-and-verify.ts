import { type FailureFacts, type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import type { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiCaller } from '../api-keys/api-keys.ts';
import type { SendPrices } from '../credits/prices/prices.ts';
import type { Carriers } from '../messaging/carriers/carriers.ts';
import { addressOf } from '../platform/http/client-address.ts';
import { Failure } from '../platform/http/failure.ts';
import { Decided } from '../platform/http/serve.ts';
import type { Platform } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import type { Protection } from '../protection/protection.ts';
import type { LimitsOfAccounts } from '../settings/account-limits/account-limits.ts';
import { type Idempotency, idempotencyOf } from './idempotency/idempotency.ts';
import type { SendItem, SendOutcome } from './send/decision.ts';
import { sendItem } from './send/item.ts';
import { isComparison, type VerifyItem, type VerifyOutcome, type VerifyResult } from './verify/decision.ts';

/** Decides sends and verifies in batches. Both resolve after the commit of their batch. */
export interface Otp {
  send(item: SendItem): Promise<SendOutcome>;
  verify(item: VerifyItem): Promise<VerifyResult>;
  /** Resolves when no batch is waiting or in flight. */
  idle(): Promise<void>;
}

export type OtpApp = Platform & {
  /** counts delivery reports for the operators' overview */
  activity: { count(kind: 'delivered' | 'undelivered'): void };
  otp: Otp;
  protection: Protection;
  carriers: Carriers;
  prices: SendPrices;
  accountLimits: LimitsOfAccounts;
};

/** The credits that the nearest spend limit leaves. */
const SPEND_LEFT = 'X-Spend-Limit-Remaining';

interface Given<B> {
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
  /** An operator repeats a send: the account gets neither the address nor the idempotency key of the request. */
  isByOperator?: boolean;
}

/** Sends a code with the key of `program`. */
export async function sendAs(
  app: OtpApp,
  program: ApiCaller,
  { body, request, reply, isByOperator = false }: Given<Parsed<typeof sendOtp, 'body'>>,
): Promise<Reply<typeof sendOtp> | Decided> {
  const item = await sendItem(app, program, body);
  const idempotency = isByOperator ? null : ofMode(idempotencyOf(app, request, body), program.is_test);
  const outcome = await app.otp.send({
    ...item,
    log_id: request.id,
    idempotency,
    ...circumstances(request),
    ...(isByOperator ? { ip_address: null } : {}),
  });
  if (outcome.kind === 'replayed') return replayed(reply, outcome);
  if (outcome.kind === 'repeated')
    return replayed(reply, { status: SENT_STATUS, body: outcome.outcome.reply });
  if (outcome.kind === 'spend_limit_reached') reply.header(SPEND_LEFT, '0');
  if (outcome.kind === 'destination_blocked') request.blockedBy = outcome.blocked_by;
  if (outcome.kind !== 'accepted') throw sendFailure(outcome);
  if (outcome.spend_left !== null) reply.header(SPEND_LEFT, String(outcome.spend_left));
  request.isLogged = true;
  return outcome.reply;
}

/** Verifies a code with the key of `program`. */
export async function verifyAs(
  app: OtpApp,
  program: ApiCaller,
  { body, request, reply }: Given<Parsed<typeof verifyOtp, 'body'>>,
): Promise<Decided> {
  if (!isUuid(body.otp_id)) throw new Failure('otp_not_found');
  const { outcome, about } = await app.otp.verify({
    account_id: program.account_id,
    api_key_id: program.api_key_id,
    otp_id: body.otp_id.toLowerCase(),
    code: body.code,
    log_id: request.id,
    idempotency: ofMode(idempotencyOf(app, request, body), program.is_test),
    is_test: program.is_test,
    ...circumstances(request),
  });
  const response = verifyResponse(outcome);
  request.isLogged = isComparison(outcome);
  request.about = about;
  request.refusal = response.reason;
  if (outcome.kind === 'replayed' || outcome.kind === 'repeated') return replayed(reply, response);
  return decided(response);
}

/** Test and live requests may use the same `Idempotency-Key`. */
const ofMode = (idempotency: Idempotency | null, is_test: boolean): Idempotency | null =>
  idempotency && is_test ? { ...idempotency, key: `${idempotency.key}${TEST_SUFFIX}` } : idempotency;
/** Hex, as the key. */
const TEST_SUFFIX = '74';

const circumstances = (request: FastifyRequest) => ({
  ip_address: addressOf(request),
  started_ms: request.startedMs,
});

const decided = ({ status, body }: { status: number; body: unknown }) => new Decided(status, body);

const replayed = (reply: FastifyReply, response: { status: number; body: unknown }): Decided => {
  reply.header('Idempotent-Replayed', 'true');
  return decided(response);
};

/** A response of the contract. The reason of a refusal goes to the request log. */
interface OtpResponse {
  status: number;
  body: unknown;
  reason: string | null;
}

/** The status of an accepted send, which idempotent responses store. */
export const SENT_STATUS = 201;

type SendRefusal = Exclude<SendOutcome, { kind: 'accepted' | 'replayed' | 'repeated' }>;

/** The response to a refused send. */
const sendFailure = ({ kind, ...facts }: SendRefusal): Failure => new Failure(kind, facts);

/** The response to every outcome of a verify. */
export function verifyResponse(outcome: VerifyOutcome): OtpResponse {
  switch (outcome.kind) {
    case 'verified': {
      const { otp_id, verified_at, is_test } = outcome;
      const test = is_test ? { test: true } : {};
      return { status: 200, body: { status: 'verified', verified_at, otp_id, ...test }, reason: null };
    }
    case 'invalid_code':
      return refused(outcome.kind, { attempts_remaining: outcome.attempts_remaining });
    case 'malformed_code':
      return {
        status: 400,
        body: { code: [`Code must be ${outcome.digits} digits.`] },
        reason: 'invalid_fields',
      };
    case 'replayed': {
      const { status, body } = outcome;
      return { status, body, reason: (body as { reason?: string }).reason ?? null };
    }
    case 'repeated':
      return verifyResponse(outcome.outcome);
    case 'otp_not_found':
    case 'otp_already_verified':
    case 'otp_closed':
    case 'max_attempts_reached':
    case 'otp_expired':
    case 'idempotency_key_reused':
      return refused(outcome.kind);
  }
}

const refused = (reason: FailureReason, facts: FailureFacts = {}): OtpResponse => {
  const { status, error } = failures[reason];
  return { status, body: { error, reason, ...facts }, reason };
};
