import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PriceBook } from '../credits/prices/prices.ts';
import type { Lookups } from '../lookups/lookups.ts';
import type { Carriers, SnsHosts } from '../messaging/carriers/carriers.ts';
import { Decided, type Noted } from '../platform/http/answer.ts';
import { addressOf } from '../platform/http/client-address.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Platform } from '../platform/platform.ts';
import type { Protection } from '../protection/protection.ts';
import type { LimitsOfAccounts } from '../settings/account-limits/account-limits.ts';
import type { Templates } from '../templates/templates.ts';
import type { Deliveries } from './dispatch/queue.ts';
import type { Batches } from './group-commit.ts';
import { type Idempotency, idempotencyOf } from './idempotency/idempotency.ts';
import type { PlanLookups } from './plans/lookups.ts';
import type { ReportActivity } from './reports/reports.ts';

export type OtpApp = Platform & {
  /** counts for the operators' overview, without those of test keys */
  activity: ReportActivity & { count(kind: 'send' | 'verified' | 'wrong_code'): void };
  batches: Batches;
  metrics: Pick<Metrics, 'messageReached'>;
  deliveries: Deliveries;
  protection: Protection;
  carriers: Carriers;
  plans: PlanLookups;
  prices: PriceBook;
  templates: Templates;
  sns: SnsHosts;
  accountLimits: LimitsOfAccounts;
  lookups: Pick<Lookups, 'find' | 'stored'>;
};

/** A send or verify request as received. */
export interface Call<B> {
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The request's fields for the request log. */
export const circumstancesOf = (request: FastifyRequest) => ({
  log_id: request.id,
  ip_address: addressOf(request),
  started_ms: request.startedMs,
});

/** Test and live requests, and sends and resends, may use the same `Idempotency-Key`. */
export function idempotencyOfMode(
  app: Parameters<typeof idempotencyOf>[0],
  { body, request }: { body: object; request: Pick<FastifyRequest, 'headers'> },
  { is_test, isResend = false }: { is_test: boolean; isResend?: boolean },
): Idempotency | null {
  const idempotency = idempotencyOf(app, request, body);
  const suffix = `${isResend ? RESEND_SUFFIX : ''}${is_test ? TEST_SUFFIX : ''}`;
  return idempotency && { ...idempotency, key: idempotency.key + suffix };
}

/** Hex, as the key. */
const TEST_SUFFIX = '74';
const RESEND_SUFFIX = '72';

/** Sends the response to an earlier request with this `Idempotency-Key`. */
export function replayed(
  reply: FastifyReply,
  { status, body }: { status: number; body: unknown },
  noted?: Noted,
): Decided {
  reply.header('Idempotent-Replayed', 'true');
  return new Decided(status, body, noted);
}
