import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { systemRandom } from '../../platform/security/random.ts';
import { createVault } from '../../platform/security/vault.ts';
import { type Code, mintCode, recipientKey, SHARING_MS } from '../code.ts';
import { decideSend, type LockedSends } from './decision.ts';
import type { SendItem } from './item.ts';

/** Property tests of the decision as a pure function: the invariants hold after every step. */
const random = systemRandom(systemClock);
const app = { vault: createVault('a key for these tests', [], random, { N: 2, r: 1 }), random };
const START = Date.parse('2026-03-01T00:00:00Z');
const DAY = 86_400_000;
const ACCOUNTS = ['a', 'b'];
const RECIPIENTS = ['x@example.com', 'y@example.com'];

const item = (n: number, of: Partial<SendItem>): SendItem => ({
  account_id: 'a',
  api_key_id: 'k',
  id: `otp-${n}`,
  log_id: '',
  channel: 'email',
  recipient: 'x@example.com',
  recipient_hash: of.recipient ?? 'x@example.com',
  row: {},
  segments: null,
  cost_credits: 1,
  expires_in: 300,
  code_length: 6,
  ip_address: null,
  started_ms: 0,
  opt_out: null,
  suppression: null,
  destination: null,
  idempotency: null,
  account_limits: null,
  own_code: null,
  is_test: false,
  ...of,
});
const OVER_ALL = { per10Min: 8, perDay: 30 };
const NO_LIMIT = { per10Min: 1000, perDay: 1000 };
const balance = (credits: number, debt = 0) => ({
  credits,
  debt,
  daily_credit_limit: null,
  monthly_credit_limit: null,
  spent_today: 0,
  spent_this_month: 0,
  tests_today: 0,
});
const lockedState = (
  credits: number,
  perAccount = { per10Min: 5, perDay: 20 },
  overAll = OVER_ALL,
): LockedSends => ({
  nowMs: START,
  balances: new Map(ACCOUNTS.map((account) => [account, balance(credits)])),
  keySpending: new Map(),
  recipients: new Map(),
  ownCodes: new Map(),
  sentOverAll: new Map(),
  plans: new Map(),
  optedOut: new Set(['gone']),
  known: new Map(),
  suppressed: new Map([
    ['a dead', { suppressed_for: 'hard_bounce', suppressed_since: '2026-11-29T00:00:00Z' }],
  ]),
  usedProofs: new Set(),
  firstRequests: new Map(),
  written: new Set(),
  limits: { perAccount, overAll },
  guard: { refuse: () => undefined, charge: () => undefined },
});
/** The rules on destinations are functions, which cannot be cloned. */
const copyOf = ({ guard, ...state }: LockedSends): LockedSends => ({ ...structuredClone(state), guard });
const identity = (key: string, request: string) => ({ key, request, olderRequests: [] });

const aSend = fc.record({
  account_id: fc.constantFrom(...ACCOUNTS),
  recipient: fc.constantFrom(...RECIPIENTS),
  expires_in: fc.integer({ min: 60, max: 3600 }),
  code_length: fc.integer({ min: 4, max: 8 }),
  opt_out: fc.constantFrom(null, ['gone'], ['here'], ['here', 'gone']),
  idempotency: fc.option(
    fc.record({ key: fc.constantFrom('k1', 'k2'), request: fc.constantFrom('r1', 'r2') }),
    { nil: null },
  ),
  waitMs: fc.constantFrom(0, 1, 1_000, 60_000, SHARING_MS - 1, SHARING_MS, DAY / 10),
});

