import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/security/random.ts';
import { createVault } from '../platform/security/vault.ts';
import { isCode, mintCode, openCode } from './code.ts';

const random = systemRandom(systemClock);
const app = { vault: createVault('a key for these tests', [], random, { N: 2, r: 1 }), random };
const alice = { account_id: '0190aaaa-0000-7000-8000-000000000001', recipient: '+14155550001' };
const bob = { ...alice, account_id: '0190aaaa-0000-7000-8000-000000000002' };
const another = { ...alice, recipient: '+14155550002' };

const minted = (owner = alice) => {
  const code = mintCode(app, owner, 6);
  return { ...code, digits: openCode(app, owner.account_id, owner.recipient, code.sealed) };
};

test('a stored code matches for its account and recipient', () => {
  const { digits, hmac } = minted();
  expect(isCode(app, alice, digits, [hmac])).toBe(true);
  expect(isCode(app, alice, String((Number(digits) + 1) % 1_000_000).padStart(6, '0'), [hmac])).toBe(false);
});

test('a stored code copied to another account or recipient neither verifies nor decrypts there', () => {
  const { digits, hmac, sealed } = minted();
  for (const other of [bob, another]) {
    expect(isCode(app, other, digits, [hmac])).toBe(false);
    expect(() => openCode(app, other.account_id, other.recipient, sealed)).toThrow();
  }
});

test('the same digits are stored differently for each account and recipient', () => {
  const stored = [alice, bob, another].map((owner) =>
    app.vault.fingerprint('code', `${owner.account_id}\n${owner.recipient}\n123456`).toString('hex'),
  );
  expect(new Set(stored).size).toBe(3);
});

test('the stored form of a code does not contain the code', () => {
  const { digits, hmac, sealed } = minted();
  expect(hmac.toString('latin1')).not.toContain(digits);
  expect(sealed.toString('latin1')).not.toContain(digits);
});

test('codes are drawn uniformly, with every digit in every position', () => {
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
