import { type CountedEvent, isPlaceCounted, minuteOf, type Traffic as Subjects } from '../counters.ts';
import type { Decision } from '../decision.ts';
import type { Guard } from '../guard.ts';
import { type Known, type KnownRecipient, passingRecipient } from '../known.ts';
import { DEPLOYMENT } from '../queries.ts';
import { addCounts } from '../series.ts';

/** Simulated traffic for the destination rules. The clock is a number. */
const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** How long a code can be entered. */
export const EXPIRY = 5 * MINUTE;

/** The same numbers in each run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Country {
  code: string;
  calling: string;
  /** of all users */
  share: number;
  /** of its users who verify their code */
  conversion: number;
  /** how many blocks of 10,000 numbers its users have */
  prefixes: number;
}

/** From a large home market to small ones, with the differences in conversion that real countries have. */
export const COUNTRIES: readonly Country[] = [
  ['US', '+1', 0.3, 0.85, 4_000],
  ['GB', '+44', 0.16, 0.88, 2_000],
  ['DE', '+49', 0.12, 0.9, 2_000],
  ['FR', '+33', 0.1, 0.82, 1_500],
  ['ES', '+34', 0.08, 0.8, 1_200],
  ['BR', '+55', 0.08, 0.7, 3_000],
  ['IN', '+91', 0.07, 0.6, 5_000],
  ['MX', '+52', 0.05, 0.65, 2_000],
  ['TR', '+90', 0.03, 0.72, 1_000],
  ['EG', '+20', 0.01, 0.75, 500],
].map(([code, calling, share, conversion, prefixes]) => ({
  code,
  calling,
  share,
  conversion,
  prefixes,
})) as Country[];

/** A requested code. */
export interface Send {
  account_id: string;
  country: string;
  prefix: string;
  /** the last four digits */
  line: string;
  client: string | null;
  /** a code of the number was verified more than a day ago */
  is_known: boolean;
  /** ms from the send to the right code; undefined: never verified */
  verified_after_ms: number | undefined;
  /** As how many sends it counts for its country and account, for which it stands. Default: 1 */
  weight?: number;
}

/** What refuses a send that no rule refuses. */
export interface Gate {
  /** the account's sends to the recipient in the last 24 hours */
  sendsToday(recipient: string, now_ms: number): number;
  /** why the send is refused */
  refusal(recipient: string, send: Send, now_ms: number): string | undefined;
  charge(recipient: string, send: Send, now_ms: number): void;
}

const NO_GATE: Gate = { sendsToday: () => 0, refusal: () => undefined, charge: () => undefined };
const KNOWN: KnownRecipient = { known_on: '9999-12-31', verified_ms: 0, is_imported: false };
const ACCEPTED: readonly string[] = [];

export interface Traffic {
  nowMs(): number;
  at(ms: number, run: () => void): void;
  /** Returns the reasons of a refusal; none if the send was accepted. */
  submit(send: Send): readonly string[];
  run(until: number): void;
}

interface Options {
  guard: Guard;
  now: number;
  gate?: Gate;
  /** No rule can refuse a send, so none is asked. */
  isOpen?: boolean;
}

/** Sends decided by a guard and counted by it, with their ends. */
export function traffic({ guard, now, gate = NO_GATE, isOpen = false }: Options): Traffic {
  const events = timeline();
  const blocked = blockedPrefixes(guard);
  const record = (subjects: Subjects, event: CountedEvent, weight: number): void => {
    guard.record(subjects, event, now);
    if (weight > 1) addWeight(guard, subjects, { event, more: weight - 1, minute: minuteOf(now) });
  };
  const pass = (recipient: string, send: Send): readonly string[] => {
    const refusal = gate.refusal(recipient, send, now);
    if (refusal !== undefined) return [refusal];
    gate.charge(recipient, send, now);
    return ACCEPTED;
  };
  const submit = (send: Send): readonly string[] => {
    const { account_id, country, prefix, client, is_known, weight = 1 } = send;
    const blocks = is_known ? undefined : blocked.find(account_id, prefix, now);
    if (blocks) return blocks;
    const recipient = `${prefix}${send.line}`;
    if (isOpen) return pass(recipient, send);
    const known = is_known
      ? passingRecipient(KNOWN, {
          known_days: guard.policyOf(account_id).known_days,
          sends_today: gate.sendsToday(recipient, now),
          now_ms: now,
        })
      : undefined;
    const to = { number: recipient, prefix, country, address: client, client };
    const asked = { account_id, to, recipient, known, now_ms: now };
    const decision = guard.decide(asked);
    guard.note(asked, decision);
    blocked.note(account_id, prefix, decision);
    if (decision.blocked_by.length > 0) return decision.blocked_by;
    const refused = pass(recipient, send);
    if (refused.length > 0) return refused;
    const subjects = { account_id, prefix, country, client, recipient, known: decision.known };
    record(subjects, 'sent', weight);
    const isVerified = send.verified_after_ms !== undefined;
    events.add(now + (send.verified_after_ms ?? EXPIRY), () =>
      record(subjects, isVerified ? 'verified' : 'unverified', weight),
    );
    return ACCEPTED;
  };
  return {
    nowMs: () => now,
    at: events.add,
    submit,
    run(until) {
      for (let event = events.next(); event; event = events.next()) {
        if (event.at > until) {
          events.add(event.at, event.run);
          break;
        }
        now = event.at;
        event.run();
      }
      now = until;
    },
  };
}

