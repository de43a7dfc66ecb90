import { expect, test } from 'vitest';
import { closingOf, outcomeOf } from './outcome.ts';

const START = Date.UTC(2026, 10, 22, 12);
const at = (second: number): string => new Date(START + second * 1_000).toISOString();
const otp: Parameters<typeof outcomeOf>[0] = {
  status: 'sent',
  carrier: 'twilio',
  failure: null,
  test: false,
  cost_credits: 1,
  created_at: at(0),
  sent_at: at(1),
  delivered_at: null,
  verified_at: null,
  expires_at: at(300),
  status_logs: [],
  own_code: false,
  outcome: null,
};
const noted = (notes: string) => [
  {
    id: '',
    previous_status: 'sent' as const,
    new_status: 'expired' as const,
    changed_at: at(9),
    ip_address: null,
    notes,
  },
];
const tooMany = { status: 'failed', failure: 'Too many wrong codes' } as const;

test.each<[Partial<typeof otp>, string]>([
  [{ status: 'pending', sent_at: null }, 'Waiting for a carrier to accept the message.'],
  [{}, 'Sent by Twilio 1 s after the request. Waiting for the code.'],
  [{ sent_at: at(0.02), carrier: null }, 'Sent less than 0.1 s after the request. Waiting for the code.'],
  [{ delivered_at: at(4) }, 'Delivered 4 s after the request. Waiting for the code.'],
  [{ status: 'verified', verified_at: at(28) }, 'Verified 27 s after the message was sent.'],
  [
    { status: 'verified', verified_at: at(28), steps: [{ channel: 'sms', status: 'sent', at: at(1) }] },
    'Verified 27 s after the first message was sent.',
  ],
  [{ status: 'verified', sent_at: null, verified_at: at(28) }, 'Verified.'],
  [tooMany, 'Failed: Too many wrong codes.'],
  [{ status: 'failed', failure: 'Refused!', cost_credits: 0 }, 'Failed: Refused! Nothing was charged.'],
  [{ ...tooMany, cost_credits: 0, test: true }, 'Failed: Too many wrong codes.'],
  [
    { status: 'expired' },
    'Expired: the correct code was not entered in time, and no delivery report arrived.',
  ],
  [
    { status: 'expired', delivered_at: at(4) },
    'Expired: the message was delivered, but the correct code was not entered in time.',
  ],
  [
    { status: 'expired', status_logs: noted('Superseded') },
    'Superseded: the recipient verified with another message that had the same code.',
  ],
  [{ status: 'expired', status_logs: noted('Canceled') }, 'Canceled. The code no longer works.'],
  [
    { own_code: true },
    'Sent by Twilio 1 s after the request. The sender verifies the code and has not reported the outcome.',
  ],
  [
    { own_code: true, status: 'expired', delivered_at: at(4), outcome: 'unverified' },
    'Delivered 4 s after the request. The sender reported that the code was not verified.',
  ],
  [
    { own_code: true, status: 'expired', outcome: 'verified' },
    'Sent by Twilio 1 s after the request. The sender reported that the code was verified.',
  ],
  [{ own_code: true, status: 'expired', sent_at: null }, 'Expired before a carrier accepted the message.'],
])('one sentence says what happened to a verification: %#', (patch, sentence) => {
  expect(outcomeOf({ ...otp, ...patch }, START + 60_000)).toBe(sentence);
});

test('a sent code whose time is over counts as expired before the service has closed it', () => {
  expect(outcomeOf(otp, START + 301_000)).toMatch(/^Expired: /);
});

test('only superseded and canceled verifications have a reason next to their status', () => {
  expect(closingOf({ status: 'expired', status_logs: noted('Superseded') })).toBe('Superseded');
  expect(closingOf({ status: 'expired', status_logs: noted('Canceled') })).toBe('Canceled');
  expect(closingOf({ status: 'failed', status_logs: noted('Superseded') })).toBeUndefined();
});
