import { factsOf } from '@sixdigit/contract/channels.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import {
  type Breakers,
  type Carrier,
  type Carriers,
  dispatchTimeoutMs,
  type Outcome,
  type Refused,
} from '../../messaging/carriers/carriers.ts';
import { optOut, optOutFingerprint } from '../../messaging/opt-outs/opt-outs.ts';
import { suppress } from '../../messaging/suppressions/suppressions.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Needs } from '../../platform/platform.ts';
import { UnknownServerKey } from '../../platform/security/vault.ts';
import { type Change, storableId } from '../change.ts';
import { TEST_CARRIER, testCarrier } from '../test-mode/test-mode.ts';
import { noteUnreachable } from '../unreachable.ts';
import { compose, reportTo } from './message.ts';
import { nextCarrier, retrySeconds } from './policy.ts';
import {
  awaitReport,
  type Claimed,
  nameCarrier,
  passOn,
  scheduleRetry,
  statusNow,
  unclaim,
} from './queries.ts';

export type DispatchApp = Needs<'db' | 'clock' | 'random' | 'vault' | 'config' | 'log'> & {
  carriers: Carriers;
  breakers: Breakers;
};

/** The claim has already ended; the queue row determines the next step. */
export const SETTLED = 'settled';
export type Dispatched = Change | typeof SETTLED | undefined;

/** Simulated outcomes do not affect a carrier's breaker. */
const UNGUARDED = { report: () => undefined };

const NOT_DISPATCHED = 'Not dispatched to a carrier before it expired';

/**
 * A stopping worker waits for its dispatches (at most ten seconds each) instead of aborting them, which would make them
 * uncertain.
 */
const NEVER_ABORTED = new AbortController().signal;
/** Only the code's expiry aborts a dispatch. A message that is still waiting for a connection is then not sent. */
const untilExpiry = (remainingMs: number): AbortSignal =>
  remainingMs < dispatchTimeoutMs ? AbortSignal.timeout(Math.ceil(remainingMs)) : NEVER_ABORTED;

/** Undefined if another process sealed the code under a server key that this one lacks. */
function composeIfReadable(app: DispatchApp, claimed: Claimed, recipient: string) {
  try {
    return compose(app, claimed, recipient);
  } catch (error) {
    if (error instanceof UnknownServerKey) return undefined;
    throw error;
  }
}

async function leaveToAnother(app: DispatchApp, claimed: Claimed): Promise<Dispatched> {
  app.log.error(
    { otp_id: claimed.id },
    'the code was sealed under a SECRET_KEY that this process does not have',
  );
  await passOn(app.db, claimed);
  return SETTLED;
}

/**
 * Runs one round over the carriers for one claimed message. After a refusal, the next carrier is tried; later rounds skip
 * carriers that refused permanently. Each carrier's name is stored before the carrier is tried.
 */
export async function dispatch(app: DispatchApp, claimed: Claimed): Promise<Dispatched> {
  if (claimed.status !== 'pending' || claimed.recipient === null) return notNeeded(claimed);
  const started = monotonicMs();
  const remainingMs = () => Date.parse(claimed.expires_at) - claimed.now_ms - (monotonicMs() - started);
  if (remainingMs() <= 0) return failed(claimed, NOT_DISPATCHED);

  const isTest = claimed.carrier === TEST_CARRIER;
  const country = isTest ? undefined : countryWithRoutes(app, claimed);
  const all = isTest ? [testCarrier(app)] : app.carriers.forChannel(claimed.channel, country);
  const message = composeIfReadable(app, claimed, claimed.recipient);
  if (!message) return leaveToAnother(app, claimed);
  const passed = new Set<string>();
  let lastRefusal: Refused | undefined;
  let carrier = all.find(({ name }) => name === claimed.carrier) ?? carrierThatMayHave(app, claimed);
  // The claim named a carrier by the channel's routes, but the country's routes take precedence. A message that a carrier may
  // already have stays with that carrier.
  if (country !== undefined && claimed.uncertain === 0) {
    const routed = nextCarrier(app, all, { claimed, passed });
    if (routed && routed !== carrier && !(await nameCarrier(app.db, claimed, routed.name)))
      return closed(claimed, await statusNow(app.db, claimed));
    carrier = routed;
  }
  if (country !== undefined && !carrier) return waitForRoute(app, claimed, remainingMs());
  while (carrier) {
    if (remainingMs() <= 0) return failed(claimed, NOT_DISPATCHED);
    passed.add(carrier.name);
    const admission = isTest ? UNGUARDED : app.breakers.admit(carrier, claimed.channel, app.clock.now());
    if (admission) {
      const outcome = await carrier.dispatch(
        { ...message, ...reportTo(app, claimed, carrier) },
        untilExpiry(remainingMs()),
      );
      admission.report(outcome, app.clock.now());
      if (!isTest) logOutcome(app, carrier, claimed, outcome);
      if (outcome.kind === 'accepted') return accepted(claimed, carrier, outcome.provider_message_id);
      if (outcome.kind === 'uncertain') {
        await awaitReport(app.db, claimed, outcome.detail);
        return SETTLED;
      }
      lastRefusal = outcome;
      if (!outcome.temporary) claimed.refused_by.push(carrier.name);
      if (outcome.unsubscribed && factsOf(claimed.channel).obeysOptOut)
        await optOut(app.db, optOutFingerprint(app, claimed.recipient));
      if (outcome.suppress && !isTest) await suppressAddress(app, claimed, carrier, outcome);
      if (outcome.unsubscribed) return failed(claimed, 'Recipient has opted out', { carrier: carrier.name });
      await noteUnreachable(app.db, app, {
        ...claimed,
        recipient: claimed.recipient,
        reason: outcome.reason,
      });
      if (outcome.final) return failed(claimed, outcome.detail, { carrier: carrier.name });
    }
    carrier = nextCarrier(app, all, { claimed, passed });
    if (carrier && !(await nameCarrier(app.db, claimed, carrier.name)))
      return closed(claimed, await statusNow(app.db, claimed));
  }
  return afterRound(app, claimed, { all, lastRefusal, remainingMs: remainingMs() });
}

