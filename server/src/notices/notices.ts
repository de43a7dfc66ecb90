import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { NoticeContents } from './contents.ts';
import { deleteNoticesOf, emailOf, insertNotice } from './queries.ts';

export type { NoticeContents } from './contents.ts';
export { hasOptedOut } from './opted-out.ts';

/**
 * Messages of the service to its own users: codes for signing in, and news about their account. Posting writes a sealed
 * row within the caller's transaction; a job hands it to the carriers of its channel until one has it or it expires, and
 * then removes it. Ring `notices` after the commit, so that this happens at once.
 */
export interface Post {
  account_id?: string;
  channel: 'email' | 'sms';
  /** Null reaches nobody, and takes as long as what reaches somebody. */
  recipient: string | null;
  contents: NoticeContents;
  /** Stands in the message alone, never in its subject. */
  code?: string;
  /** ISO 8601; a day from now where left out. Nothing is dispatched later. */
  expires_at?: string;
}

/** What the row's seal hides. */
export type Sealed = Pick<Post, 'recipient' | 'contents' | 'code'>;

export async function postNotice(tx: Sql, app: Needs<'vault' | 'random'>, post: Post): Promise<void> {
  const id = app.random.uuid();
  const { recipient, contents, code } = post;
  const sealed: Sealed = { recipient, contents, ...(code === undefined ? {} : { code }) };
  await insertNotice(tx, {
    id,
    account_id: post.account_id ?? null,
    channel: post.channel,
    sealed: app.vault.seal(JSON.stringify(sealed), sealOf(id)),
    expires_at: post.expires_at ?? null,
  });
}

/** To the account's own e-mail address, unless the account is deleted. */
export async function notifyAccount(
  tx: Sql,
  app: Needs<'vault' | 'random'>,
  account_id: string,
  contents: NoticeContents,
): Promise<void> {
  const recipient = await emailOf(tx, account_id);
  if (recipient) await postNotice(tx, app, { account_id, channel: 'email', recipient, contents });
}

/** What is still on its way to an account that is being deleted no longer is. */
export const forgetNotices = (tx: Sql, account_id: string): Promise<number> =>
  deleteNoticesOf(tx, account_id);

export const sealOf = (id: string): string => `notice:${id}`;
