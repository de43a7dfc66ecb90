import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import * as contract from '@sixdigit/contract/operator/operator.ts';
import { operatorRoutes as described } from '@sixdigit/contract/operator/routes.ts';
import { apiBase } from '../platform/config.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Platform } from '../platform/platform.ts';
import { createKeyOf, deleteKeyOf, listOperatorKeysOf } from './access/keys.ts';
import { accountDataRoutes } from './accounts/data-routes.ts';
import { erasureRoutes } from './accounts/erasure-routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import { listActions } from './audit.ts';
import { type ServiceApp, serviceRoutes } from './service-routes.ts';

export function operatorRoutes(server: Server, app: ServiceApp): void {
  serve(server, contract.getOperator, ({ caller: { email, role, key_id } }) => ({
    email,
    role,
    is_key: key_id !== null,
  }));
  serve(server, contract.getOperatorOpenApi, () => documentOf(app));
  serve(server, contract.listOperatorKeys, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => listOperatorKeysOf(db, query)),
  );
  serve(server, contract.createOperatorKey, ({ caller, body }) => createKeyOf(app, caller, body));
  serve(server, contract.deleteOperatorKey, async ({ caller, params }) => {
    await deleteKeyOf(app, caller, params.id);
    return undefined;
  });
  serve(server, contract.listOperatorActions, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => listActions(db, query)),
  );
  accountRoutes(server, app);
  accountDataRoutes(server, app);
  erasureRoutes(server, app);
  serviceRoutes(server, app);
}

const documentOf = ({ config }: Pick<Platform, 'config'>): { openapi: string } =>
  openApi(`${config.brandName} operator`, apiBase(config), described) as { openapi: string };
