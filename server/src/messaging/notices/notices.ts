import type { Config } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { jitter } from '../../platform/security/random.ts';
import { type Letterhead, type Mail, noticeTexts } from '../mail/mail.ts';
import {
  type Audience,
  type AudienceMember,
  emailOf,
  insertNotice,
  logNotice,
  selectAudience,
} from './queries.ts';

type Texts = typeof noticeTexts;
type Kind = keyof Texts;
type Facts<K extends Kind> = Omit<Parameters<Texts[K]>[0], keyof Letterhead | 'code'>;

/** The content of a notice: its kind and the facts that its text needs. */
export type NoticeContents = { [K in Kind]: { kind: K } & Facts<K> }[Kind];

/** During a rolling restart, newer processes post kinds that this one cannot render. */
export const isKnown = ({ kind }: { kind: string }): boolean => Object.hasOwn(noticeTexts, kind);

/** Renders the e-mail, with the deployment's brand and support address. */
export function composeMail(
  { brandName, supportEmail }: Pick<Config, 'brandName' | 'supportEmail'>,
  { contents: { kind, ...facts }, code, is_last }: Sealed,
): Mail {
  const text = noticeTexts[kind] as (notice: object) => Mail;
  const ending = is_last ? LAST_OF_KIND : undefined;
  return text({ ...facts, brand: brandName, supportEmail, code, ending });
}

/** Members can cause most notices themselves, such as by a setting that they change again and again. */
const OF_KIND_A_DAY = 50;
const LAST_OF_KIND = `This is the last of ${OF_KIND_A_DAY} emails of this kind within 24 hours. Sign in to see what happens until more are sent.`;

/** Renders the same notice as an SMS: the code, or else the headline. */
export function composeSms(
  { brandName }: Pick<Config, 'brandName'>,
  mail: Mail,
  code: string | undefined,
): string {
  if (code === undefined) return `${brandName}: ${mail.subject}`;
  return `Your ${brandName} verification code is: ${code}. Never share it with anyone.`;
}

export { countNotices, countNoticesOfCarrier, noticeClaimHolders } from './queries.ts';

/**
 * Messages from the service to its own users: sign-in codes and account notices. Posting writes a sealed row in the caller's
 * transaction; send the wake-up `notices` after the commit. A job dispatches the message to its channel's carriers until one
 * accepts it or it expires, and then deletes the row.
 */
export interface Post {
  /** the account that it is about */
  account_id?: string;
  /** the person who gets it */
  person_id?: string;
  channel: 'email' | 'sms';
  /** If null, no message is sent, but posting takes the same time. */
  recipient: string | null;
  contents: NoticeContents;
  /** Appears in the message only, never in its subject. */
  code?: string;
  /** The text says that no more of the kind are sent for some time. */
  is_last?: boolean;
  /** ISO 8601; defaults to one day from now. The notice is not dispatched after this time. */
  expires_at?: string;
}

/** The encrypted part of the row. */
export type Sealed = Pick<Post, 'recipient' | 'contents' | 'code' | 'is_last'>;

export async function postNotice(tx: Tx, app: Needs<'vault' | 'random'>, post: Post): Promise<void> {
  const id = app.random.uuid();
  const { recipient, contents, code, is_last } = post;
  const sealed: Sealed = {
    recipient,
    contents,
    ...(code === undefined ? {} : { code }),
    ...(is_last ? { is_last } : {}),
  };
  await insertNotice(tx, {
    id,
    account_id: post.account_id ?? null,
    person_id: post.person_id ?? null,
    channel: post.channel,
    sealed: app.vault.seal(JSON.stringify(sealed), sealOf(id)),
    expires_at: post.expires_at ?? null,
  });
}

type Sending = (
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  account_id: string,
  contents: NoticeContents,
) => Promise<void>;

const sendingTo =
  (audience: Audience): Sending =>
  async (tx, app, account_id, contents) => {
    const limited = await withinLimit(tx, app, { account_id, told_id: account_id }, contents);
    if (!limited) return;
    for (const member of await selectAudience(tx, account_id, audience))
      await postToMember(tx, app, account_id, member, limited);
  };

