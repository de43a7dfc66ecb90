import { createGuard, type Guard } from '../src/protection/guard.ts';

/** Simulated traffic for the destination rules, with ordinary users in ten countries and attackers. The clock is a number. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const EXPIRY = 5 * MINUTE;

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

interface Send {
  account_id: string;
  country: string;
  prefix: string;
  /** the last four digits */
  line: string;
  client: string | null;
  isAttack: boolean;
  /** a code of the number was verified before */
  isKnown: boolean;
  /** ms from the send to the right code; undefined: never verified */
  verifiesAfter: number | undefined;
  /** ms to a second request, if no code was entered by then */
  asksAgainAfter: number | undefined;
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

export interface Share {
  sends: number;
  blocked: number;
  by: Map<string, number>;
}

export interface Simulation {
  guard: Guard;
  nowMs(): number;
  /** Users of all countries, `perHour` on the average of a day, until `end`. */
  users(options: {
    accounts: readonly string[];
    perHour: number;
    end: number;
    countries?: readonly Country[];
    /** the share of users whose number is known; default: none */
    known?: number;
  }): void;
  /** `count` sends, evenly over `span`. */
  attack(options: {
    count: number;
    span: number;
    from: number;
    send(n: number): { account_id: string; country: Country; prefix: number; client?: string };
  }): void;
  run(until: number): void;
  legitimate: Share;
  /** Of these, the sends to France. */
  toFrance: Share;
  attacks: Share;
  /** Of the users' sends, those to known numbers. */
  known: Share;
  /** Discards the measurements so far. */
  measure(): void;
}

const KNOWN = { known_on: '', verified_ms: 0, is_imported: false };

const newShare = (): Share => ({ sends: 0, blocked: 0, by: new Map() });

/** `exempts`: known numbers pass the rules about others. */
export function simulation(seed: number, { exempts = true } = {}): Simulation {
  const random = seeded(seed);
  const guard = createGuard({ sandbox: false });
  const events = timeline();
  let now = Date.UTC(2026, 0, 5);
  let visitors = 0;
  const made: Simulation = {
    guard,
    nowMs: () => now,
    legitimate: newShare(),
    toFrance: newShare(),
    attacks: newShare(),
    known: newShare(),
    measure() {
      made.known = newShare();
      made.toFrance = newShare();
      made.legitimate = newShare();
      made.attacks = newShare();
    },
    users({ accounts, perHour, end, countries = COUNTRIES, known = 0 }) {
      const arrive = (): void => {
        const country = pick(countries);
        const account_id = accounts[Math.floor(random() * accounts.length)] as string;
        const verifies = random() < country.conversion;
        // Most people enter a code within half a minute.
        const after = Math.min(280 * SECOND, Math.exp(3 + 0.7 * normal()) * SECOND);
        submit({
          account_id,
          country: country.code,
          prefix: prefixOf(country, Math.floor(random() * country.prefixes)),
          line: digits(4),
          // One user in twenty shares an address with others.
          client: random() < 0.05 ? `198.51.100.${Math.floor(random() * 250)}` : addressOf(visitors++),
          isAttack: false,
          isKnown: known > 0 && random() < known,
          verifiesAfter: verifies ? after : undefined,
          asksAgainAfter: random() < (verifies ? 0.08 : 0.3) ? MINUTE : undefined,
        });
        schedule();
      };
      const schedule = (): void => {
        const hour = (now % DAY) / HOUR;
        const rate = perHour * (1 + 0.6 * Math.sin(((hour - 8) / 24) * 2 * Math.PI));
        const at = now - Math.log(1 - random()) * (HOUR / rate);
        if (at < end) events.add(at, arrive);
      };
      schedule();
    },
    attack({ count, span, from, send }) {
      for (let n = 0; n < count; n++)
        events.add(from + (n / count) * span, () => {
          const { account_id, country, prefix, client } = send(n);
          submit({
            account_id,
            country: country.code,
            prefix: prefixOf(country, prefix),
            line: digits(4),
            client: client ?? addressOf(visitors++),
            isAttack: true,
            isKnown: false,
            verifiesAfter: undefined,
            asksAgainAfter: undefined,
          });
        });
    },
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

  const pick = (countries: readonly Country[]): Country => {
    let left = random() * countries.reduce((sum, { share }) => sum + share, 0);
    for (const country of countries) {
      left -= country.share;
      if (left <= 0) return country;
    }
    return countries[0] as Country;
  };
  const digits = (count: number): string => String(Math.floor(random() * 10 ** count)).padStart(count, '0');
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

  const submit = (send: Send): void => {
    const share = send.isAttack ? made.attacks : made.legitimate;
    share.sends += 1;
    // No other process reads them in the simulation.
    if (share.sends % 1_000 === 0) guard.counters.takeDeltas();
    const { account_id, country, prefix, line, client } = send;
    const isToFrance = !send.isAttack && country === 'FR';
    const shares = [share, ...(isToFrance ? [made.toFrance] : []), ...(send.isKnown ? [made.known] : [])];
    for (const one of shares.slice(1)) one.sends += 1;
    const recipient = `${prefix}${line}`;
    const asked = {
      account_id,
      to: { number: recipient, prefix, country, address: client, client },
      recipient,
      known: send.isKnown && exempts ? KNOWN : undefined,
      now_ms: now,
    };
    const decision = guard.decide(asked);
    guard.note(asked, decision);
    if (decision.blocked_by.length > 0) {
      for (const one of shares) {
        one.blocked += 1;
        for (const rule of decision.blocked_by) one.by.set(rule, (one.by.get(rule) ?? 0) + 1);
      }
      return;
    }
    const traffic = { account_id, prefix, country, client, recipient, known: decision.known };
    guard.record(traffic, 'sent', now);
    const asksAgain =
      send.asksAgainAfter !== undefined && send.asksAgainAfter < (send.verifiesAfter ?? EXPIRY)
        ? send.asksAgainAfter
        : undefined;
    if (send.verifiesAfter !== undefined)
      events.add(now + send.verifiesAfter, () => guard.record(traffic, 'verified', now));
    else events.add(now + EXPIRY, () => guard.record(traffic, 'unverified', now));
    if (asksAgain !== undefined)
      events.add(now + asksAgain, () =>
        submit({
          ...send,
          verifiesAfter: send.verifiesAfter === undefined ? undefined : send.verifiesAfter - asksAgain,
          asksAgainAfter: undefined,
        }),
      );
  };
  return made;
}

const prefixOf = ({ calling }: Country, n: number): string => `${calling}${String(100_000 + n)}`;
const addressOf = (n: number): string => `100.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
