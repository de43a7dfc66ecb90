import { attemptsFor } from '@sixdigit/contract/guessing.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { systemRandom } from '../../platform/security/random.ts';
import { createVault } from '../../platform/security/vault.ts';
import { type Code, mintCode, openCode, recipientKey } from '../code.ts';
import {
  decideVerify,
  isComparison,
  type LockedVerifies,
  type VerificationState,
  type VerifyItem,
} from './decision.ts';

/** Property tests of the decision as a pure function: the invariants hold after every step. */
const random = systemRandom(systemClock);
const app = { vault: createVault('a key for these tests', [], random, { N: 2, r: 1 }), random };
const START = Date.parse('2026-03-01T00:00:00Z');

const aVerification = fc.record({
  account_id: fc.constantFrom('a', 'b'),
  recipient: fc.constantFrom('x@example.com', 'y@example.com'),
  code_length: fc.integer({ min: 4, max: 8 }),
  /** Whether it shares the code of the recipient's verification before it. */
  isShared: fc.boolean(),
  status: fc.constantFrom('pending', 'sent', 'failed'),
  expiresInMs: fc.integer({ min: 60_000, max: 3_600_000 }),
});
const aTry = fc.record({
  of: fc.nat(7),
  guess: fc.constantFrom('right', 'wrong', 'sibling', 'short', 'text'),
  waitMs: fc.constantFrom(0, 0, 0, 1_000, 60_000),
});

const lockedState = (verifications: readonly VerificationState[]): LockedVerifies => {
  const recipients: LockedVerifies['recipients'] = new Map();
  for (const { account_id, recipient, id } of verifications) {
    const key = recipientKey(account_id, recipient);
    const state = recipients.get(key) ?? {
      account_id,
      recipient,
      open_ids: [],
      tries_used: 0,
      wrong_tries: [],
      touched: false,
    };
    state.open_ids.push(id);
    recipients.set(key, state);
  }
  return {
    nowMs: START,
    verifications: new Map(verifications.map((one) => [recipientKey(one.account_id, one.id), one])),
    recipients,
    firstRequests: new Map(),
    changes: [],
    rightCodes: undefined,
  };
};

const verifyOf = (target: VerificationState, code: string, more: Partial<VerifyItem> = {}): VerifyItem => ({
  account_id: target.account_id,
  api_key_id: 'k',
  otp_id: target.id,
  code,
  ip_address: null,
  log_id: '',
  started_ms: 0,
  idempotency: null,
  is_test: false,
  ...more,
});

/** Open verifications with the digits of their codes. */
function open(of: readonly (typeof aVerification extends fc.Arbitrary<infer T> ? T : never)[]) {
  const codes = new Map<string, Code>();
  const digits = new Map<string, string>();
  const made = of.map(({ isShared, code_length, status, expiresInMs, ...owner }, n): VerificationState => {
    const key = recipientKey(owner.account_id, owner.recipient);
    const code = (isShared && codes.get(key)) || mintCode(app, owner, code_length);
    codes.set(key, code);
    digits.set(`otp-${n}`, openCode(app, owner.account_id, owner.recipient, code.sealed));
    return {
      ...owner,
      id: `otp-${n}`,
      is_test: false,
      own_code: false,
      known: null,
      purpose: null,
      max_attempts: null,
      resend_of: null,
      channel: 'email',
      status: status as VerificationState['status'],
      closed_by: null,
      hmac: code.hmac,
      code_length: code.length,
      client_ip: null,
      expires_ms: START + expiresInMs,
    };
  });
  return { made, digits };
}

test('a random sequence of verifies never exceeds one success or the allowed tries, and never reopens a code', () => {
  fc.assert(
    fc.property(
      fc.array(aVerification, { minLength: 1, maxLength: 8 }),
      fc.array(aTry, { maxLength: 60 }),
      (verifications, tries) => {
        const { made, digits } = open(verifications);
        const locked = lockedState(made);
        const successes = new Map<string, number>();
        const compared = new Map<string, number>();
        const closed = new Set<string>();
        const closeAll = (key: string) => {
          for (const one of made) if (recipientKey(one.account_id, one.recipient) === key) closed.add(one.id);
        };
        tries.forEach(({ of, guess, waitMs }, n) => {
          locked.nowMs += waitMs;
          const target = made[of % made.length] as VerificationState;
          const code = digits.get(target.id) ?? '';
          const sibling = made.find((one) => one.recipient === target.recipient && one.id !== target.id);
          const entered = {
            right: code,
            wrong: String((Number(code) + 1 + n) % 10 ** code.length).padStart(code.length, '0'),
            sibling: digits.get(sibling?.id ?? '') ?? '',
            short: '1',
            text: 'abc',
          }[guess];
          const key = recipientKey(target.account_id, target.recipient);
          const outcome = decideVerify(app, locked, verifyOf(target, entered));
          if (closed.has(target.id)) expect(isComparison(outcome)).toBe(false);
          if (outcome.kind === 'verified') {
            expect(target.expires_ms).toBeGreaterThan(locked.nowMs);
            successes.set(key, (successes.get(key) ?? 0) + 1);
            closeAll(key);
          }
          if (outcome.kind === 'invalid_code') {
            compared.set(key, (compared.get(key) ?? 0) + 1);
            expect(outcome.attempts_remaining).toBeLessThanOrEqual(attemptsFor(target.code_length) - 1);
            if (outcome.attempts_remaining === 0) closeAll(key);
          }
          if (guess === 'short' || guess === 'text') expect(isComparison(outcome)).toBe(false);
        });
        for (const times of successes.values()) expect(times).toBe(1);
        for (const times of compared.values()) expect(times).toBeLessThanOrEqual(5);
        // Each verification changes at most once.
        const moved = locked.changes.map(({ account_id, id }) => `${account_id} ${id}`);
        expect(new Set(moved).size).toBe(moved.length);
        for (const { status, hmac, closed_by } of made)
          if (status === 'verified' || closed_by) expect(hmac).toBeNull();
      },
    ),
    { numRuns: 150 },
  );
});

test('verifies in one batch with the same idempotency key are compared once', () => {
  const { made, digits } = open([
    {
      account_id: 'a',
      recipient: 'x@example.com',
      code_length: 6,
      isShared: false,
      status: 'sent',
      expiresInMs: 60_000,
    },
  ]);
  const target = made[0] as VerificationState;
  const locked = lockedState(made);
  const keyed = (code: string, request: string) =>
    decideVerify(
      app,
      locked,
      verifyOf(target, code, { idempotency: { key: 'k1', request, olderRequests: [] } }),
    );
  const wrong = digits.get(target.id) === '000000' ? '000001' : '000000';
  expect(keyed(wrong, 'r1')).toEqual({ kind: 'invalid_code', attempts_remaining: 4 });
  expect(keyed(wrong, 'r1')).toEqual({
    kind: 'repeated',
    outcome: { kind: 'invalid_code', attempts_remaining: 4 },
  });
  expect(keyed(digits.get(target.id) ?? '', 'r2')).toEqual({ kind: 'idempotency_key_reused' });
  expect([...locked.recipients.values()][0]?.tries_used).toBe(1);
});
