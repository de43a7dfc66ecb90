import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { createVault } from '../platform/vault.ts';
import { type Code, mintCode, triesFor } from './code.ts';
import {
  decideSend,
  type LockedSends,
  type RecipientState,
  recipientKey,
  type SendItem,
  SHARING_MS,
} from './send-decision.ts';
import {
  decideVerify,
  type LockedVerifies,
  type VerificationState,
  type VerifyItem,
} from './verify-decision.ts';

/** Property tests of the decisions as pure functions: the invariants hold after every step. */
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
  ledger_id: '',
  log_id: '',
  channel: 'email',
  recipient: 'x@example.com',
  recipient_hash: of.recipient ?? 'x@example.com',
  message: null,
  subject: null,
  segments: null,
  expires_in: 300,
  code_length: 6,
  ip_address: null,
  startedMs: 0,
  opt_out: null,
  idempotency: null,
  ...of,
});
const OVER_ALL = { per10Min: 8, perDay: 30 };
const NO_LIMIT = { per10Min: 1000, perDay: 1000 };
const lockedState = (
  credits: number,
  perAccount = { per10Min: 5, perDay: 20 },
  overAll = OVER_ALL,
): LockedSends => ({
  nowMs: START,
  balances: new Map(ACCOUNTS.map((account) => [account, { credits, debt: 0 }])),
  recipients: new Map(),
  sentOverAll: new Map(),
  optedOut: new Set(['gone']),
  answered: new Map(),
  written: new Set(),
  limits: { perAccount, overAll },
});
const identity = (key: string, request: string) => ({ key, request, olderRequests: [] });
const readLockedVerifies = (
  nowMs: number,
  verifications: Map<string, VerificationState>,
  recipients: Iterable<RecipientState>,
): LockedVerifies => ({
  nowMs,
  verifications,
  recipients: new Map(
    [...recipients].map((state) => [
      recipientKey(state.account_id, state.recipient),
      { ...state, wrongTries: [...state.wrongTries], touched: false },
    ]),
  ),
  answered: new Map(),
  changes: [],
});

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

describe('a random sequence of sends', () => {
  test('never overspends, never exceeds a limit, never sends to an opted-out recipient', () => {
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

  test('shares a code exactly while one is open and recent enough', () => {
    fc.assert(
      fc.property(fc.array(aSend, { maxLength: 40 }), (sends) => {
        const state = lockedState(1000, NO_LIMIT, NO_LIMIT);
        const last = new Map<string, { code: Code; sentMs: number; openUntilMs: number }>();
        sends.forEach(({ waitMs, ...one }, n) => {
          state.nowMs += waitMs;
          const send = item(n, { ...one, idempotency: null, opt_out: null });
          const { accepted } = decideSend(state, send, (of) => mintCode(app, of, of.code_length));
          if (!accepted) throw new Error('refused');
          const key = recipientKey(one.account_id, one.recipient);
          const before = last.get(key);
          const shares =
            before !== undefined &&
            before.openUntilMs > state.nowMs &&
            before.sentMs + SHARING_MS > state.nowMs;
          expect(accepted.code === before?.code).toBe(shares);
          if (!shares) expect(accepted.code).toHaveLength(one.code_length);
          last.set(key, {
            code: accepted.code,
            sentMs: shares && before ? before.sentMs : state.nowMs,
            openUntilMs: Math.max(
              before && before.openUntilMs > state.nowMs ? before.openUntilMs : 0,
              accepted.expiresMs,
            ),
          });
        });
      }),
      { numRuns: 200 },
    );
  });

  test('a limit states how long to wait, and a send after that wait is accepted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 5, maxLength: 40 }),
        (waits) => {
          const state = lockedState(1000);
          waits.forEach((waitMs, n) => {
            state.nowMs += waitMs;
            const { outcome } = decideSend(state, item(n, {}), (of) => mintCode(app, of, of.code_length));
            if (outcome.kind !== 'refused') return;
            const seconds = outcome.failure.facts.retry_after ?? 0;
            expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400).toBe(true);
            const soon = structuredClone(state);
            soon.nowMs += (seconds - 1) * 1000 - 1;
            if (soon.nowMs >= state.nowMs)
              expect(decideSend(soon, item(n, {}), () => mintCode(app, item(n, {}), 6)).outcome.kind).toBe(
                'refused',
              );
            state.nowMs += seconds * 1000;
            expect(decideSend(state, item(n, {}), () => mintCode(app, item(n, {}), 6)).outcome.kind).toBe(
              'accepted',
            );
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  test('an account in debt sends nothing, whatever its balance', () => {
    const state = lockedState(0);
    state.balances.set('a', { credits: 10, debt: 1 });
    const { outcome } = decideSend(state, item(1, {}), (of) => mintCode(app, of, of.code_length));
    expect(outcome).toMatchObject({ kind: 'refused', failure: { reason: 'insufficient_credits' } });
    expect(state.balances.get('a')).toEqual({ credits: 10, debt: 1 });
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
            expect(outcome).toMatchObject({ kind: 'refused', failure: { reason: 'idempotency_key_reused' } });
          else expect(outcome).toMatchObject({ kind: 'replayed', status: 201, body: { otp_id: earlier.id } });
        });
      }),
      { numRuns: 200 },
    );
  });
});

