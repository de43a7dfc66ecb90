import {
  createApiKey,
  deleteApiKey,
  getKeyRules,
  listApiKeys,
  rotateApiKey,
  updateApiKey,
  updateKeyRules,
} from '@sixdigit/contract/api-keys.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type LocksMembers, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import {
  changeKey,
  changeKeyRules,
  createKey,
  deleteKey,
  findKeyRules,
  listKeys,
  requireKeyRole,
  rotateKey,
} from './api-keys.ts';

export function apiKeyRoutes(
  server: Server,
  app: Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups'> & LocksMembers,
): void {
  serve(server, listApiKeys, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => listKeys({ db }, caller.account_id, query)),
  );
  serve(server, createApiKey, async ({ caller, body }) => {
    const made = await app.db.transaction(async (tx) => {
      // The caller may have been removed since the request began.
      const { role } = await app.lockMembers(tx, caller, 'developer');
      await requireKeyRole(tx, { ...caller, role }, body.mode ?? 'live');
      return createKey(app, tx, { ...body, account_id: caller.account_id }, caller);
    });
    app.wakeups.notify('notices');
    return made;
  });
  serve(server, getKeyRules, ({ caller }) => findKeyRules(app.db, caller.account_id));
  serve(server, updateKeyRules, ({ caller, body }) => changeKeyRules(app, caller, body));
  serve(server, updateApiKey, ({ caller, params, body }) => changeKey(app, caller, params.id, body));
  serve(server, rotateApiKey, ({ caller, params, body }) =>
    rotateKey(app, { ...caller, id: params.id }, body),
  );
  serve(server, deleteApiKey, async ({ caller, params }) => {
    await deleteKey(app, { ...caller, id: params.id });
    return undefined;
  });
}
