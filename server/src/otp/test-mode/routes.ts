import type { Parsed } from '@sixdigit/contract/route.ts';
import { listTestMessages, type TestMessage } from '@sixdigit/contract/test-mode.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import { pageOf, patternsFor, type WholeRecipient } from '../../platform/db/page.ts';
import type { Db, Sql } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { countTestMessages, findTestMessage, selectTestMessages, type TestMessageRow } from './queries.ts';

export function testModeRoutes(server: Server, app: Needs<'db'>, render: Render): void {
  serve(server, listTestMessages, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      testMessagesOf(db, caller.account_id, query, { render }),
    ),
  );
}

/** Renders the message as its recipient would see it. */
type Render = (row: TestMessageRow) => {
  code: string;
  text: string;
  subject?: string | undefined;
  html?: string | undefined;
};

/** One page of an account's test inbox. */
export async function testMessagesOf(
  db: Db,
  account_id: string,
  query: Parsed<typeof listTestMessages, 'query'>,
  { render, whole }: { render: Render; whole?: WholeRecipient },
): Promise<{ results: TestMessage[]; count: number }> {
  const recipients = query.search === '' ? null : patternsFor(query.search, whole);
  const [rows, count] = await Promise.all([
    selectTestMessages(db, account_id, { recipients, ordering: query.ordering, ...pageOf(query) }),
    countTestMessages(db, account_id, recipients),
  ]);
  return { results: rows.map((row) => shown(row, render)), count };
}

/** Throws `not_found`. */
export async function testMessageOf(
  db: Sql,
  account_id: string,
  id: string,
  render: Render,
): Promise<TestMessage> {
  const row = isUuid(id) ? await findTestMessage(db, account_id, id) : undefined;
  if (!row) throw new Failure('not_found');
  return shown(row, render);
}

function shown(row: TestMessageRow, render: Render): TestMessage {
  const { id, channel, recipient, status, created_at } = row;
  const { code, text, subject = null, html = null } = render(row);
  return { id, channel, recipient, subject, text, html, code, status, created_at };
}