const aTry = fc.record({
  of: fc.nat(7),
  guess: fc.constantFrom('right', 'wrong', 'sibling', 'short', 'text'),
  waitMs: fc.constantFrom(0, 0, 0, 1_000, 60_000),
});
const aBatch = fc.record({
  sends: fc.array(aSend, { minLength: 1, maxLength: 8 }),
  tries: fc.array(aTry, { maxLength: 60 }),
});

test('a random sequence of verifies never exceeds one success per recipient or the allowed tries, and never reopens a code', () => {
  fc.assert(
    fc.property(aBatch, ({ sends, tries }) => {
      const state = lockedState(1000, NO_LIMIT, NO_LIMIT);
      const verifications = new Map<string, VerificationState>();
      const digits = new Map<string, string>();
      const made: VerificationState[] = [];
      sends.forEach(({ waitMs, ...one }, n) => {
        state.nowMs += waitMs % 100_000;
        const send = item(n, { ...one, idempotency: null, opt_out: null });
        const { accepted } = decideSend(state, send, (of) => mintCode(app, of, of.code_length));
        if (!accepted) throw new Error('refused');
        const verification: VerificationState = {
          account_id: one.account_id,
          id: send.id,
          recipient: one.recipient,
          channel: 'email',
          status: n % 3 ? 'sent' : n % 2 ? 'pending' : 'failed',
          closedBy: null,
          hmac: accepted.code.hmac,
          codeLength: accepted.code.length,
          expiresMs: accepted.expiresMs,
        };
        made.push(verification);
        verifications.set(recipientKey(one.account_id, send.id), verification);
        digits.set(send.id, app.vault.open(accepted.code.sealed, `${one.account_id}\n${one.recipient}`));
      });
      const checked = readLockedVerifies(state.nowMs, verifications, state.recipients.values());
      const successes = new Map<string, number>();
      const compared = new Map<string, number>();
      const over = new Set<string>();
      tries.forEach(({ of, guess, waitMs }, n) => {
        checked.nowMs += waitMs;
        const target = made[of % made.length] as VerificationState;
        const code = digits.get(target.id) ?? '';
        const sibling = made.find(({ recipient, id }) => recipient === target.recipient && id !== target.id);
        const entered = {
          right: code,
          wrong: String((Number(code) + 1 + n) % 10 ** code.length).padStart(code.length, '0'),
          sibling: digits.get(sibling?.id ?? '') ?? '',
          short: '1',
          text: 'abc',
        }[guess];
        const asked: VerifyItem = {
          account_id: target.account_id,
          api_key_id: 'k',
          otp_id: target.id,
          code: entered,
          ip_address: null,
          log_id: '',
          startedMs: 0,
          idempotency: null,
        };
        const key = recipientKey(target.account_id, target.recipient);
        const outcome = decideVerify(app, checked, asked);
        if (over.has(target.id)) expect([400, 404]).toContain(outcome.status);
        if (outcome.status === 200) {
          expect(target.expiresMs).toBeGreaterThan(checked.nowMs);
          successes.set(key, (successes.get(key) ?? 0) + 1);
          for (const one of made) if (recipientKey(one.account_id, one.recipient) === key) over.add(one.id);
        }
        if (outcome.reason === 'invalid_code') {
          compared.set(key, (compared.get(key) ?? 0) + 1);
          const left = (outcome.body as { attempts_remaining: number }).attempts_remaining;
          expect(left).toBeLessThanOrEqual(triesFor(target.codeLength) - 1);
          if (left === 0)
            for (const one of made) if (recipientKey(one.account_id, one.recipient) === key) over.add(one.id);
        }
        if (guess === 'short' || guess === 'text') expect(outcome.isComparison).toBe(false);
      });
      for (const most of successes.values()) expect(most).toBe(1);
      for (const most of compared.values()) expect(most).toBeLessThanOrEqual(5);
      // Each verification changes at most once.
      const moved = checked.changes.map(({ account_id, id }) => `${account_id} ${id}`);
      expect(new Set(moved).size).toBe(moved.length);
      for (const { status, hmac, closedBy } of made)
        if (status === 'verified' || closedBy) expect(hmac).toBeNull();
    }),
    { numRuns: 150 },
  );
});

test('codes are drawn uniformly, with every digit in every place', () => {
  const counts = Array.from({ length: 6 }, () => new Array<number>(10).fill(0));
  for (let n = 0; n < 20_000; n++) {
    const code = random.digits(6);
    expect(code).toMatch(/^\d{6}$/);
    [...code].forEach((digit, place) => {
      const row = counts[place] as number[];
      row[Number(digit)] = (row[Number(digit)] ?? 0) + 1;
    });
  }
  // 2,000 expected each; 250 are almost six standard deviations.
  for (const row of counts) for (const n of row) expect(Math.abs(n - 2_000)).toBeLessThan(250);
});
