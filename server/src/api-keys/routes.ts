import {
  createApiKey,
  deleteApiKey,
  listApiKeys,
  rotateApiKey,
  updateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { changeKey, createKey, deleteKey, listKeys, rotateKey } from './api-keys.ts';

export function apiKeyRoutes(
  server: Server,
  app: Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups'>,
): void {
  serve(server, listApiKeys, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => listKeys({ db }, caller.account_id, query)),
  );
  serve(server, createApiKey, async ({ caller, body }) => {
    const made = await app.db.transaction((tx) =>
      createKey(app, tx, { ...body, account_id: caller.account_id }, caller),
    );
    app.wakeups.notify('notices');
    return made;
  });
  serve(server, updateApiKey, ({ caller, params, body }) => changeKey(app, caller, params.id, body));
  serve(server, rotateApiKey, ({ caller, params, body }) =>
    rotateKey(app, { ...caller, id: params.id }, body),
  );
  serve(server, deleteApiKey, async ({ caller, params }) => {
    await deleteKey(app, { ...caller, id: params.id });
    return undefined;
  });
}
