import * as contract from '@sixdigit/contract/operator/account-data.ts';
import type { FailedSignIns } from '../../audit/audit.ts';
import type { ResendApp } from '../../otp/otp.ts';
import { limitsOf, withinListLimits } from '../../platform/db/list-limits.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
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
import { resendVerificationOf } from './resend.ts';
import { settingsOfAccount } from './settings.ts';

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
