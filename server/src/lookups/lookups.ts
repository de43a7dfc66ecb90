/**
 * The door of this module: the look-up that tells what line a number is and when its SIM card changed. An operator sets it up as a
 * record, like a carrier. A send asks it before its batch, if a rule of `protection` needs an answer.
 */

import type { LookupFacts, LookupOutcome } from '@sixdigit/contract/protection/lookups.ts';
import { type Breaker, createBreaker, createPoster, type Poster } from '../messaging/carriers/carriers.ts';
import { monotonicMs } from '../platform/clock.ts';
import { fairSlots } from '../platform/fair-slots.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { askCompany, type CompanyAnswer, counted, type LookedUp, whyNoFacts } from './company.ts';
import { type AnswerAsked, beginLookup, findAnswer, keepAnswer, type Needless } from './queries.ts';
import type { OpenLookup } from './setup.ts';

export { askCompany, checkLookup, whyNoFacts } from './company.ts';
export {
  countToday,
  deleteLookupsOf,
  deleteSetup,
  eraseLookups,
  findSetup,
  type LookupSetupRow,
  type LookupValues,
  lookupRetention,
  saveSetup,
} from './queries.ts';
export {
  loadLookup,
  lookupProblems,
  type OpenLookup,
  openLookup,
  openLookupSecrets,
  sealLookupSecrets,
} from './setup.ts';

/** The live setting whose change tells every process to read the setup again. */
export const LOOKUP = 'lookup';

/** A number, and whose answer about it is wanted. */
export interface LookupSubject {
  account_id: string;
  /** `\x` and the hex of the recipient's hashes, the first one under the present server key */
  hashes: readonly [string, ...string[]];
  /** A rule on the SIM card reads the answer, so an older one is not used. */
  needs_sim: boolean;
}

export interface LookupAsked extends LookupSubject {
  recipient: string;
  cost_credits: number;
  endpoint: string;
  idempotency_key: string | undefined;
  /** `\\x` and the hex id of the proof of work that the send uses up */
  proof_id: string | undefined;
}

export interface Lookups {
  /** Undefined turns look-ups off. With null, all fail. */
  use(setup: OpenLookup | null | undefined): void;
  /** Undefined while look-ups are off. */
  find(asked: LookupAsked): Promise<LookedUp | Needless | undefined>;
  /** Why look-ups are paused, as a sentence. Undefined while they are not. */
  paused(): string | undefined;
  /** The account's stored answer, without a look-up. */
  stored(subject: LookupSubject): Promise<LookupFacts | undefined>;
  close(): void;
}

/** A SIM swap is followed by a theft within minutes, so an earlier answer says too little. */
const SIM_ANSWER_SECONDS = 600;

const answerOf = ({ account_id, hashes, needs_sim }: LookupSubject, version: number): AnswerAsked => ({
  ...{ account_id, hashes, version },
  most_age_seconds: needs_sim ? SIM_ANSWER_SECONDS : undefined,
});

/** New accounts are free, so each could otherwise spend its part of the operator's budget. */
const UNPAID_DAILY_LIMIT = 20;

/** One account cannot make the others wait. The rest of a burst is `busy`. */
const SLOTS = { anAccount: 8, aProcess: 32, waitingAnAccount: 64, waitingAProcess: 512 };

/** Outcomes that hold for all sends to the number at the same moment. A timeout is that of one send. */
const OF_NUMBER: ReadonlySet<LookupOutcome> = new Set(['answered', 'cached', 'failed', 'unreadable']);

const BUSY: LookedUp = { outcome: 'busy', facts: null };
const PAUSED: LookedUp = { outcome: 'paused', facts: null };

interface InUse {
  setup: OpenLookup;
  poster: Poster;
  breaker: Breaker;
  /** What the company did last, if it failed. */
  failure?: string | undefined;
}

/** The limit of the whole wait: for a slot, the database and the company. A later answer is still kept for the next send. */
const late = (signal: AbortSignal): Promise<LookedUp> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ outcome: 'timeout', facts: null }), { once: true });
  });

