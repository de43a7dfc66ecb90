import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { type Render, testMessagesOf } from './messages.ts';

export function testModeRoutes(server: Server, app: Needs<'db'>, render: Render): void {
  serve(server, listTestMessages, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      testMessagesOf(db, caller.account_id, query, { render }),
    ),
  );
}
