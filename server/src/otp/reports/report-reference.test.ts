import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { systemRandom } from '../../platform/security/random.ts';
import { createVault } from '../../platform/security/vault.ts';
import { readReference, reportReference } from './report-reference.ts';

const random = systemRandom(systemClock);
const cost = { N: 2 ** 4, r: 1 };
const vault = createVault('the server key', [], random, cost);
const named = {
  otp_id: '01a1fc70-fdee-736c-b69f-fcfa3db1c769',
  account_id: '01a1fc70-0000-7000-8000-00000000000a',
};
const reference = reportReference({ vault }, 'acme', named);

test('a reference names its message to its carrier only, in at most 64 characters', () => {
  expect(reference.length).toBeLessThanOrEqual(64);
  expect(readReference({ vault }, 'acme', reference)).toEqual(named);
  expect(readReference({ vault }, 'other', reference)).toBeUndefined();
});

test('a reference that was changed anywhere names nothing', () => {
  for (let at = 0; at < reference.length; at += 1) {
    const changed = reference.slice(0, at) + (reference[at] === 'A' ? 'B' : 'A') + reference.slice(at + 1);
    // The last character has bits that no byte uses.
    if (Buffer.from(changed, 'base64url').equals(Buffer.from(reference, 'base64url'))) continue;
    expect(readReference({ vault }, 'acme', changed), String(at)).toBeUndefined();
  }
  for (const text of ['', 'x', `${reference}A`, reference.slice(1), `${named.otp_id}.${named.account_id}`])
    expect(readReference({ vault }, 'acme', text)).toBeUndefined();
});

test('a reference is valid until the server key that made it is removed', () => {
  const rotated = createVault('a new server key', ['the server key'], random, cost);
  expect(readReference({ vault: rotated }, 'acme', reference)).toEqual(named);
  const later = createVault('a new server key', [], random, cost);
  expect(readReference({ vault: later }, 'acme', reference)).toBeUndefined();
});
