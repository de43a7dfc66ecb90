import type { AuditEntry } from '@sixdigit/contract/audit.ts';
import type { Insights } from '@sixdigit/contract/insights.ts';
import type * as contract from '@sixdigit/contract/operator/account-data.ts';
import type { Block } from '@sixdigit/contract/protection/protection.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import type { TestMessage } from '@sixdigit/contract/test-mode.ts';
import { entriesOf, entryOf } from '../../audit/audit.ts';
import { renderMessage, webhooksOfVerification } from '../../otp/otp.ts';
import { testMessageOf, testMessagesOf } from '../../otp/test-mode/test-mode.ts';
import type { Db } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { maskedRecipient, maskedText, maskedValues } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { blocksOf } from '../../protection/protection.ts';
import { insightsOf } from '../../reporting/insights/insights.ts';
import { requestLogOf, requestLogsOf } from '../../reporting/request-logs/request-logs.ts';
import { attemptOf, attemptsOf, replayMessage } from '../../webhooks/webhooks.ts';
import { recordAction } from '../audit.ts';
import { requireAccount, wholeRecipient } from './accounts.ts';

/** The owner's lists of an account, masked. */
type Listed<T> = { results: T[]; count: number };
type Reads = { db: Db } & Needs<'clock'>;
type Reveals = Needs<'db' | 'random'>;

export async function requestsOfAccount(
  app: Reads & Needs<'config'>,
  id: string,
  query: Parsed<typeof contract.listAccountRequests, 'query'>,
): Promise<Reply<typeof contract.listAccountRequests>> {
  await requireAccount(app.db, id);
  const { results, ...count } = await requestLogsOf(app, id, query, wholeRecipient(app, query.search));
  return { ...count, results: results.map(maskedRequest) };
}

const maskedRequest = (log: RequestLog): RequestLog =>
  log.otp?.recipient ? { ...log, otp: { ...log.otp, recipient: maskedRecipient(log.otp.recipient) } } : log;

export async function revealRequestOf(
  app: Reveals,
  by: OperatorCaller,
  { id, request_id }: { id: string; request_id: string },
  reason: string,
): Promise<RequestLog> {
  await requireAccount(app.db, id);
  const found = await requestLogOf(app, id, request_id);
  await revealed(app, by, {
    action: 'request.reveal',
    account_id: id,
    subject: `Request ${found.id}`,
    reason,
  });
  return found;
}

/** `webhook_id`: an endpoint of the account. */
export async function attemptsOfAccount(
  { db }: { db: Db },
  { id, webhook_id }: { id: string; webhook_id: string },
  query: Parsed<typeof contract.listAccountAttempts, 'query'>,
): Promise<Listed<contract.OperatorAttempt>> {
  await requireAccount(db, id);
  const { results, count } = await attemptsOf(db, { account_id: id, id: webhook_id }, query, {
    isMasked: true,
  });
  return {
    count,
    results: results.map(({ response_excerpt, error, ...attempt }) => ({
      ...attempt,
      error: error === null ? null : maskedText(error),
      response_excerpt: null,
      has_response: response_excerpt !== null && response_excerpt !== '',
    })),
  };
}

export async function revealAttemptOf(
  app: Reveals,
  by: OperatorCaller,
  { id, webhook_id, attempt_id }: { id: string; webhook_id: string; attempt_id: string },
  reason: string,
): Promise<Reply<typeof contract.revealAttempt>> {
  await requireAccount(app.db, id);
  const found = await attemptOf(app.db, { account_id: id, id: webhook_id }, attempt_id);
  const subject = `Webhook attempt ${found.id}`;
  await revealed(app, by, { action: 'webhook_attempt.reveal', account_id: id, subject, reason });
  return found;
}

