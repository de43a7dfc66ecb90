import type { SandboxMessage } from '@sixdigit/contract/deployment.ts';
import type { FreeTexts } from '../../platform/db/erasure.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Message } from '../carriers/carriers.ts';

/**
 * The sandbox inbox, which receives the messages of simulated channels with their codes. It keeps the newest messages for one
 * day. A code's message has the id of its verification, and a repeated dispatch stores nothing.
 */
export async function storeMessage(
  { db }: Needs<'db'>,
  { id, channel, recipient, subject, text, html, code }: Message,
): Promise<void> {
  await db.run(
    `insert into sandbox_messages (id, channel, recipient, subject, text, html, code, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_now())
     on conflict (id) do nothing`,
    [id, channel, recipient, subject ?? null, text, html ?? null, code || null],
  );
}

const MOST_MESSAGES = 1_000;

/** Newest first. Null selects the messages to all recipients. */
export const newestMessages = (sql: Sql, recipient: string | null): Promise<SandboxMessage[]> =>
  sql.rows<SandboxMessage>(
    `select id, channel, recipient, subject, text, html, code, created_at from sandbox_messages
     where $1::text is null or recipient = $1 order by id desc limit $2`,
    [recipient, MOST_MESSAGES],
  );

export const sandboxRetention: RetentionRules = {
  rows: [
    {
      table: 'sandbox_messages',
      where: `created_at < clock_now() - interval '1 day'
        or id <= (select id from sandbox_messages order by id desc offset ${MOST_MESSAGES} limit 1)`,
    },
  ],
};

/** Deletes the messages to a recipient who is being erased. `sandboxTexts` are the texts that may name the recipient. */
export const deleteMessagesTo = (sql: Sql, recipient: string): Promise<number> =>
  sql.run('delete from sandbox_messages where recipient = $1', [recipient]);

export const sandboxTexts: readonly FreeTexts[] = [
  { table: 'sandbox_messages', key: ['id'], columns: ['subject', 'text', 'html'], counts: 'texts_of_others' },
];
