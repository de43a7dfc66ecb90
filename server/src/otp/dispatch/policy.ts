import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Breakers, Carrier, Carriers } from '../../messaging/carriers/carriers.ts';
import type { Needs } from '../../platform/platform.ts';
import { jitter } from '../../platform/security/random.ts';
import type { Claimed, Wanted } from './queries.ts';

/** Decides which carriers may be tried now and when to try again. */
type App = Needs<'clock'> & { carriers: Carriers; breakers: Breakers };

/**
 * How many messages of a channel this process can dispatch now. While the breakers block every carrier, messages stay in the
 * queue. When a carrier is due for a probe, the worker claims a single message for it.
 */
export function capacityOf(app: App, channel: Channel, most: number): Wanted | undefined {
  const available = app.breakers.healthyOrder(app.carriers.forChannel(channel), channel, app.clock.now());
  if (most <= 0 || available.length === 0) return undefined;
  const isProbe = available.every((carrier) => app.breakers.isOpen(carrier, channel));
  return { channel, most: isProbe ? 1 : most, carriers: available.map(({ name }) => name) };
}

/** The next carrier of this round that may be tried and has not permanently refused the message. */
export const nextCarrier = (
  app: App,
  all: readonly Carrier[],
  { claimed, passed }: { claimed: Pick<Claimed, 'channel' | 'refused_by'>; passed: ReadonlySet<string> },
): Carrier | undefined =>
  app.breakers
    .healthyOrder(all, claimed.channel, app.clock.now())
    .find(({ name }) => !claimed.refused_by.includes(name) && !passed.has(name));

/** The pause before the second round over the carriers; each later pause is twice as long. */
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;
/** Spreads the retries of messages that failed at the same time. */
const JITTER = 0.2;
/** No retry starts in this last share of the code's lifetime, so that the recipient has time to enter the code. */
const MARGIN_SHARE = 0.1;
const LONGEST_MARGIN_SECONDS = 30;

/**
 * Seconds until the next round over the carriers, by the number of rounds so far: about 1, 2, 4, 8, 16, then 30 each. Undefined
 * if the round would begin in the last 10 % of the code's lifetime (at most 30 seconds).
 */
export function retrySeconds(
  app: Needs<'random'>,
  {
    rounds,
    lifeSeconds,
    remainingSeconds,
  }: { rounds: number; lifeSeconds: number; remainingSeconds: number },
): number | undefined {
  const margin = Math.min(lifeSeconds * MARGIN_SHARE, LONGEST_MARGIN_SECONDS);
  const latest = remainingSeconds - margin;
  if (latest <= 0) return undefined;
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (rounds - 1), LONGEST_PAUSE_SECONDS);
  return Math.min(pause * jitter(app.random, JITTER), latest);
}