test('a random sequence of sends never overspends, never exceeds a limit, never reaches an opted-out recipient', () => {
  fc.assert(
    fc.property(fc.array(aSend, { maxLength: 60 }), fc.integer({ min: 0, max: 30 }), (sends, credits) => {
      const state = lockedState(credits);
      const accepted: { ms: number; account: string; recipient: string }[] = [];
      sends.forEach(({ waitMs, idempotency, ...one }, n) => {
        state.nowMs += waitMs;
        const send = item(n, {
          ...one,
          idempotency: idempotency && identity(idempotency.key, idempotency.request),
        });
        const before = structuredClone([...state.balances]);
        const { outcome, accepted: taken } = decideSend(state, send, (of) =>
          mintCode(app, of, of.code_length),
        );
        expect(outcome.kind === 'accepted').toBe(taken !== undefined);
        if (!taken) expect([...state.balances]).toEqual(before);
        else {
          expect((one.opt_out ?? []).some((hash) => hash === 'gone')).toBe(false);
          accepted.push({ ms: state.nowMs, account: one.account_id, recipient: one.recipient });
        }
      });
      for (const account of ACCOUNTS) {
        const spent = accepted.filter((one) => one.account === account);
        expect(state.balances.get(account)?.credits).toBe(credits - spent.length);
        expect(spent.length).toBeLessThanOrEqual(credits);
        for (const recipient of RECIPIENTS) {
          const times = spent.filter((one) => one.recipient === recipient).map(({ ms }) => ms);
          for (const ms of times) {
            expect(times.filter((t) => t > ms - SHARING_MS && t <= ms).length).toBeLessThanOrEqual(5);
            expect(times.filter((t) => t > ms - DAY && t <= ms).length).toBeLessThanOrEqual(20);
          }
        }
      }
      for (const recipient of RECIPIENTS) {
        const times = accepted.filter((one) => one.recipient === recipient).map(({ ms }) => ms);
        for (const ms of times) {
          const within = (spanMs: number) => times.filter((t) => t > ms - spanMs && t <= ms).length;
          expect(within(SHARING_MS)).toBeLessThanOrEqual(OVER_ALL.per10Min);
          expect(within(DAY)).toBeLessThanOrEqual(OVER_ALL.perDay);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('sends share a code only while it is open and less than ten minutes old', () => {
  fc.assert(
    fc.property(fc.array(aSend, { maxLength: 40 }), (sends) => {
      const state = lockedState(1000, NO_LIMIT, NO_LIMIT);
      const last = new Map<string, { code: Code; sentMs: number; open_until_ms: number }>();
      sends.forEach(({ waitMs, ...one }, n) => {
        state.nowMs += waitMs;
        const send = item(n, { ...one, idempotency: null, opt_out: null });
        const { accepted } = decideSend(state, send, (of) => mintCode(app, of, of.code_length));
        if (!accepted) throw new Error('refused');
        const key = recipientKey(one.account_id, one.recipient);
        const before = last.get(key);
        const shares =
          before !== undefined &&
          before.open_until_ms > state.nowMs &&
          before.sentMs + SHARING_MS > state.nowMs;
        expect(accepted.code === before?.code).toBe(shares);
        if (!shares) expect(accepted.code).toHaveLength(one.code_length);
        last.set(key, {
          code: accepted.code,
          sentMs: shares && before ? before.sentMs : state.nowMs,
          open_until_ms: Math.max(
            before && before.open_until_ms > state.nowMs ? before.open_until_ms : 0,
            accepted.expires_ms,
          ),
        });
      });
    }),
    { numRuns: 200 },
  );
});

test('a recipient limit states how long to wait, and a send after that wait is accepted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 5, maxLength: 40 }), (waits) => {
      const state = lockedState(1000);
      waits.forEach((waitMs, n) => {
        state.nowMs += waitMs;
        const { outcome } = decideSend(state, item(n, {}), (of) => mintCode(app, of, of.code_length));
        if (outcome.kind !== 'recipient_rate_limited') return;
        const seconds = outcome.retry_after;
        expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400).toBe(true);
        const soon = copyOf(state);
        soon.nowMs += (seconds - 1) * 1000 - 1;
        if (soon.nowMs >= state.nowMs)
          expect(decideSend(soon, item(n, {}), () => mintCode(app, item(n, {}), 6)).outcome.kind).toBe(
            'recipient_rate_limited',
          );
        state.nowMs += seconds * 1000;
        expect(decideSend(state, item(n, {}), () => mintCode(app, item(n, {}), 6)).outcome.kind).toBe(
          'accepted',
        );
      });
    }),
    { numRuns: 100 },
  );
});

test('a recipient limit never states a longer wait than its own period', () => {
  const state = lockedState(1000);
  const send = (n: number) =>
    decideSend(state, item(n, {}), (of) => mintCode(app, of, of.code_length)).outcome;
  for (let n = 0; n < 5; n++) expect(send(n).kind).toBe('accepted');
  state.nowMs -= 20;
  expect(send(5)).toEqual({ kind: 'recipient_rate_limited', retry_after: 600 });
});

test('an account in debt sends nothing, however many credits it has', () => {
  const state = lockedState(0);
  state.balances.set('a', balance(10, 1));
  const { outcome } = decideSend(state, item(1, {}), (of) => mintCode(app, of, of.code_length));
  expect(outcome).toEqual({ kind: 'insufficient_credits' });
  expect(state.balances.get('a')).toEqual(balance(10, 1));
});

test('sends of one batch spend no more than the balance, whatever each costs', () => {
  const state = lockedState(5);
  const kinds = ['x@example.com', 'y@example.com', 'z@example.com'].map((recipient, n) => {
    const send = item(n, { recipient, cost_credits: n === 2 ? 2 : 3 });
    return decideSend(state, send, (of) => mintCode(app, of, of.code_length)).outcome.kind;
  });
  expect(kinds).toEqual(['accepted', 'insufficient_credits', 'accepted']);
  expect(state.balances.get('a')?.credits).toBe(0);
});

test('of the spend limits of the owner and of an operator, the lower one counts', () => {
  const NO_LIMITS = { daily_credit_limit: null, monthly_credit_limit: null };
  const outcome = (owner: number | null, operator: number | null) => {
    const state = lockedState(100);
    state.balances.set('a', { ...balance(100), daily_credit_limit: owner });
    const account_limits = { ...NO_LIMITS, daily_credit_limit: operator } as SendItem['account_limits'];
    const send = item(1, { cost_credits: 3, account_limits });
    return decideSend(state, send, (of) => mintCode(app, of, of.code_length)).outcome.kind;
  };
  expect([outcome(5, 2), outcome(2, 5), outcome(null, 2), outcome(2, null)]).toEqual(
    Array(4).fill('spend_limit_reached'),
  );
  expect([outcome(5, 5), outcome(null, 5), outcome(null, null)]).toEqual(Array(3).fill('accepted'));
});

test('one idempotency key creates at most one verification', () => {
  fc.assert(
    fc.property(fc.array(aSend, { maxLength: 60 }), (sends) => {
      const state = lockedState(1000, NO_LIMIT, NO_LIMIT);
      const first = new Map<string, { request: string; id: string }>();
      sends.forEach(({ idempotency, ...one }, n) => {
        if (!idempotency) return;
        const send = item(n, {
          ...one,
          opt_out: null,
          idempotency: identity(idempotency.key, idempotency.request),
        });
        const { outcome } = decideSend(state, send, (of) => mintCode(app, of, of.code_length));
        const key = `${one.account_id} ${idempotency.key}`;
        const earlier = first.get(key);
        if (!earlier) {
          expect(outcome.kind).toBe('accepted');
          first.set(key, { request: idempotency.request, id: send.id });
        } else if (earlier.request !== idempotency.request)
          expect(outcome).toEqual({ kind: 'idempotency_key_reused' });
        else expect(outcome).toMatchObject({ kind: 'repeated', outcome: { reply: { otp_id: earlier.id } } });
      });
    }),
    { numRuns: 200 },
  );
});