type Limited = Pick<Post, 'contents' | 'is_last'>;

/** Undefined if no more notices of the kind may be sent now. The one before said so. */
async function withinLimit(
  tx: Tx,
  app: Needs<'random'>,
  about: { account_id: string; told_id: string },
  contents: NoticeContents,
): Promise<Limited | undefined> {
  const logged = { id: app.random.uuid(), ...about, kind: contents.kind };
  const sent = await logNotice(tx, logged, OF_KIND_A_DAY);
  return sent === undefined ? undefined : { contents, is_last: sent === OF_KIND_A_DAY };
}

const postToMember = (
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  account_id: string,
  { person_id, email: recipient, slug }: AudienceMember,
  { contents, ...limited }: Limited,
): Promise<void> =>
  postNotice(tx, app, {
    account_id,
    person_id,
    channel: 'email',
    recipient,
    contents: slug === null ? contents : linkedTo(slug, contents),
    ...limited,
  });

/** Links whose token names the account. */
const WITH_TOKEN: readonly string[] = ['unblockUrl'];

/**
 * Puts the account into the links to the dashboard, so that they lead a person with several accounts to this one. An account whose
 * members have no other account has no slug.
 */
function linkedTo(slug: string, contents: NoticeContents): NoticeContents {
  const linked = Object.entries(contents).map(([name, value]) => [
    name,
    name.endsWith('Url') && !WITH_TOKEN.includes(name)
      ? String(value).replace(/^(https?:\/\/[^/]+)\/?/, `$1/a/${slug}/`)
      : value,
  ]);
  return Object.fromEntries(linked) as NoticeContents;
}

/** Sends what concerns money or security to the owners and admins of the account. */
export const notifyAccount = sendingTo('responsible');
/** Sends what concerns the operation of the account to the members who want it. */
export const notifyService = sendingTo('service');
export const notifyOwners = sendingTo('owners');
export const notifyMembers = sendingTo('members');

/** Sends to one member what concerns their membership. */
export async function notifyMember(
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  { account_id, person_id }: { account_id: string; person_id: string },
  contents: NoticeContents,
): Promise<void> {
  const [member] = await selectAudience(tx, account_id, 'members', person_id);
  const limited = member && (await withinLimit(tx, app, { account_id, told_id: person_id }, contents));
  if (limited) await postToMember(tx, app, account_id, member, limited);
}

/** Sends to the person's e-mail address, unless the person is deleted. */
export async function notifyPerson(
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  person_id: string,
  contents: NoticeContents,
): Promise<void> {
  const recipient = await emailOf(tx, person_id);
  if (recipient) await postNotice(tx, app, { person_id, channel: 'email', recipient, contents });
}

/** Deletes the pending notices of an account, of a member who leaves it, or of a person. */
export {
  deleteNoticesOf as forgetNotices,
  deleteNoticesOfMember as forgetNoticesOfMember,
  deleteNoticesOfPerson as forgetNoticesOfPerson,
  oldNoticeLog,
  WANTS_SERVICE_NOTICES,
} from './queries.ts';

export const sealOf = (id: string): string => `notice:${id}`;

const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 600;
/** No pause is longer than this share of the remaining lifetime, so that a code is not delayed until it is useless. */
const PAUSE_SHARE = 0.05;
/** Spreads the retries of notices that failed at the same time. */
const JITTER = 0.2;

/**
 * Seconds until the next round over the carriers, by the number of rounds so far: about 2, 4, 8 and so on, up to ten minutes or
 * a twentieth of the remaining lifetime. Shortly before its expiry, a notice is tried about every two seconds.
 */
export function retrySeconds(
  app: Needs<'random'>,
  { rounds, remainingSeconds }: { rounds: number; remainingSeconds: number },
): number {
  const longest = Math.min(LONGEST_PAUSE_SECONDS, remainingSeconds * PAUSE_SHARE);
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (rounds - 1), longest);
  return Math.max(pause, FIRST_PAUSE_SECONDS) * jitter(app.random, JITTER);
}
