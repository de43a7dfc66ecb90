import type { OperatorAccountSettings } from '@sixdigit/contract/operator/account-data.ts';
import * as contract from '@sixdigit/contract/operator/account-data.ts';
import {
  getAccountVerification,
  listAccountTransactions,
  listAccountVerifications,
  revealVerification,
} from '@sixdigit/contract/operator/accounts.ts';
import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { brandingOf, findContact } from '../../accounts/accounts.ts';
import { secondFactorsOf } from '../../accounts/second-factors/second-factors.ts';
import { entriesOf, entryOf, type FailedSignIns } from '../../audit/audit.ts';
import { spendOf } from '../../credits/spend/spend.ts';
import { insightsOf } from '../../insights/insights.ts';
import {
  type ResendApp,
  renderTestMessage,
  requireOpen,
  resend,
  selectReportFacts,
  verificationOf,
  verificationsOf,
  webhooksOfVerification,
} from '../../otp/otp.ts';
import { testMessageOf, testMessagesOf } from '../../otp/test-mode/test-mode.ts';
import { type PaymentsApp, savedCards, transactionsOf } from '../../payments/payments.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Call, type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { maskedNumbers, maskedRecipient, maskedText, maskedValues } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { domainsOf } from '../../protection/message-links/message-links.ts';
import { blocksOf, type Protection, protectionOf } from '../../protection/protection.ts';
import { requestLogOf, requestLogsOf } from '../../request-logs/request-logs.ts';
import { attemptOf, attemptsOf, messagesOf, replayMessage } from '../../webhooks/webhooks.ts';
import { recordAction } from '../audit.ts';
import { type Readers, requireAccount } from '../reading.ts';

type App = Platform & ResendApp & PaymentsApp & { failedSignIns: FailedSignIns; protection: Protection };
type Render = Parameters<typeof testMessageOf>[3];

/** The data of an account's owner, masked until an operator reveals it. */
export function accountDataRoutes(server: Server, app: App, { read, reveal }: Readers): void {
  read(listAccountVerifications, ({ db, account_id, query, whole }) =>
    verificationsOf({ ...app, db }, account_id, query, whole),
  );
  read(getAccountVerification, ({ account_id, params }) =>
    verificationOfAccount(app, account_id, params.otp_id),
  );
  reveal(revealVerification, { action: 'verification.reveal', noun: 'Verification' }, (call) =>
    verificationOf(app, call.account_id, call.params.otp_id),
  );
  read(contract.listAccountVerificationWebhooks, ({ account_id, params }) =>
    webhooksOfVerification(app, account_id, params.otp_id),
  );
  serve(server, contract.resendVerification, (call) => resendVerificationOf(app, call));

  read(contract.listAccountRequests, ({ db, account_id, query, whole }) =>
    requestLogsOf({ ...app, db }, account_id, query, whole),
  );
  reveal(contract.revealRequest, { action: 'request.reveal', noun: 'Request' }, (call) =>
    requestLogOf(app, call.account_id, call.params.request_id),
  );

  read(contract.listAccountAttempts, async ({ db, account_id, params, query }) => {
    const endpoint = { account_id, id: params.webhook_id };
    const { results, count } = await attemptsOf(db, endpoint, query, 'operator');
    return {
      count,
      results: results.map(({ response_excerpt, error, ...attempt }) => ({
        ...attempt,
        error: error === null ? null : maskedText(error),
        response_excerpt: null,
        has_response: response_excerpt !== null && response_excerpt !== '',
      })),
    };
  });
  read(contract.listAccountMessages, async ({ db, account_id, params, query, whole }) => {
    const { results, count } = await messagesOf(
      db,
      { account_id, id: params.webhook_id },
      { ...query, reader: { role: 'owner' } },
      whole,
    );
    return {
      count,
      results: results.map(({ attempts, ...message }) => ({
        ...message,
        attempts: attempts.map(({ error, ...attempt }) => ({
          ...attempt,
          error: error === null ? null : maskedText(error),
        })),
      })),
    };
  });
  reveal(contract.revealAttempt, { action: 'webhook_attempt.reveal', noun: 'Webhook attempt' }, (call) =>
    attemptOf(app.db, { account_id: call.account_id, id: call.params.webhook_id }, call.params.attempt_id),
  );
  serve(server, contract.resendWebhookMessage, (call) => resendWebhookMessageOf(app, call));

  const render: Render = (row) => renderTestMessage(app, row);
  read(contract.listAccountTestMessages, ({ db, account_id, query, whole }) =>
    testMessagesOf(db, account_id, query, { render, whole }),
  );
  reveal(contract.revealTestMessage, { action: 'test_message.reveal', noun: 'Test message' }, (call) =>
    testMessageOf(app.db, call.account_id, call.params.otp_id, render),
  );

  read(contract.listAccountActivity, async ({ db, account_id, query }) => {
    await app.failedSignIns.flush();
    const { results, count } = await entriesOf({ ...app, db }, account_id, query, { isMasked: true });
    return {
      count,
      results: results.map(({ subject, before, after, ...entry }) => ({
        ...entry,
        subject: maskedText(subject),
        before: maskedValues(before),
        after: maskedValues(after),
      })),
    };
  });
  reveal(contract.revealActivity, { action: 'activity.reveal', noun: 'Entry' }, (call) =>
    entryOf(app, call.account_id, call.params.entry_id),
  );

  // These responses contain no recipients. A blocked prefix lacks the last four digits of the numbers.
  read(contract.getAccountInsights, ({ db, account_id, query }) =>
    insightsOf(db, account_id, query, app.clock.now()),
  );
  read(listAccountTransactions, ({ db, account_id, query }) => transactionsOf({ db }, account_id, query));
  serve(server, contract.listAccountBlocks, ({ caller, params }) =>
    withinListLimits(app.db, caller.person_id, async (db) => {
      await requireAccount(db, params.id);
      return blocksOf({ ...app, db }, params.id);
    }),
  );
  read(contract.getAccountSettings, ({ account_id }) => settingsOfAccount(app, account_id));
}

