import { record } from '../audit/audit.ts';
import { notifyService } from '../messaging/notices/notices.ts';
import { pageUrl } from '../platform/config.ts';
import { isDatabaseUnavailable, type Tx } from '../platform/db/sql.ts';
import { retryAfterSeconds } from '../platform/http/failure.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Resolve } from '../platform/outbound/connect.ts';
import { outboundPost } from '../platform/outbound/request.ts';
import type { Needs } from '../platform/platform.ts';
import { batcher } from '../platform/queue/batcher.ts';
import { jitter } from '../platform/security/random.ts';
import { type SignatureHeaders, signedHeaders } from '../platform/signing/standard-webhooks.ts';
import {
  type Claimed,
  type Delivered,
  type DisabledReason,
  delayDelivery,
  dropQueue,
  finishDelivered,
  finishDelivery,
  insertAttempt,
  type NewAttempt,
  type Parcel,
  recordFailure,
  recordPassedTest,
  switchOff,
} from './delivery-queries.ts';
import { openSecrets } from './message.ts';

export type DeliveryApp = Needs<'db' | 'config' | 'clock' | 'random' | 'vault' | 'log' | 'wakeups'> & {
  /** Resolves endpoint host names; defaults to DNS. */
  resolve?: Resolve;
  metrics: Pick<Metrics, 'webhookAttempted'>;
};

const TIMEOUT_MS = 15_000;
const GONE = 410;

/** The outcome of one attempt. */
export interface AttemptResult {
  /** The attempt's id, created when it begins, so that ids sort by time. */
  id: string;
  attempted_at: string;
  succeeded: boolean;
  status: number | null;
  duration_ms: number;
  /** A sentence for the customer; null after a success. */
  error: string | null;
  excerpt: string | null;
  retry_after: string | undefined;
}

/**
 * Sends a message once, signed with every currently valid secret. Never throws, and ends within 15 s. Call it outside any
 * transaction.
 */
export async function sendOnce(app: DeliveryApp, parcel: Parcel): Promise<AttemptResult> {
  const outcome = await attempt(app, parcel);
  app.metrics.webhookAttempted(outcome.succeeded ? 'delivered' : 'failed');
  return outcome;
}

async function attempt(app: DeliveryApp, parcel: Parcel): Promise<AttemptResult> {
  const at = app.clock.now();
  const begun = { id: app.random.uuid(), attempted_at: at.toISOString() };
  const failed = { ...begun, succeeded: false, status: null, excerpt: null, retry_after: undefined };
  let secrets: string[];
  try {
    secrets = openSecrets(app, parcel);
  } catch (error) {
    app.log.error({ err: error, endpoint_id: parcel.endpoint_id }, 'webhook secret cannot be opened');
    return { ...failed, duration_ms: 0, error: 'The signing secret could not be read. Set a new one.' };
  }
  const answer = await outboundPost({
    url: parcel.url,
    headers: requestHeaders(signedHeaders({ id: parcel.id, at, body: parcel.body }, secrets)),
    body: parcel.body,
    allowPrivate: app.config.webhookAllowPrivate,
    timeoutMs: TIMEOUT_MS,
    ...(app.resolve ? { resolve: app.resolve } : {}),
  });
  if (answer.kind === 'failed') return { ...failed, duration_ms: answer.ms, error: answer.detail };
  const { status, excerpt, headers, ms } = answer;
  const succeeded = status >= 200 && status < 300;
  const error = succeeded ? null : problemOf(status);
  return {
    ...begun,
    succeeded,
    status,
    duration_ms: ms,
    error,
    excerpt,
    retry_after: headers['retry-after'],
  };
}

/** The headers that Sixdigit sets. */
export const requestHeaders = (signature: SignatureHeaders): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Sixdigit-Webhooks/1',
  ...signature,
});

const problemOf = (status: number): string =>
  status >= 300 && status < 400
    ? `The endpoint responded with ${status}. Redirects are not followed.`
    : `The endpoint responded with ${status}. Only 2xx counts as received.`;

/** Stores the outcomes of claimed deliveries. Successes that end at the same time share a statement. */
export function createSettle(app: DeliveryApp): (claimed: Claimed, outcome: AttemptResult) => Promise<void> {
  const successes = batcher<Delivered, void>({
    run: async (all) => {
      await finishDelivered(app.db, all);
      return all.map(() => undefined);
    },
    most: 128,
    isOutage: isDatabaseUnavailable,
  });
  return (claimed, outcome) =>
    outcome.succeeded
      ? successes.submit(deliveredOf(claimed, outcome))
      : settleFailure(app, claimed, outcome);
}

/** A successful delivery, for `finishDelivered`. */
export const deliveredOf = (claimed: Claimed, outcome: AttemptResult): Delivered => ({
  ...attemptOf(claimed, outcome, claimed.tries + 1),
  claim: claimed.claim,
});

