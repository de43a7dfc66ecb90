import { ResendReply, SendReply, VerifyReply } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { knownResponse } from './known-response.ts';

const otp = {
  id: '0199c0de-0000-7000-8000-000000000001',
  channel: 'sms',
  recipient: '+14155552671',
  segments: 1,
  expires_at: '2026-01-02T03:09:05.000Z',
  verified_at: null,
  language: 'en',
  own_code: false,
  resend_of: null,
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
  expect(live).toMatchObject({
    isWhole: false,
    body: { cost_credits: 2, status: 'pending', language: 'en' },
  });
  expect(SendReply.strict().parse(live?.body)).toEqual(live?.body);
  const test = knownResponse({ ...log, request_type: 'send_otp' }, { ...otp, test: true });
  expect(SendReply.strict().parse(test?.body)).toMatchObject({ test: true });
  const own = knownResponse({ ...log, request_type: 'send_otp' }, { ...otp, own_code: true, language: null });
  expect(own?.body).toMatchObject({ own_code: true });
  expect(own?.body).not.toHaveProperty('language');
  const steps = (['sms', 'voice'] as const).map(
    (channel) => ({ channel, status: 'sent', at: null }) as const,
  );
  const planned = knownResponse({ ...log, request_type: 'send_otp' }, { ...otp, steps });
  expect(SendReply.strict().parse(planned?.body)).toMatchObject({ channels: ['sms', 'voice'] });
  const first = '0199c0de-0000-7000-8000-000000000002';
  const resend = knownResponse({ ...log, request_type: 'send_otp' }, { ...otp, resend_of: first });
  expect(ResendReply.strict().parse(resend?.body)).toMatchObject({ otp_id: first, resend_id: otp.id });
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
