import type { Carrier, Channel, Outcome } from './carrier.ts';

/**
 * One circuit breaker per carrier and channel, in the memory of this process. It opens at half or more failures among at
 * least twenty calls of the last thirty seconds, or after five failures in a row; while open, one probe every ten seconds
 * is let through, and the first that succeeds closes it. A refusal that concerns the recipient is no failure. A carrier that
 * answers with Retry-After is not asked before that time, at most thirty seconds.
 */
const windowSeconds = 30;
const minimumCalls = 20;
const failureShare = 0.5;
const consecutiveFailures = 5;
const probeEveryMs = 10_000;
const longestPauseMs = 30_000;

export interface Breakers {
  /** The carriers that may be tried now, in their order. One that is due for a probe keeps its place. */
  healthyOrder(carriers: readonly Carrier[], channel: Channel, at: Date): Carrier[];
  /** Leave for one call, or undefined while the breaker is open. Taking leave uses up the probe. */
  admit(carrier: Carrier, channel: Channel, at: Date): Admission | undefined;
  isOpen(carrier: Carrier, channel: Channel): boolean;
}

export interface Admission {
  /** To be called once with how the call ended. */
  report(outcome: Outcome, at: Date): void;
}

interface Circuit {
  /** Calls that ended within the window, counted per second, oldest first. */
  seconds: { second: number; calls: number; failures: number }[];
  failuresInARow: number;
  /** Undefined while closed. */
  open: { nextProbeAt: number } | undefined;
  /** The carrier asked for no message before this time. */
  pausedUntil: number;
  /** Counts openings and closings, so that calls begun before one say nothing about the state after it. */
  era: number;
}

export function createBreakers(): Breakers {
  const circuits = new Map<string, Circuit>();

  function circuitOf(carrier: Carrier, channel: Channel): Circuit {
    const key = `${carrier.name}/${channel}`;
    let circuit = circuits.get(key);
    if (!circuit) {
      circuit = { seconds: [], failuresInARow: 0, open: undefined, pausedUntil: 0, era: 0 };
      circuits.set(key, circuit);
    }
    return circuit;
  }

  return {
    healthyOrder: (carriers, channel, at) =>
      carriers.filter((carrier) => mayPass(circuitOf(carrier, channel), at.getTime())),

    admit(carrier, channel, at) {
      const circuit = circuitOf(carrier, channel);
      if (!mayPass(circuit, at.getTime())) return undefined;
      if (circuit.open) circuit.open.nextProbeAt = at.getTime() + probeEveryMs;
      const era = circuit.era;
      return {
        report(outcome, endedAt) {
          pause(circuit, outcome, endedAt.getTime());
          if (era === circuit.era && !wasCanceled(outcome))
            settle(circuit, isFailure(outcome), endedAt.getTime());
        },
      };
    },

    isOpen: (carrier, channel) => circuitOf(carrier, channel).open !== undefined,
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

/** We gave up on it ourselves: nothing was learnt about the carrier. */
function wasCanceled(outcome: Outcome): boolean {
  return outcome.kind !== 'accepted' && outcome.reason === 'canceled';
}