const suppressAddress = (
  app: DispatchApp,
  { account_id, id, recipient }: Claimed,
  { name }: Carrier,
  { suppress: reason, detail }: Refused,
): Promise<unknown> =>
  app.db.transaction(async (tx) => {
    if (reason && recipient?.includes('@'))
      await suppress(tx, app, { account_id, otp_id: id, carrier: name, recipient, reason, detail });
  });

/**
 * No carrier accepted the message. Schedules another round, unless every carrier refused permanently or too little time
 * remains.
 */
async function afterRound(
  app: DispatchApp,
  claimed: Claimed,
  {
    all,
    lastRefusal,
    remainingMs,
  }: { all: readonly Carrier[]; lastRefusal: Refused | undefined; remainingMs: number },
): Promise<Dispatched> {
  const isRefusedByAll = all.length > 0 && all.every(({ name }) => claimed.refused_by.includes(name));
  if (isRefusedByAll) return failed(claimed, lastRefusal?.detail ?? NOT_DISPATCHED);
  // The breakers block every carrier. The queue pauses the channel until a carrier may be tried again.
  if (!lastRefusal && claimed.refused_by.length === 0) {
    await unclaim(app.db, claimed);
    return SETTLED;
  }
  const seconds = retrySeconds(app, {
    rounds: claimed.tries,
    lifeSeconds: claimed.seconds,
    remainingSeconds: remainingMs / 1000,
  });
  if (seconds === undefined) return failed(claimed, lastRefusal?.detail ?? NOT_DISPATCHED);
  await scheduleRetry(app.db, claimed, { seconds, failure: lastRefusal?.detail });
  return SETTLED;
}

/** After an uncertain dispatch, the same carrier, even if an operator has turned it off since. */
const carrierThatMayHave = (
  { carriers }: DispatchApp,
  { carrier, uncertain }: Claimed,
): Carrier | undefined => (carrier !== null && uncertain > 0 ? carriers.find(carrier) : undefined);

/** The recipient's country, if operators have set routes for it. */
function countryWithRoutes(
  { carriers, config }: DispatchApp,
  { channel, recipient, country: known }: Claimed,
): string | undefined {
  if (recipient === null || factsOf(channel).recipient !== 'phone') return undefined;
  const country = known ?? normalisePhone(recipient, config)?.country;
  return country !== undefined && carriers.hasRoutes(channel, country) ? country : undefined;
}

/**
 * Reschedules the message because every carrier is paused for its country or has an open breaker. The channel's other messages
 * continue.
 */
async function waitForRoute(app: DispatchApp, claimed: Claimed, remainingMs: number): Promise<Dispatched> {
  const remainingSeconds = remainingMs / 1000;
  const seconds = retrySeconds(app, {
    rounds: claimed.tries,
    lifeSeconds: claimed.seconds,
    remainingSeconds,
  });
  if (seconds === undefined) return failed(claimed, NOT_DISPATCHED);
  await scheduleRetry(app.db, claimed, { seconds, failure: undefined });
  return SETTLED;
}

function accepted(
  { account_id, id, channel, recipient }: Claimed,
  carrier: Carrier,
  provider_message_id: string | null,
): Change {
  const sender = recipient && storableId(carrier.senderFor?.({ channel, recipient }) ?? null);
  return {
    account_id,
    id,
    allowed: ['pending'],
    to: 'sent',
    sent: true,
    event: 'sent',
    carrier: carrier.name,
    ...(sender && { sender }),
    provider_message_id: storableId(provider_message_id),
    note: `Accepted by ${carrier.name}${sender ? ` from ${sender}` : ''}`,
    usual: true,
  };
}

const failed = (claimed: Claimed, failure: string, more: { carrier?: string } = {}): Change => ({
  account_id: claimed.account_id,
  id: claimed.id,
  allowed: ['pending'],
  to: 'failed',
  event: 'failed',
  failure,
  note: failure,
  refund: true,
  ...more,
});

/**
 * Ends the dispatch because the verification was closed before any carrier accepted the message. No other carrier is tried.
 * `status` is undefined if the claim is no longer valid.
 */
const closed = (claimed: Claimed, status: OtpStatus | undefined): Dispatched =>
  status === undefined ? SETTLED : notNeeded({ ...claimed, status });

/** Refunds the credit of a verification that was closed before any carrier accepted its message, unless the code was used. */
function notNeeded({ account_id, id, status, uncertain, cost_credits }: Claimed): Change | undefined {
  if (uncertain > 0 || cost_credits === 0 || (status !== 'expired' && status !== 'failed')) return undefined;
  return {
    account_id,
    id,
    allowed: [status],
    refund: true,
    note: 'Credit returned: never dispatched to a carrier',
  };
}

function logOutcome(app: DispatchApp, carrier: Carrier, claimed: Claimed, outcome: Outcome): void {
  if (outcome.kind === 'accepted') return;
  const { kind, reason, detail } = outcome;
  app.log.warn(
    { otp_id: claimed.id, carrier: carrier.name, channel: claimed.channel, kind, reason, detail },
    'the carrier did not accept the message',
  );
}