/** The rules that refuse every unknown number of a prefix until a time that no other send brings forward. */
const OF_PREFIX: ReadonlySet<string> = new Set(['prefix_velocity', 'prefix_conversion']);

/** Attacks repeat most sends to prefixes that are blocked. Asking the rules again would take most of the time. */
function blockedPrefixes({ counters }: Guard) {
  const blocks = new Map<string, { until: number; isLearned: boolean; blocked_by: readonly string[] }>();
  return {
    find(account_id: string, prefix: string, now_ms: number): readonly string[] | undefined {
      const block = blocks.get(`${account_id} ${prefix}`);
      const minute = minuteOf(now_ms);
      if (!block || block.until <= minute) return undefined;
      // An account that learns again blocks nothing by the rules that learn.
      return block.isLearned && counters.isLearning(account_id, minute) ? undefined : block.blocked_by;
    },
    note(account_id: string, prefix: string, { enforced, blocked_by }: Decision): void {
      for (const { rule, until, blocks_prefix } of enforced)
        if (until !== null && (blocks_prefix || OF_PREFIX.has(rule)))
          blocks.set(`${account_id} ${prefix}`, { until, isLearned: rule !== 'prefix_velocity', blocked_by });
    },
  };
}

interface Weight {
  event: CountedEvent;
  more: number;
  minute: number;
}

/** Counts the sends for which one stands. They went to other prefixes and came from other clients. */
function addWeight(
  { counters }: Guard,
  { account_id, country, known = null }: Subjects,
  { event, more, minute }: Weight,
): void {
  const [sent, over] = event === 'sent' ? [more, 0] : [0, more];
  const verified = event === 'verified' ? more : 0;
  for (const scope of [account_id, DEPLOYMENT]) {
    const isTried = scope !== DEPLOYMENT || !counters.isLearning(account_id, minute);
    const counts = {
      sent,
      tried: isTried ? sent : 0,
      over: isTried ? over : 0,
      verified: isTried ? verified : 0,
    };
    addCounts(counters.at(scope, 'account', ''), minute, counts, minute);
    if (isPlaceCounted(known as Known | null, scope))
      addCounts(counters.at(scope, 'country', country), minute, counts, minute);
  }
}

interface Event {
  at: number;
  run(): void;
}

/** A heap of events by time. */
function timeline() {
  const heap: Event[] = [];
  const swap = (a: number, b: number): void => {
    [heap[a], heap[b]] = [heap[b] as Event, heap[a] as Event];
  };
  const before = (a: number, b: number): boolean => (heap[a] as Event).at < (heap[b] as Event).at;
  return {
    add(at: number, run: () => void) {
      heap.push({ at, run });
      for (let n = heap.length - 1; n > 0; ) {
        const parent = (n - 1) >> 1;
        if (!before(n, parent)) break;
        swap(n, parent);
        n = parent;
      }
    },
    next(): Event | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length > 0 && last) {
        heap[0] = last;
        for (let n = 0; ; ) {
          let least = n;
          for (const child of [2 * n + 1, 2 * n + 2])
            if (child < heap.length && before(child, least)) least = child;
          if (least === n) break;
          swap(n, least);
          n = least;
        }
      }
      return first;
    },
  };
}
