import * as contract from '@sixdigit/contract/operator/erasures.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { accountDetail } from './accounts.ts';
import { eraseAccountOf } from './erasure.ts';
import { erasuresOf, requestErasure } from './recipient-erasures.ts';

export function erasureRoutes(server: Server, app: Platform): void {
  serve(server, contract.eraseAccount, async ({ caller, params, body }) => {
    await eraseAccountOf(app, caller, params.id, body);
    return accountDetail(app, params.id);
  });
  serve(server, contract.eraseRecipient, ({ caller, body }) => requestErasure(app, caller, body));
  serve(server, contract.listRecipientErasures, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => erasuresOf(db, query)),
  );
}