/** Queues a webhook message again, with its entry in the audit. */
export async function resendWebhookMessageOf(
  app: Reveals & Needs<'wakeups'>,
  by: OperatorCaller,
  { id, webhook_id, message_id }: { id: string; webhook_id: string; message_id: string },
  reason: string,
): Promise<Reply<typeof contract.resendWebhookMessage>> {
  if (![id, webhook_id, message_id].every(isUuid)) throw new Failure('not_found');
  return replayMessage(app, { account_id: id, id: webhook_id }, message_id, (tx) =>
    recordAction(tx, app, by, {
      action: 'webhook.resend',
      account_id: id,
      subject: `Webhook message ${message_id}`,
      reason,
    }),
  );
}

export async function webhooksOfAccountVerification(
  app: Needs<'db'>,
  { id, otp_id }: { id: string; otp_id: string },
): Promise<Reply<typeof contract.listAccountVerificationWebhooks>> {
  await requireAccount(app.db, id);
  return webhooksOfVerification(app, id, otp_id);
}

/** Counts name no recipient, so nothing is masked. */
export async function insightsOfAccount(
  { db, clock }: Reads,
  id: string,
  query: Parsed<typeof contract.getAccountInsights, 'query'>,
): Promise<Insights> {
  await requireAccount(db, id);
  return insightsOf(db, id, query, clock.now());
}

export async function testMessagesOfAccount(
  app: Reads & Needs<'config'>,
  id: string,
  query: Parsed<typeof contract.listAccountTestMessages, 'query'>,
): Promise<Listed<contract.OperatorTestMessage>> {
  await requireAccount(app.db, id);
  const { results, count } = await testMessagesOf(app.db, id, query, {
    render: (row, code) => renderMessage(app, row, code),
    whole: wholeRecipient(app, query.search),
  });
  return {
    count,
    results: results.map(({ id: otp_id, channel, recipient, status, created_at }) => ({
      id: otp_id,
      channel,
      recipient: maskedRecipient(recipient),
      status,
      created_at,
    })),
  };
}

export async function revealTestMessageOf(
  app: Reveals & Needs<'config'>,
  by: OperatorCaller,
  { id, otp_id }: { id: string; otp_id: string },
  reason: string,
): Promise<TestMessage> {
  await requireAccount(app.db, id);
  const found = await testMessageOf(app.db, id, otp_id, (row, code) => renderMessage(app, row, code));
  const subject = `Test message ${found.id}`;
  await revealed(app, by, { action: 'test_message.reveal', account_id: id, subject, reason });
  return found;
}

/** A prefix lacks the last four digits, so nothing is masked. */
export async function blocksOfAccount(
  app: Reads,
  id: string,
): Promise<{ results: Block[]; blocked: number; monitored: number }> {
  await requireAccount(app.db, id);
  return blocksOf(app, id);
}

export async function activityOfAccount(
  app: Reads & Needs<'placeOf'>,
  id: string,
  query: Parsed<typeof contract.listAccountActivity, 'query'>,
): Promise<Listed<AuditEntry>> {
  await requireAccount(app.db, id);
  const { results, count } = await entriesOf(app, id, query, { isMasked: true });
  return {
    count,
    results: results.map(({ subject, before, after, ...entry }) => ({
      ...entry,
      subject: maskedText(subject),
      before: maskedValues(before),
      after: maskedValues(after),
    })),
  };
}

export async function revealActivityOf(
  app: Reveals & Needs<'placeOf'>,
  by: OperatorCaller,
  { id, entry_id }: { id: string; entry_id: string },
  reason: string,
): Promise<AuditEntry> {
  await requireAccount(app.db, id);
  const found = await entryOf(app, id, entry_id);
  await revealed(app, by, {
    action: 'activity.reveal',
    account_id: id,
    subject: `Entry ${found.id}`,
    reason,
  });
  return found;
}

/** The audit has the entry before the operator has the data. */
const revealed = (
  app: Reveals,
  by: OperatorCaller,
  action: { action: string; account_id: string; subject: string; reason: string },
): Promise<void> => app.db.transaction((tx) => recordAction(tx, app, by, action));