interface Observer {
  lookedUp(outcome: LookupOutcome, ms: number): void;
}

export function createLookups(app: Needs<'db' | 'clock' | 'config'>, observer: Observer): Lookups {
  const slots = fairSlots(SLOTS);
  // Keyed by account and number: its concurrent sends to it share one look-up. One that needs a recent SIM answer shares no older one.
  const flights = new Map<string, Promise<LookedUp | Needless>>();
  let current: InUse | null | undefined;
  const posters = new Set<Poster>();

  async function ask(using: InUse, asked: LookupAsked): Promise<LookedUp | Needless> {
    const { setup, poster, breaker } = using;
    const { version, cache_hours, daily_limit, account_daily_limit } = setup;
    const { account_id, hashes, cost_credits: cost, endpoint, idempotency_key, proof_id } = asked;
    const call = breaker.admit(app.clock.now());
    if (!call) {
      const facts = await findAnswer(app.db, answerOf(asked, version));
      return facts ? { outcome: 'cached', facts } : PAUSED;
    }
    let found: CompanyAnswer | undefined;
    try {
      const begun = await beginLookup(app.db, {
        ...answerOf(asked, version),
        ...{ cost, endpoint, idempotency_key, proof_id },
        most: account_daily_limit,
        most_unpaid: UNPAID_DAILY_LIMIT,
        most_over_all: daily_limit,
      });
      const { outcome } = begun;
      if (outcome === 'repeated' || outcome === 'unpaid') return outcome;
      if (outcome !== 'reserved') return { outcome, facts: begun.facts ?? null };
      // The whole limit, however long the send has waited: otherwise a burst of sends would look like a company that hangs.
      const signal = AbortSignal.timeout(setup.timeout_ms);
      found = await askCompany(setup, poster, { ...asked, now: app.clock.now(), signal });
    } finally {
      if (found) using.failure = whyNoFacts(found);
      if (found) call.report(counted(found), app.clock.now());
      else call.withdraw(app.clock.now());
    }
    if (found.facts && cache_hours > 0)
      await keepAnswer(app.db, {
        ...{ account_id, hash: hashes[0], version, facts: found.facts },
        hours: cache_hours,
      });
    return found;
  }

  /** Shares the look-up of a concurrent send to the number. */
  async function share(using: InUse, asked: LookupAsked, signal: AbortSignal) {
    const key = `${asked.account_id} ${asked.hashes[0]} ${asked.needs_sim}`;
    for (let flight = flights.get(key); flight; flight = flights.get(key)) {
      const found = await flight.catch(() => undefined);
      if (typeof found === 'object' && OF_NUMBER.has(found.outcome)) return found;
    }
    if (signal.aborted) return BUSY;
    const flight = ask(using, asked).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  return {
    use(setup) {
      // Idle connections close by themselves, so that a look-up in flight ends as it began.
      const poster = setup && createPoster({ allowPrivate: app.config.webhookAllowPrivate });
      if (poster) posters.add(poster);
      current = setup && poster && { setup, poster, breaker: createBreaker() };
    },
    async find(asked) {
      const using = current;
      if (using === undefined) return undefined;
      if (using === null) {
        observer.lookedUp('failed', 0);
        return { outcome: 'failed', facts: null };
      }
      const startedMs = monotonicMs();
      const signal = AbortSignal.timeout(using.setup.timeout_ms);
      const work = slots
        .run(asked.account_id, () => share(using, asked, signal), { signal })
        .catch((error: unknown): LookedUp => {
          if (error instanceof Failure && error.reason === 'too_many_requests') return BUSY;
          throw error;
        });
      const found = await Promise.race([work, late(signal)]);
      if (typeof found !== 'string') observer.lookedUp(found.outcome, monotonicMs() - startedMs);
      return found;
    },
    paused: () =>
      current?.breaker.isOpen() ? (current.failure ?? 'The company failed repeatedly.') : undefined,
    stored: async (subject) =>
      current ? findAnswer(app.db, answerOf(subject, current.setup.version)) : undefined,
    close() {
      for (const poster of posters) poster.close();
    },
  };
}
