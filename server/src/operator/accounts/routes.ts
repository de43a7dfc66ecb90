import * as contract from '@sixdigit/contract/operator/accounts.ts';
import { confirmEmailChange, requestEmailChange } from '@sixdigit/contract/operator/email-change.ts';
import { clientOf, type EmailChangeApp } from '../../accounts/accounts.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Readers } from '../reading.ts';
import { accountDetail, accountsOf } from './accounts.ts';
import { adjustCreditsOf, endSessionsOfAccount, resumeAccountOf, suspendAccountOf } from './changes.ts';
import { confirmEmailChangeOf, requestEmailChangeOf } from './email-change.ts';

export function accountRoutes(server: Server, app: Platform & EmailChangeApp, { read }: Readers): void {
  read(contract.listOperatorAccounts, ({ db, query, whole }) => accountsOf(db, query, whole));
  serve(server, contract.getOperatorAccount, ({ params }) => accountDetail(app, params.id));
  serve(server, contract.suspendAccount, async ({ caller, params, body }) => {
    await suspendAccountOf(app, caller, params.id, body.reason);
    return accountDetail(app, params.id);
  });
  serve(server, contract.resumeAccount, async ({ caller, params, body }) => {
    await resumeAccountOf(app, caller, params.id, body.reason);
    return accountDetail(app, params.id);
  });
  serve(server, contract.adjustCredits, async ({ caller, params, body }) => {
    await adjustCreditsOf(app, caller, params.id, body);
    return accountDetail(app, params.id);
  });
  serve(server, contract.endAccountSessions, async ({ caller, params, body }) => ({
    ended: await endSessionsOfAccount(app, caller, params.id, body.reason),
  }));
  serve(server, requestEmailChange, ({ caller, params, body, request }) =>
    requestEmailChangeOf(app, caller, { ...params, body, client: clientOf(request) }),
  );
  serve(server, confirmEmailChange, async ({ caller, params, body, request }) => {
    await confirmEmailChangeOf(app, caller, { ...params, body, client: clientOf(request) });
    return accountDetail(app, params.id);
  });
}
