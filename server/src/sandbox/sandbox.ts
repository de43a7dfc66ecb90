import type { SandboxMessage } from '#contract/deployment.ts';
import type { Message } from '../carriers/carriers.ts';
import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';

/** The inbox of a sandbox: stores the messages of simulated channels, with their codes, for one day. */
export async function storeMessage(
  { db, random }: Needs<'db' | 'random'>,
  { channel, recipient, subject, text, html, code }: Message,
): Promise<void> {
  await db.run(
    `insert into sandbox_messages (id, channel, recipient, subject, text, html, code, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_now())`,
    [random.uuid(), channel, recipient, subject ?? null, text, html ?? null, code || null],
  );
}

const MOST_LISTED = 1_000;

/** Newest first. With null, the messages to all recipients. */
export const newestMessages = (sql: Sql, recipient: string | null): Promise<SandboxMessage[]> =>
  sql.rows<SandboxMessage>(
    `select id, channel, recipient, subject, text, html, code, created_at from sandbox_messages
     where $1::text is null or recipient = $1 order by id desc limit $2`,
    [recipient, MOST_LISTED],
  );
