import type { OperatorAction } from '@sixdigit/contract/operator/operator.ts';
import { expect, test } from 'vitest';
import { placeOf, shortSubject } from './audit-place.ts';

const id = '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const entry = (action: string, subject: string, account_id: string | null = null) =>
  ({ action, subject, account_id }) as OperatorAction;

test('an audit entry links its subject to the screen that shows it', () => {
  expect(placeOf(entry('verification.reveal', `Verification ${id}`, 'alice'))).toMatchObject({
    to: '/operator/accounts/$id/verifications',
    params: { id: 'alice' },
    search: { search: id, days: 'all' },
  });
  expect(placeOf(entry('payment.refund', `Purchase ${id}`, 'alice'))).toMatchObject({
    to: '/operator/payments',
    search: { search: id },
  });
  expect(placeOf(entry('announcement.create', 'Maintenance'))).toEqual({ to: '/operator/announcements' });
  expect(placeOf(entry('account.suspend', 'Account', 'alice'))).toBeUndefined();
  expect(placeOf(entry('future.action', 'Something'))).toBeUndefined();
});

test('a list shows the beginning of an id', () => {
  expect(shortSubject(entry('verification.reveal', `Verification ${id}`))).toBe('Verification 0193a1b2…');
  expect(shortSubject(entry('operator_key.create', 'Monitoring'))).toBe('Monitoring');
});
