import { createApiKey, deleteApiKey, listApiKeys } from '#contract/api-keys.ts';
import type { Needs } from '../ground.ts';
import { type Server, serve } from '../http/serve.ts';
import { createKey, deleteKey, listKeys } from './api-keys.ts';

export function apiKeyRoutes(server: Server, app: Needs<'db' | 'random'>): void {
  serve(server, listApiKeys, ({ caller, query }) => listKeys(app, caller.account_id, query));
  serve(server, createApiKey, ({ caller, body }) =>
    createKey(app, app.db, { account_id: caller.account_id, name: body.name }),
  );
  serve(server, deleteApiKey, async ({ caller, params }) => {
    await deleteKey(app, caller.account_id, params.id);
    return undefined;
  });
}