/** Ends a worker's claim after a failure. Does nothing if the claim is no longer valid. */
async function settleFailure(app: DeliveryApp, claimed: Claimed, outcome: AttemptResult): Promise<void> {
  const attempt = claimed.tries + 1;
  const delay = retryDelaySeconds(app, attempt - claimed.tries_before_replay, outcome);
  await app.db.transaction(async (tx) => {
    const put =
      delay === undefined
        ? (await finishDelivery(tx, claimed)) && { run_at: null }
        : await delayDelivery(tx, claimed, delay);
    if (!put) return;
    const staysInService = await countFailure(tx, app, claimed, outcome);
    const next_attempt_at = staysInService ? put.run_at : null;
    await insertAttempt(tx, { ...attemptOf(claimed, outcome, attempt), next_attempt_at });
  });
}

/** Stores the attempt of a test and its effect on the endpoint. */
export const settleTest = (app: DeliveryApp, parcel: Parcel, outcome: AttemptResult): Promise<void> =>
  app.db.transaction(async (tx) => {
    if (outcome.succeeded) await recordPassedTest(tx, parcel.endpoint_id);
    else await countFailure(tx, app, parcel, outcome);
    await insertAttempt(tx, attemptOf(parcel, outcome, 1));
  });

const attemptOf = (parcel: Parcel, outcome: AttemptResult, attempt: number): NewAttempt => ({
  id: outcome.id,
  endpoint_id: parcel.endpoint_id,
  account_id: parcel.account_id,
  message_id: parcel.id,
  event_type: parcel.type,
  otp_id: parcel.otp_id,
  attempt,
  attempted_at: outcome.attempted_at,
  response_status: outcome.status,
  duration_ms: outcome.duration_ms,
  succeeded: outcome.succeeded,
  error: outcome.error,
  response_excerpt: outcome.excerpt,
  next_attempt_at: null,
});

/** Records the failure. Returns whether the endpoint stays active. */
async function countFailure(
  tx: Tx,
  app: DeliveryApp,
  parcel: Parcel,
  outcome: AttemptResult,
): Promise<boolean> {
  const endpoint = await recordFailure(tx, parcel.endpoint_id, parcel.type === 'webhook.test');
  const hopeless: DisabledReason | undefined =
    outcome.status === GONE ? 'gone' : endpoint?.failing_for_too_long ? 'failing' : undefined;
  const isOff = !endpoint?.is_active || (hopeless && (await switchOffAndTell(tx, app, parcel, hopeless)));
  if (isOff) await dropQueue(tx, parcel.endpoint_id);
  return !isOff;
}

/** Sends one e-mail, even if several attempts fail at the same moment. */
async function switchOffAndTell(
  tx: Tx,
  app: DeliveryApp,
  parcel: Parcel,
  why: DisabledReason,
): Promise<boolean> {
  const switchedOff = await switchOff(tx, { id: parcel.endpoint_id, url: parcel.url }, why);
  if (!switchedOff) return false;
  await record(tx, app, {
    account_id: parcel.account_id,
    actor: 'system',
    action: 'webhook.disable',
    subject: switchedOff.name,
    after: { reason: why },
  });
  await notifyService(tx, app, parcel.account_id, {
    kind: 'webhookDisabled',
    name: switchedOff.name,
    url: switchedOff.url,
    why,
    webhooksUrl: pageUrl(app, '/webhooks'),
  });
  app.log.warn({ endpoint_id: parcel.endpoint_id, why }, 'webhook endpoint disabled');
  return true;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Seconds until the next attempt, by attempts made: ten attempts in 75 h 35 min. Standard Webhooks, "Deliverability and
 * Reliability".
 */
const STEPS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const JITTER = 0.2;

/** The endpoint, or a proxy in front of it, is overloaded: retry after at least one minute. */
const THROTTLING = new Set([429, 502, 504]);
const THROTTLED_SECONDS = 60;

interface Refused {
  status: number | null;
  /** The `Retry-After` header as received. */
  retry_after: string | undefined;
}

/**
 * Seconds until the next attempt after `tries` attempts; undefined after the last. Each step varies by ±20 %, so that
 * simultaneous failures do not retry simultaneously. `Retry-After` can lengthen a step up to twofold.
 */
export function retryDelaySeconds(
  app: Needs<'random' | 'clock'>,
  tries: number,
  { status, retry_after }: Refused,
): number | undefined {
  const step = STEPS[tries - 1];
  if (step === undefined) return undefined;
  const asked = retry_after === undefined ? undefined : retryAfterSeconds(retry_after, app.clock.now());
  const delay =
    asked === undefined ? step * jitter(app.random, JITTER) : Math.min(Math.max(asked, step), 2 * step);
  return status !== null && THROTTLING.has(status) ? Math.max(delay, THROTTLED_SECONDS) : delay;
}
