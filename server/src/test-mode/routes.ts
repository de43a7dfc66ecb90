import { listTestMessages, TEST_CODE, type TestMessage } from '#contract/test-mode.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { pageOf, recipientPatterns } from '../platform/db/page.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { countTestMessages, selectTestMessages, type TestMessageRow } from './queries.ts';

/** Writes the message as a recipient would get it. */
export type Render = (
  row: TestMessageRow,
  code: string,
) => { text: string; subject?: string | undefined; html?: string | undefined };

export function testModeRoutes(server: Server, app: Needs<'db'>, render: Render): void {
  serve(server, listTestMessages, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, async (db) => {
      const recipients = query.search === '' ? null : recipientPatterns(query.search);
      const [rows, count] = await Promise.all([
        selectTestMessages(db, caller.account_id, {
          recipients,
          ordering: query.ordering,
          ...pageOf(query),
        }),
        countTestMessages(db, caller.account_id, recipients),
      ]);
      return { results: rows.map((row) => shown(row, render)), count };
    }),
  );
}

function shown(row: TestMessageRow, render: Render): TestMessage {
  const { id, channel, recipient, status, created_at } = row;
  const code = TEST_CODE.slice(0, row.code_length);
  const { text, subject = null, html = null } = render(row, code);
  return { id, channel, recipient, subject, text, html, code, status, created_at };
}
