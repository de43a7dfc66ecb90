import { SendReply, VerifyReply } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { knownResponse } from './known-response.ts';

const otp = {
  id: '0199c0de-0000-7000-8000-000000000001',
  channel: 'sms',
  recipient: '+14155552671',
  segments: 1,
  expires_at: '2026-01-02T03:09:05.000Z',
  verified_at: null,
  test: false,
} as const;
const log = {
  response_status_code: 201,
  credits_used: 2,
  reason: null,
  blocked_by: null,
  refused_fields: null,
} as const;

test('the response to a logged send has exactly the fields of the contract', () => {
  const live = knownResponse({ ...log, request_type: 'send_otp' }, otp);
  expect(live).toMatchObject({ isWhole: true, body: { cost_credits: 2, status: 'pending' } });
  expect(SendReply.strict().parse(live?.body)).toEqual(live?.body);
  const test = knownResponse({ ...log, request_type: 'send_otp' }, { ...otp, test: true });
  expect(SendReply.strict().parse(test?.body)).toMatchObject({ test: true });
});

test('the response to a logged verify has exactly the fields of the contract', () => {
  const verified = { ...otp, verified_at: '2026-01-02T03:05:00.000Z' };
  const verify = { ...log, request_type: 'verify_otp', response_status_code: 200 } as const;
  const known = knownResponse(verify, verified);
  expect(VerifyReply.strict().parse(known?.body)).toEqual(known?.body);
  expect(knownResponse(verify, otp)).toBeUndefined();
});

test('of a refused request, only the error, its reason and the blocking rules are known', () => {
  const refused = { ...log, request_type: 'send_otp', response_status_code: 400 } as const;
  expect(
    knownResponse({ ...refused, reason: 'destination_blocked', blocked_by: ['deny_list'] }, undefined),
  ).toEqual({
    isWhole: false,
    body: {
      error: 'Sending to this destination is blocked',
      reason: 'destination_blocked',
      blocked_by: ['deny_list'],
    },
  });
  expect(knownResponse({ ...refused, reason: 'invalid_fields' }, undefined)).toBeUndefined();
  expect(knownResponse(refused, undefined)).toBeUndefined();
});
