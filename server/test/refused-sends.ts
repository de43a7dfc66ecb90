import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { resendVerification } from '@sixdigit/contract/operator/account-data.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { denyDestination, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { createSuppression } from '@sixdigit/contract/suppressions.ts';
import { sendTestCode, sendVerificationAgain } from '@sixdigit/contract/test-send.ts';
import { optOut, optOutFingerprint } from '../src/messaging/opt-outs/opt-outs.ts';
import type { Answered, RefusalStage, Row, Sent } from './refusal-stage.ts';
import type { Customer } from './service.ts';

const REASON = { reason: 'For a test' };

export const testSend = ({ api_key_id }: Customer, { recipient }: Sent) => ({
  body: { api_key: api_key_id, channel: recipient.includes('@') ? 'email' : 'sms', recipient },
});

type Repeat = (
  stage: RefusalStage,
  who: Customer,
  sent: Sent,
  headers?: Record<string, string>,
) => Promise<Answered>;

const ownTest: Repeat = ({ as }, who, sent, headers = {}) =>
  as(who, sendTestCode, { headers, ...testSend(who, sent) });
const ownAgain: Repeat = ({ as }, who, { otp_id }, headers = {}) =>
  as(who, sendVerificationAgain, { headers, params: { id: otp_id } });
const byKey: Repeat = ({ service }, { api_key }, { otp_id }, headers = {}) =>
  service.call(resendOtp, { apiKey: api_key, headers, params: { otp_id }, body: {} });
const byOperator: Repeat = ({ olivia }, { account_id }, { otp_id }) =>
  olivia.call(resendVerification, { params: { id: account_id, otp_id }, body: REASON });

/** The states in which the rules refuse a send to the recipient of an earlier one. */
const REFUSING: Record<string, (stage: RefusalStage, who: Customer, sent: Sent) => Promise<unknown>> = {
  insufficient_credits: ({ service }, { account_id }) =>
    service.app.db.run('update balances set credits = 0 where account_id = $1', [account_id]),
  spend_limit_reached: ({ as }, who) =>
    as(who, updateSpend, { body: { daily_credit_limit: 1, monthly_credit_limit: null } }),
  recipient_opted_out: ({ service: { app } }, _, { recipient }) =>
    optOut(app.db, optOutFingerprint(app, recipient)),
  recipient_suppressed: ({ as }, who, { recipient }) => as(who, createSuppression, { body: { recipient } }),
  destination_blocked: ({ as }, who, { recipient }) =>
    as(who, denyDestination, { body: { kind: 'number', value: recipient } }),
  recipient_rate_limited: async ({ service }, { api_key }, { recipient }) => {
    for (let status = 201; status === 201; )
      ({ status } = await service.call(sendOtp, { apiKey: api_key, body: { channel: 'sms', recipient } }));
  },
};

const repeats = (route: Route, repeat: Repeat): Row[] => [
  ...Object.entries(REFUSING).map(
    ([reason, refusing]): Row => [
      route,
      reason as FailureReason,
      async (stage) => {
        const who = await stage.customer();
        const sent = await stage.sent(who, reason === 'recipient_suppressed' ? undefined : stage.phone());
        await refusing(stage, who, sent);
        return repeat(stage, who, sent);
      },
    ],
  ),
  [
    route,
    'test_limit_reached',
    async (stage) => {
      const { db } = stage.service.app;
      const who = await stage.customer();
      const made = await stage.as(who, createApiKey, { body: { name: 'Test', mode: 'test' } });
      const tester = { ...who, api_key: String(made.body.key), api_key_id: String(made.body.id) };
      const sent = await stage.sent(tester);
      await db.run('update balances set tests_today = 10000 where account_id = $1', [who.account_id]);
      return repeat(stage, tester, sent);
    },
  ],
  [
    route,
    'rate_limited',
    async (stage) => {
      const who = await stage.customer();
      const sent = await stage.sent(who);
      return stage.overItsRate(who, () => repeat(stage, who, sent));
    },
  ],
];
const reused = (route: Route, repeat: Repeat): Row => [
  route,
  'idempotency_key_reused',
  async (stage) => {
    const who = await stage.customer();
    const headers = { 'idempotency-key': 'send-1' };
    await repeat(stage, who, await stage.sent(who), headers);
    return repeat(stage, who, await stage.sent(who), headers);
  },
];

/** Of an account that always demands a proof of work. */
const unproved = (reason: 'proof_required' | 'invalid_proof', proof: { proof?: string }): Row => [
  sendOtp,
  reason,
  async (stage) => {
    const who = await stage.customer();
    await stage.as(who, updateProtection, { body: { require_proof: 'always' } });
    return stage.as(who, sendOtp, { body: { channel: 'sms', recipient: stage.phone(), ...proof } });
  },
];

export const REPEATED_SENDS: readonly Row[] = [
  unproved('proof_required', {}),
  unproved('invalid_proof', { proof: 'e30=' }),
  [
    sendOtp,
    'recipient_suppressed',
    async (stage) => {
      const who = await stage.customer();
      const { recipient } = await stage.sent(who);
      await stage.as(who, createSuppression, { body: { recipient } });
      return stage.as(who, sendOtp, { body: { channel: 'email', recipient } });
    },
  ],
  ...repeats(sendTestCode, ownTest),
  ...repeats(sendVerificationAgain, ownAgain),
  ...repeats(resendVerification, byOperator),
  ...repeats(resendOtp, byKey),
  reused(sendTestCode, ownTest),
  reused(sendVerificationAgain, ownAgain),
];
