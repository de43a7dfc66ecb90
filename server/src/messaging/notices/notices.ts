import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { NoticeContents } from './contents.ts';
import { deleteNoticesOf, emailOf, insertNotice } from './queries.ts';

export type { NoticeContents } from './contents.ts';
export { countNotices, noticeClaimHolders } from './queries.ts';

/**
 * Messages of the service to its own users: sign-in codes and account notices. Posting writes a sealed row in the caller's
 * transaction. A job dispatches it to the carriers of its channel until one accepts it or it expires, and then deletes it. Send
 * the wake-up `notices` after the commit.
 */
export interface Post {
  account_id?: string;
  channel: 'email' | 'sms';
  /** With null, no message is sent, but posting takes the same time. */
  recipient: string | null;
  contents: NoticeContents;
  /** Appears in the message only, never in its subject. */
  code?: string;
  /** ISO 8601; defaults to one day from now. The notice is not dispatched later. */
  expires_at?: string;
}

/** The encrypted part of the row. */
export type Sealed = Pick<Post, 'recipient' | 'contents' | 'code'>;

export async function postNotice(tx: Tx, app: Needs<'vault' | 'random'>, post: Post): Promise<void> {
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

/** Sends to the account's e-mail address, unless the account is deleted. */
export async function notifyAccount(
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  account_id: string,
  contents: NoticeContents,
): Promise<void> {
  const recipient = await emailOf(tx, account_id);
  if (recipient) await postNotice(tx, app, { account_id, channel: 'email', recipient, contents });
}

/** Deletes the pending notices of an account that is being deleted. */
export const forgetNotices = (tx: Tx, account_id: string): Promise<number> => deleteNoticesOf(tx, account_id);

export const sealOf = (id: string): string => `notice:${id}`;
