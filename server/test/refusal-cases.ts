import { createAccount, transferCredits } from '@sixdigit/contract/accounts/own-accounts.ts';
import { rotateApiKey, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { exportAuditEntries } from '@sixdigit/contract/audit.ts';
import { followEvents } from '@sixdigit/contract/events.ts';
import { getFallback, getVerificationFigures } from '@sixdigit/contract/insights.ts';
import {
  addMessageDomain,
  removeMessageDomain,
  verifyMessageDomain,
} from '@sixdigit/contract/message-links.ts';
import { resendWebhookMessage } from '@sixdigit/contract/operator/account-data.ts';
import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { getOperatorPrices, importSendPrices } from '@sixdigit/contract/operator/prices.ts';
import { getOperatorWorstDay } from '@sixdigit/contract/operator/protection.ts';
import { cancelOtp, reportOutcome, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { exportTransactions, getReceipt } from '@sixdigit/contract/payments.ts';
import { createChallenge } from '@sixdigit/contract/proof.ts';
import {
  checkDestination,
  exportDecisions,
  getDecisionFigures,
  getKnownRecipients,
  listDecisions,
  playWorstDay,
} from '@sixdigit/contract/protection/protection.ts';
import { getRecipient } from '@sixdigit/contract/recipients.ts';
import { exportRequestLogs } from '@sixdigit/contract/request-logs.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { removePasskey, renamePasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import { removeAuthenticator } from '@sixdigit/contract/second-factors/second-factors.ts';
import { exportSuppressions } from '@sixdigit/contract/suppressions.ts';
import { sendTestCode, sendVerificationAgain, verifyTestCode } from '@sixdigit/contract/test-send.ts';
import { getUnverifiedCosts } from '@sixdigit/contract/unverified-costs.ts';
import { cancelVerification, exportVerifications } from '@sixdigit/contract/verifications.ts';
import {
  exportWebhookAttempts,
  getWebhookAttempt,
  getWebhookQueue,
  listWebhookMessages,
  replayFailedWebhooks,
  replayWebhookMessage,
} from '@sixdigit/contract/webhooks.ts';
import { expect } from 'vitest';
import type { CallInput } from './call.ts';
import { wrongCode } from './person.ts';
import type { Answered, End, RefusalStage, Row, Sent } from './refusal-stage.ts';
import { GUESSES } from './refused-guesses.ts';
import { PAYMENTS } from './refused-payments.ts';
import { REPEATED_SENDS, testSend } from './refused-sends.ts';
import type { Customer } from './service.ts';

const REASON = { reason: 'For a test' };
const SINCE = { since: '2026-01-01T00:00:00Z' };

// ── missing objects ──

const missing = (route: Route, input: (id: string) => CallInput<Route> = () => ({})): Row => [
  route,
  'not_found',
  async ({ service, customer, as }) => {
    const id = service.app.random.uuid();
    return as(await customer(), route, { params: { id, attempt_id: id }, ...input(id) });
  },
];

const NOT_FOUND: Row[] = [
  missing(removeAuthenticator),
  missing(removePasskey),
  missing(renamePasskey, (id) => ({ params: { id }, body: { name: 'Renamed' } })),
  missing(removeMessageDomain),
  missing(verifyMessageDomain),
  missing(rotateApiKey, (id) => ({ params: { id }, body: { valid_days: 0 } })),
  missing(updateApiKey, (id) => ({ params: { id }, body: { name: 'Renamed' } })),
  missing(sendTestCode, (id) => ({ body: { api_key: id, channel: 'email', recipient: 'ann@example.com' } })),
  missing(verifyTestCode, (id) => ({ body: { api_key: id, otp_id: id, code: '123456' } })),
  missing(sendVerificationAgain),
  missing(exportWebhookAttempts),
  missing(getWebhookAttempt),
  missing(listWebhookMessages),
  missing(getWebhookQueue),
  missing(getReceipt),
  missing(replayFailedWebhooks, (id) => ({ params: { id }, body: SINCE })),
];

// ── ended verifications ──

const over = (reason: End, route: Route, input: (otp_id: string, who: Customer) => CallInput<Route>): Row => [
  route,
  reason,
  async ({ customer, ended, as }) => {
    const who = await customer();
    return as(who, route, input(await ended(who, reason), who));
  },
];
const canceling = (otp_id: string) => ({ params: { otp_id, id: otp_id } });
/** A route of the public API ignores the id of the key. */
const verifying = (otp_id: string, { api_key_id }: Customer) => ({
  body: { api_key: api_key_id, otp_id, code: '123456' },
});

const OVER: Row[] = [
  over('otp_closed', cancelOtp, canceling),
  over('otp_expired', cancelOtp, canceling),
  over('max_attempts_reached', cancelOtp, canceling),
  over('otp_expired', cancelVerification, canceling),
  over('max_attempts_reached', cancelVerification, canceling),
  over('otp_expired', verifyOtp, verifying),
  over('otp_closed', verifyOtp, verifying),
  over('otp_expired', verifyTestCode, verifying),
  over('otp_already_verified', verifyTestCode, verifying),
  over('otp_closed', verifyTestCode, verifying),
  over('max_attempts_reached', verifyTestCode, verifying),
  [
    verifyTestCode,
    'otp_not_found',
    async ({ service, customer, as }) => {
      const who = await customer();
      return as(who, verifyTestCode, verifying(service.app.random.uuid(), who));
    },
  ],
];

// ── ended and limited keys ──

const overRate = (route: Route, input: (who: Customer, sent: Sent) => CallInput<Route>): Row => [
  route,
  'rate_limited',
  async ({ customer, sent, as, overItsRate }) => {
    const who = await customer();
    const given = input(who, await sent(who));
    return overItsRate(who, () => as(who, route, given));
  },
];
/** The ways to end or limit a key for dashboard calls. */
const LIMITING = {
  api_key_expired: 'update api_keys set expires_at = clock_now() where id = $1',
  missing_scope: `update api_keys set scopes = '{otp:read}' where id = $1`,
  account_suspended: `update accounts set suspended_at = clock_now() where id = (select account_id from api_keys where id = $1)`,
} as const;
const limited = (
  reason: keyof typeof LIMITING,
  route: Route,
  input: (who: Customer, sent: Sent) => CallInput<Route>,
): Row => [
  route,
  reason,
  async ({ service, customer, sent, as }) => {
    const who = await customer();
    const given = input(who, await sent(who));
    await service.app.db.run(LIMITING[reason], [who.api_key_id]);
    return as(who, route, given);
  },
];
const testVerify = ({ api_key_id }: Customer, { otp_id, code }: Sent) => ({
  body: { api_key: api_key_id, otp_id, code },
});

/** A move of credits to a second account of the customer. */
const toSecond = async (as: RefusalStage['as'], who: Customer, body: { credits: number }) => {
  const made = await as(who, createAccount, { body: { name: 'Second' } });
  return { body: { to_account_id: made.body.id, ...body } };
};

const OF_KEYS: Row[] = [
  overRate(cancelOtp, (_, { otp_id }) => ({ params: { otp_id } })),
  overRate(reportOutcome, (_, { otp_id }) => ({ params: { otp_id }, body: { verified: true } })),
  overRate(followEvents, () => ({ query: { topic: 'nothing' as 'requests' } })),
  overRate(checkDestination, (_, { recipient }) => ({ body: { recipient } })),
  overRate(createChallenge, (_, { recipient }) => ({ body: { recipient } })),
  overRate(verifyTestCode, testVerify),
  overRate(verifyOtp, testVerify),
  limited('api_key_expired', sendTestCode, testSend),
  limited('api_key_expired', verifyTestCode, testVerify),
  limited('missing_scope', verifyTestCode, testVerify),
  limited('account_suspended', verifyTestCode, testVerify),
  limited('account_suspended', sendVerificationAgain, (_, { otp_id }) => ({ params: { id: otp_id } })),
  [
    verifyTestCode,
    'own_code',
    async ({ service, customer, as }) => {
      const who = await customer();
      await service.app.db.run(
        `update api_keys set scopes = scopes || '{otp:own_code}'::text[] where id = $1`,
        [who.api_key_id],
      );
      const body = { channel: 'email', recipient: 'own@example.com', code: '123456' } as const;
      const { otp_id } = (await service.call(sendOtp, { apiKey: who.api_key, body })).body;
      return as(who, verifyTestCode, verifying(otp_id, who));
    },
  ],
  [
    transferCredits,
    'insufficient_credits',
    async ({ customer, as }) => {
      const who = await customer();
      return as(who, transferCredits, await toSecond(as, who, { credits: 1_000_000 }));
    },
  ],
  [
    transferCredits,
    'idempotency_key_reused',
    async ({ customer, as }) => {
      const who = await customer();
      const headers = { 'idempotency-key': 'move-1' };
      const input = await toSecond(as, who, { credits: 1 });
      await as(who, transferCredits, { ...input, headers });
      return as(who, transferCredits, { body: { ...input.body, credits: 2 }, headers });
    },
  ],
  [
    verifyTestCode,
    'idempotency_key_reused',
    async ({ customer, sent, as }) => {
      const who = await customer();
      const { otp_id, code } = await sent(who);
      const verify = (entered: string) =>
        as(who, verifyTestCode, {
          headers: { 'idempotency-key': 'verify-1' },
          ...testVerify(who, { otp_id, code: entered, recipient: '' }),
        });
      await verify(wrongCode(code));
      return verify(code);
    },
  ],
];

// ── other limits ──

const replayed = (
  route: Route,
  replay: (
    stage: RefusalStage,
    owner: Awaited<ReturnType<RefusalStage['webhookOwner']>>,
  ) => Promise<Answered>,
): Row => [
  route,
  'too_many_requests',
  async (stage) => {
    const owner = await stage.webhookOwner();
    const replayAll = () =>
      stage.service.call(replayFailedWebhooks, {
        bearer: owner.bearer,
        params: { id: owner.webhook_id },
        body: SINCE,
      });
    return stage.withinASecond(async () => {
      for (let n = 0; n < 60; n++) expect((await replayAll()).status).toBe(200);
      return replay(stage, owner);
    });
  },
];

const LIMITS: Row[] = [
  replayed(replayFailedWebhooks, ({ service }, { bearer, webhook_id: id }) =>
    service.call(replayFailedWebhooks, { bearer, params: { id }, body: SINCE }),
  ),
  replayed(replayWebhookMessage, ({ service }, { bearer, webhook_id: id, message_id }) =>
    service.call(replayWebhookMessage, { bearer, params: { id, message_id } }),
  ),
  replayed(resendWebhookMessage, ({ olivia }, { account_id: id, webhook_id, message_id }) =>
    olivia.call(resendWebhookMessage, { params: { id, webhook_id, message_id }, body: REASON }),
  ),
  [
    verifyMessageDomain,
    'too_many_requests',
    async ({ service, customer, as }) => {
      const who = await customer();
      const { body } = await as(who, addMessageDomain, { body: { domain: 'shop-of-alice.example.com' } });
      await service.app.db.run('update message_domains set checked_at = clock_now() where id = $1', [
        body.id,
      ]);
      return as(who, verifyMessageDomain, { params: { id: String(body.id) } });
    },
  ],
];

// ── lists and files ──

const WHOLE_YEAR = { query: { from: '2026-01-01', to: '2026-12-31' } };

const canceled = (route: Route, table: string, query?: Record<string, unknown>): Row => [
  route,
  'list_timeout',
  async (stage) => {
    const owner = await stage.webhookOwner();
    const input = {
      params: { id: owner.webhook_id },
      ...(route.auth === 'operator' ? WHOLE_YEAR : {}),
      ...(route.body ? { body: SINCE } : {}),
      ...(query ? { query } : {}),
    };
    const who = route.auth === 'operator' ? stage.olivia : owner;
    return stage.canceled(table, (bearer) => stage.service.call(route, { bearer, ...input }), who);
  },
];
const besideOthers = (route: Route): Row => [
  route,
  'export_limit_reached',
  async ({ olivia, webhookOwner, as, besideExports }) => {
    const isOperator = route.auth === 'operator';
    const owner = await webhookOwner();
    const who = isOperator ? olivia : owner;
    const input = isOperator ? WHOLE_YEAR : { params: { id: owner.webhook_id } };
    return besideExports(who.account_id, isOperator, () => as(who, route, input));
  },
];

const LISTS: Row[] = [
  canceled(exportVerifications, 'verifications'),
  canceled(getUnverifiedCosts, 'verifications'),
  canceled(listDecisions, 'protection_decisions'),
  canceled(exportDecisions, 'protection_decisions'),
  canceled(getDecisionFigures, 'protection_decisions'),
  canceled(getKnownRecipients, 'known_recipients'),
  canceled(playWorstDay, 'verifications'),
  canceled(getOperatorWorstDay, 'verifications'),
  besideOthers(exportDecisions),
  canceled(getVerificationFigures, 'verifications'),
  canceled(getFallback, 'verifications'),
  canceled(getRecipient, 'verifications', { recipient: '+14155550100' }),
  canceled(exportAuditEntries, 'audit_entries'),
  canceled(exportRequestLogs, 'request_logs'),
  canceled(exportWebhookAttempts, 'webhook_attempts'),
  canceled(replayFailedWebhooks, 'webhook_attempts'),
  canceled(exportTransactions, 'ledger'),
  canceled(exportSuppressions, 'suppressions'),
  canceled(exportAccounting, 'ledger'),
  besideOthers(exportAuditEntries),
  besideOthers(exportRequestLogs),
  besideOthers(exportWebhookAttempts),
  besideOthers(exportTransactions),
  besideOthers(exportSuppressions),
  besideOthers(exportAccounting),
  [
    importSendPrices,
    'changed_meanwhile',
    async ({ olivia }) => {
      const { version } = (await olivia.call(getOperatorPrices)).body;
      const csv = 'channel,country,credits,unit\nsms,,1,request\n';
      const bring = () => olivia.call(importSendPrices, { body: { csv, version, ...REASON } });
      expect(await bring()).toMatchObject({ status: 200 });
      return bring();
    },
  ],
];

export const REFUSALS: readonly Row[] = [
  ...NOT_FOUND,
  ...OVER,
  ...OF_KEYS,
  ...REPEATED_SENDS,
  ...GUESSES,
  ...LIMITS,
  ...LISTS,
  ...PAYMENTS,
];
