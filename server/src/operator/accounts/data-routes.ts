import type {
  OperatorAccountSettings,
  resendVerification,
} from '@sixdigit/contract/operator/account-data.ts';
import * as contract from '@sixdigit/contract/operator/account-data.ts';
import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { brandingOf } from '../../accounts/accounts.ts';
import { secondFactorsOf } from '../../accounts/second-factors/second-factors.ts';
import type { FailedSignIns } from '../../audit/audit.ts';
import { spendOf } from '../../credits/spend/spend.ts';
import { type ResendApp, requireOpen, resend, verificationOf } from '../../otp/otp.ts';
import { type PaymentsApp, savedCards } from '../../payments/payments.ts';
import { limitsOf, withinListLimits } from '../../platform/db/list-limits.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { maskedRecipient, maskedText } from '../../platform/security/masks.ts';
import { domainsOf } from '../../protection/message-links/message-links.ts';
import { type Protection, protectionOf } from '../../protection/protection.ts';
import { recordAction } from '../audit.ts';
import { requireAccount } from './accounts.ts';
import {
  activityOfAccount,
  attemptsOfAccount,
  blocksOfAccount,
  insightsOfAccount,
  requestsOfAccount,
  resendWebhookMessageOf,
  revealActivityOf,
  revealAttemptOf,
  revealRequestOf,
  revealTestMessageOf,
  testMessagesOfAccount,
  webhooksOfAccountVerification,
} from './data.ts';

type DataApp = Platform &
  ResendApp & { failedSignIns: FailedSignIns } & Parameters<typeof settingsOfAccount>[0];

export function accountDataRoutes(server: Server, app: DataApp): void {
  serve(server, contract.listAccountRequests, ({ caller, params, query, request }) =>
    withinListLimits(
      app.db,
      caller.account_id,
      (db) => requestsOfAccount({ db, clock: app.clock, config: app.config }, params.id, query),
      limitsOf(query, request),
    ),
  );
  serve(server, contract.revealRequest, ({ caller, params, body }) =>
    revealRequestOf(app, caller, params, body.reason),
  );
  serve(server, contract.listAccountAttempts, ({ caller, params, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => attemptsOfAccount({ db }, params, query)),
  );
  serve(server, contract.revealAttempt, ({ caller, params, body }) =>
    revealAttemptOf(app, caller, params, body.reason),
  );
  serve(server, contract.resendWebhookMessage, ({ caller, params, body }) =>
    resendWebhookMessageOf(app, caller, params, body.reason),
  );
  serve(server, contract.listAccountVerificationWebhooks, ({ params }) =>
    webhooksOfAccountVerification(app, params),
  );
  serve(server, contract.resendVerification, ({ caller, params, body, ...call }) =>
    resendVerificationOf(app, caller, params, { ...call, reason: body.reason }),
  );
  serve(server, contract.getAccountInsights, ({ caller, params, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      insightsOfAccount({ db, clock: app.clock }, params.id, query),
    ),
  );
  serve(server, contract.listAccountTestMessages, ({ caller, params, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      testMessagesOfAccount({ db, clock: app.clock, config: app.config }, params.id, query),
    ),
  );
  serve(server, contract.revealTestMessage, ({ caller, params, body }) =>
    revealTestMessageOf(app, caller, params, body.reason),
  );
  serve(server, contract.getAccountSettings, ({ params }) => settingsOfAccount(app, params.id));
  serve(server, contract.listAccountBlocks, ({ caller, params }) =>
    withinListLimits(app.db, caller.account_id, (db) => blocksOfAccount({ db, clock: app.clock }, params.id)),
  );
  serve(server, contract.listAccountActivity, async ({ caller, params, query }) => {
    await app.failedSignIns.flush();
    return withinListLimits(app.db, caller.account_id, (db) =>
      activityOfAccount({ ...app, db }, params.id, query),
    );
  });
  serve(server, contract.revealActivity, ({ caller, params, body }) =>
    revealActivityOf(app, caller, params, body.reason),
  );
}

/**
 * Sends the code of an open verification again. The audit has the entry before the message can leave, and another one if the
 * send is refused.
 */
async function resendVerificationOf(
  app: ResendApp,
  by: OperatorCaller,
  { id, otp_id }: { id: string; otp_id: string },
  call: { reason: string; request: FastifyRequest; reply: FastifyReply },
): Promise<Reply<typeof resendVerification>> {
  await requireAccount(app.db, id);
  const otp = await verificationOf(app, id, otp_id);
  await requireOpen(app, id, otp.id);
  const about = { account_id: id, subject: `Verification ${otp.id}`, reason: call.reason };
  const audited = (action: string, after?: Record<string, unknown>): Promise<void> =>
    app.db.transaction((tx) => recordAction(tx, app, by, { ...about, action, after }));
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

type App = PaymentsApp & { protection: Protection };

/** What the owner of an account has set. Numbers and addresses in lists and notes are masked. Throws `not_found`. */
async function settingsOfAccount(app: App, id: string): Promise<OperatorAccountSettings> {
  await requireAccount(app.db, id);
  const [otp, spend, { rules, allow, deny, learning }, domains, second_factors, cards] = await Promise.all([
    brandingOf(app, id),
    spendOf(app, id),
    protectionOf({ ...app, guard: app.protection.guard }, id),
    domainsOf(app, id),
    secondFactorsOf(app.db, id),
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
