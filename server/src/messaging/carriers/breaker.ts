import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Carrier, Outcome } from './carrier.ts';

/**
 * One circuit breaker per carrier and channel, and one for the look-up, in this process's memory. It opens if at least half of the calls within thirty
 * seconds fail (of at least twenty calls), or after five failures in a row. While open, it admits one probe every ten seconds;
 * the first successful probe closes it. A refusal that concerns only the recipient does not count as a failure. The breaker
 * honors a carrier's Retry-After, up to thirty seconds.
 */
const windowSeconds = 30;
const minimumCalls = 20;
const failureShare = 0.5;
const consecutiveFailures = 5;
const probeEveryMs = 10_000;
const longestPauseMs = 30_000;

export interface Breakers {
  /** Returns the carriers that may be tried now, in the given order. A carrier that is due for a probe keeps its position. */
  healthyOrder(carriers: readonly Carrier[], channel: Channel, at: Date): Carrier[];
  /** Admits one call, or returns undefined while the breaker is open. If a probe is due, the admitted call is that probe. */
  admit(carrier: Carrier, channel: Channel, at: Date): AdmittedCall | undefined;
  isOpen(carrier: Carrier, channel: Channel): boolean;
}

/** The breaker of the look-up. */
export interface Breaker {
  admit(at: Date): AdmittedCall | undefined;
  isOpen(): boolean;
}

export interface AdmittedCall {
  /** Call exactly once, with the outcome of the call. */
  report(outcome: Outcome, at: Date): void;
  /** Instead, if there was no call: the next one may be the probe. */
  withdraw(at: Date): void;
}

interface Circuit {
  /** Calls that ended within the window, counted per second, oldest first. */
  seconds: { second: number; calls: number; failures: number }[];
  failuresInARow: number;
  /** Undefined while the breaker is closed. */
  open: { nextProbeAt: number } | undefined;
  /** From the carrier's Retry-After: no message is dispatched before this time. */
  pausedUntil: number;
  /** Incremented when the breaker opens or closes, so that calls that began earlier do not affect the new state. */
  era: number;
}

export function createBreaker(): Breaker {
  const circuit = newCircuit();
  return { admit: (at) => admit(circuit, at), isOpen: () => circuit.open !== undefined };
}

/** `isPaused`: whether an operator has paused the carrier. A paused carrier gets no messages, not even a probe. */
export function createBreakers(
  isPaused: (carrier: string, channel: Channel) => boolean = () => false,
): Breakers {
  const circuits = new Map<string, Circuit>();

  function circuitOf(carrier: Carrier, channel: Channel): Circuit {
    const key = `${carrier.name}/${channel}`;
    let circuit = circuits.get(key);
    if (!circuit) {
      circuit = newCircuit();
      circuits.set(key, circuit);
    }
    return circuit;
  }

  return {
    healthyOrder: (carriers, channel, at) =>
      carriers.filter(
        (carrier) => !isPaused(carrier.name, channel) && mayPass(circuitOf(carrier, channel), at.getTime()),
      ),

    admit: (carrier, channel, at) =>
      isPaused(carrier.name, channel) ? undefined : admit(circuitOf(carrier, channel), at),

    isOpen: (carrier, channel) => circuitOf(carrier, channel).open !== undefined,
  };
}

const newCircuit = (): Circuit => ({
  seconds: [],
  failuresInARow: 0,
  open: undefined,
  pausedUntil: 0,
  era: 0,
});

function admit(circuit: Circuit, at: Date): AdmittedCall | undefined {
  if (!mayPass(circuit, at.getTime())) return undefined;
  if (circuit.open) circuit.open.nextProbeAt = at.getTime() + probeEveryMs;
  const { era } = circuit;
  return {
    report(outcome, endedAt) {
      pause(circuit, outcome, endedAt.getTime());
      if (era === circuit.era && !wasCanceled(outcome))
        settle(circuit, isFailure(outcome), endedAt.getTime());
    },
    withdraw(endedAt) {
      if (era === circuit.era && circuit.open) circuit.open.nextProbeAt = endedAt.getTime();
    },
  };
}

function mayPass({ open, pausedUntil }: Circuit, at: number): boolean {
  return at >= pausedUntil && (open === undefined || at >= open.nextProbeAt);
}

function pause(circuit: Circuit, outcome: Outcome, at: number): void {
  if (outcome.kind !== 'refused' || outcome.retry_after_seconds === undefined) return;
  const pauseMs = Math.min(outcome.retry_after_seconds * 1000, longestPauseMs);
  circuit.pausedUntil = Math.max(circuit.pausedUntil, at + pauseMs);
}

function settle(circuit: Circuit, failed: boolean, at: number): void {
  if (circuit.open) {
    if (failed) circuit.open.nextProbeAt = at + probeEveryMs;
    else turn(circuit, undefined);
    return;
  }
  circuit.failuresInARow = failed ? circuit.failuresInARow + 1 : 0;
  count(circuit.seconds, failed, Math.floor(at / 1000));
  if (isTooMuch(circuit)) turn(circuit, { nextProbeAt: at + probeEveryMs });
}

function count(seconds: Circuit['seconds'], failed: boolean, second: number): void {
  let current = seconds.at(-1);
  if (current === undefined || current.second < second) {
    current = { second, calls: 0, failures: 0 };
    seconds.push(current);
  }
  current.calls += 1;
  if (failed) current.failures += 1;
  while (seconds[0] && seconds[0].second <= second - windowSeconds) seconds.shift();
}

function isTooMuch({ seconds, failuresInARow }: Circuit): boolean {
  if (failuresInARow >= consecutiveFailures) return true;
  let calls = 0;
  let failures = 0;
  for (const second of seconds) {
    calls += second.calls;
    failures += second.failures;
  }
  return calls >= minimumCalls && failures >= calls * failureShare;
}

function turn(circuit: Circuit, open: Circuit['open']): void {
  circuit.open = open;
  circuit.era += 1;
  circuit.seconds = [];
  circuit.failuresInARow = 0;
}

function isFailure(outcome: Outcome): boolean {
  return outcome.kind === 'uncertain' || (outcome.kind === 'refused' && outcome.rest === true);
}

/** Sixdigit canceled the call, so the outcome reveals nothing about the carrier. */
function wasCanceled(outcome: Outcome): boolean {
  return outcome.kind !== 'accepted' && outcome.reason === 'canceled';
}