/** The names of an account's labels. A value may be anything that the account knows of the recipient. */
const maskedLabels = (metadata: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(metadata).map((key) => [/\d\D*\d\D*\d/.test(key) ? '••••' : key, '••••']));

/** Masks numbers in notes and failures, because they can contain a carrier's text, which can contain the recipient. */
async function verificationOfAccount(
  app: App,
  account_id: string,
  otp_id: string,
): Promise<Reply<typeof getAccountVerification>> {
  const { message, subject, failure, purpose, metadata, status_logs, ...found } = await verificationOf(
    app,
    account_id,
    otp_id,
  );
  return {
    ...found,
    failure: failure === null ? null : maskedNumbers(failure),
    purpose: purpose && maskedNumbers(purpose),
    metadata: metadata && maskedLabels(metadata),
    status_logs: status_logs.map((log) => ({
      ...log,
      notes: log.notes === null ? null : maskedNumbers(log.notes),
    })),
    has_text: message !== null || subject !== null,
    ...(await selectReportFacts(app.db, account_id, found.id)),
  };
}

/**
 * Sends the code of an open verification again. Writes the audit entry before the message can be sent, and another one if the
 * send is refused.
 */
async function resendVerificationOf(
  app: App,
  { caller, params: { id, otp_id }, body: { reason }, ...call }: Call<typeof contract.resendVerification>,
): Promise<Reply<typeof contract.resendVerification>> {
  await requireAccount(app.db, id);
  const otp = await verificationOf(app, id, otp_id);
  await requireOpen(app, id, otp.id);
  const about = { account_id: id, subject: `Verification ${otp.id}`, reason };
  const audited = (action: string, after?: Record<string, unknown>): Promise<void> =>
    app.db.transaction((tx) => recordAction(tx, app, caller, { ...about, action, after }));
  await audited('verification.resend');
  try {
    const { recipient, ...sent } = await resend(app, id, otp, call);
    return { ...sent, recipient: maskedRecipient(recipient) };
  } catch (error) {
    await audited('verification.resend_failed', {
      refused: error instanceof Failure ? error.reason : 'error',
    });
    throw error;
  }
}

/** Queues a webhook message again, in one transaction with its entry in the audit. */
async function resendWebhookMessageOf(
  app: App,
  { caller, params: { id, webhook_id, message_id }, body }: Call<typeof contract.resendWebhookMessage>,
): Promise<Reply<typeof contract.resendWebhookMessage>> {
  if (![id, webhook_id, message_id].every(isUuid)) throw new Failure('not_found');
  return replayMessage(app, { account_id: id, id: webhook_id }, message_id, (tx) =>
    recordAction(tx, app, caller, {
      action: 'webhook.resend',
      account_id: id,
      subject: `Webhook message ${message_id}`,
      reason: body.reason,
    }),
  );
}

/** The settings of the account's owner. Numbers and addresses in lists and notes are masked. */
async function settingsOfAccount(app: App, id: string): Promise<OperatorAccountSettings> {
  const [otp, spend, { rules, allow, deny, learning }, domains, second_factors, cards] = await Promise.all([
    brandingOf(app, id),
    spendOf(app, id),
    protectionOf({ ...app, guard: app.protection.guard }, id),
    domainsOf(app, id),
    secondFactorsOf(app.db, (await findContact(app.db, id)) ?? id),
    savedCards(app, id).catch((error: unknown) => {
      if (error instanceof Failure) return null;
      throw error;
    }),
  ]);
  return {
    otp,
    spend,
    protection: { rules, learning, allow: allow.map(masked), deny: deny.map(masked) },
    message_domains: domains.results,
    message_links: domains.links,
    second_factors,
    cards,
  };
}

const masked = (entry: ListEntry): ListEntry => ({
  ...entry,
  value: entry.kind === 'number' ? maskedRecipient(entry.value) : entry.value,
  note: entry.note === null ? null : maskedText(entry.note),
});
