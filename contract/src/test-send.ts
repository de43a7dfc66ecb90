import { z } from 'zod';
import { REQUIRED } from './field.ts';
import { channel, SEND_FAILURES, SendBody, SendReply, VerifyReply, verifyOtp } from './otp.ts';
import { VerifyBody } from './otp-fields.ts';
import { planFields, withPlan } from './plan-fields.ts';
import { route } from './route.ts';

const api_key = z
  .string()
  .min(1, REQUIRED)
  .meta({ description: 'The id of a key of the account. Its secret is not needed' });

const base = { tag: 'otp', auth: 'bearer' } as const;

const ofKey = ['not_found', 'account_suspended', 'api_key_expired', 'missing_scope'] as const;

export const sendTestCode = route('POST /test-send/', {
  ...base,
  name: 'sendTestCode',
  summary: 'Send a code from the dashboard',
  description:
    'Works like POST /otp/send/ with this key, under the same rules and at the same price. With a test key, nothing leaves the service and nothing is charged.',
  body: withPlan(
    SendBody.pick({
      recipient: true,
      locale: true,
      template: true,
      variables: true,
      app_hash: true,
      domain: true,
      expires_in: true,
      code_length: true,
      max_attempts: true,
      purpose: true,
      metadata: true,
      limits: true,
    }).extend({ channel: channel.optional(), ...planFields, api_key }),
  ),
  status: 201,
  reply: SendReply,
  stepUp: { when: 'the key is a live key' },
  idempotent: true,
  failures: [...ofKey, ...SEND_FAILURES, 'limit_reached', 'idempotency_key_reused'],
});

export const verifyTestCode = route('POST /test-send/verify/', {
  ...base,
  name: 'verifyTestCode',
  summary: 'Verify a code from the dashboard',
  description: 'Works like POST /otp/verify/ with this key, under the same rules.',
  body: VerifyBody.safeExtend({ api_key }),
  reply: VerifyReply,
  idempotent: true,
  failures: [...ofKey, ...verifyOtp.failures],
});

export const sendVerificationAgain = route('POST /verifications/:id/resend/', {
  tag: 'verifications',
  auth: 'bearer',
  name: 'sendVerificationAgain',
  summary: 'Send another code to the recipient of a verification',
  description:
    'Sends with the same key, channel, recipient and text, under the same rules and at the same price. It creates a new verification. While the first code is still valid, both messages contain the same code.',
  status: 201,
  reply: SendReply,
  stepUp: { when: 'the key is a live key' },
  idempotent: true,
  fieldErrors: true,
  failures: [
    'not_found',
    'account_suspended',
    'api_key_unusable',
    'own_code',
    ...SEND_FAILURES,
    'idempotency_key_reused',
  ],
});
