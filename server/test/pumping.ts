import { createGuard, type Guard } from '../src/protection/guard.ts';
import {
  COUNTRIES,
  type Country,
  DAY,
  EXPIRY,
  HOUR,
  MINUTE,
  type Send,
  seeded,
  traffic,
} from '../src/protection/worst-day/traffic.ts';

export { COUNTRIES, type Country, DAY, HOUR };

/** Simulated traffic for the destination rules, with ordinary users in ten countries and attackers. */
const SECOND = MINUTE / 60;

interface Request extends Send {
  is_attack: boolean;
  /** ms to a second request, if no code was entered by then */
  asks_again_after_ms: number | undefined;
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

const newShare = (): Share => ({ sends: 0, blocked: 0, by: new Map() });

/** `exempts`: known numbers pass the rules about others. */
export function simulation(seed: number, { exempts = true } = {}): Simulation {
  const random = seeded(seed);
  const guard = createGuard({ sandbox: false, isReplay: true });
  const sends = traffic({ guard, now: Date.UTC(2026, 0, 5) });
  let visitors = 0;
  const made: Simulation = {
    guard,
    nowMs: sends.nowMs,
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
          is_attack: false,
          is_known: known > 0 && random() < known,
          verified_after_ms: verifies ? after : undefined,
          asks_again_after_ms: random() < (verifies ? 0.08 : 0.3) ? MINUTE : undefined,
        });
        schedule();
      };
      const schedule = (): void => {
        const now = sends.nowMs();
        const hour = (now % DAY) / HOUR;
        const rate = perHour * (1 + 0.6 * Math.sin(((hour - 8) / 24) * 2 * Math.PI));
        const at = now - Math.log(1 - random()) * (HOUR / rate);
        if (at < end) sends.at(at, arrive);
      };
      schedule();
    },
    attack({ count, span, from, send }) {
      for (let n = 0; n < count; n++)
        sends.at(from + (n / count) * span, () => {
          const { account_id, country, prefix, client } = send(n);
          submit({
            account_id,
            country: country.code,
            prefix: prefixOf(country, prefix),
            line: digits(4),
            client: client ?? addressOf(visitors++),
            is_attack: true,
            is_known: false,
            verified_after_ms: undefined,
            asks_again_after_ms: undefined,
          });
        });
    },
    run: sends.run,
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

  const submit = (request: Request): void => {
    const { is_attack, country, is_known, verified_after_ms, asks_again_after_ms } = request;
    const shares = [
      is_attack ? made.attacks : made.legitimate,
      ...(!is_attack && country === 'FR' ? [made.toFrance] : []),
      ...(is_known ? [made.known] : []),
    ];
    const blocked_by = sends.submit({ ...request, is_known: is_known && exempts });
    for (const share of shares) {
      share.sends += 1;
      if (blocked_by.length === 0) continue;
      share.blocked += 1;
      for (const rule of blocked_by) share.by.set(rule, (share.by.get(rule) ?? 0) + 1);
    }
    if (
      blocked_by.length > 0 ||
      asks_again_after_ms === undefined ||
      asks_again_after_ms >= (verified_after_ms ?? EXPIRY)
    )
      return;
    sends.at(sends.nowMs() + asks_again_after_ms, () =>
      submit({
        ...request,
        verified_after_ms:
          verified_after_ms === undefined ? undefined : verified_after_ms - asks_again_after_ms,
        asks_again_after_ms: undefined,
      }),
    );
  };
  return made;
}

const prefixOf = ({ calling }: Country, n: number): string => `${calling}${String(100_000 + n)}`;
const addressOf = (n: number): string => `100.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
