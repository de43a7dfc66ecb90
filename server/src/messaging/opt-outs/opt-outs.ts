import type { Queryable, Sql } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { hex } from '../../platform/security/vault.ts';

export type InboundKeyword = 'stop' | 'start' | 'help';

/** Words that always mean an opt-out. They also count within a short request such as "please stop texting me". */
const CLEAR_STOPS = new Set(['stop', 'stopall', 'unsubscribe', 'revoke', 'optout', 'arret']);
/**
 * Includes words that can also be ordinary replies. Those count only alone, with polite words, or with words for the messages.
 */
const STOPS = new Set([...CLEAR_STOPS, 'cancel', 'end', 'quit']);
const STARTS = new Set(['start', 'unstop', 'yes']);
const HELPS = new Set(['help', 'info', 'aide']);

const POLITE = setOf('please pls plz kindly now immediately thanks thank you all');
const MESSAGES = setOf('text texts message messages msg msgs sms');
const REQUEST = setOf(
  'me it this that these those the your my from to of i want would like sending send texting messaging getting receiving code codes number list',
);

/**
 * The keyword of an inbound SMS: one of the FCC's words for revoking consent (47 CFR 64.1200(a)(10)), START or HELP. Case,
 * character width and punctuation are ignored. The text must be the keyword alone or a request with no other content. Ordinary
 * replies have no keyword.
 */
export function inboundKeyword(text: string): InboundKeyword | undefined {
  if (text.length > LONGEST) return undefined;
  const words = wordsOf(text);
  const kept = words.filter((word) => !POLITE.has(word));
  if (isOnly(kept, HELPS)) return 'help';
  if (isOnly(kept, STARTS)) return 'start';
  const stops = kept.filter((word) => !MESSAGES.has(word));
  const bare = stops.filter((word) => !REQUEST.has(word));
  return isOnly(stops, STOPS) || isOnly(bare, CLEAR_STOPS) ? 'stop' : undefined;
}

/** A longer text is treated as a conversation and has no keyword. */
const LONGEST = 160;

/** Whether the text is one keyword, possibly repeated ("STOP STOP STOP"). */
const isOnly = (words: readonly string[], keywords: ReadonlySet<string>): boolean =>
  words.length > 0 && keywords.has(words[0] ?? '') && new Set(words).size === 1;

/**
 * The text's words in lower case, with only letters and digits. Accents, apostrophes and invisible characters are removed; all
 * other characters separate words.
 */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}'\u2019]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  // "S.T.O.P"
  const joined = /^\p{L}(?: \p{L})+$/u.test(plain) ? plain.replaceAll(' ', '') : plain;
  return joined
    .replace(/\b(opt) (out)\b|\b(un) (subscribe|stop)\b|\b(stop) (all)\b/g, '$1$2$3$4$5$6')
    .split(' ')
    .filter(Boolean);
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** The keyed hash of a number in the opt-out list. It remains after the recipient is erased. */
export const optOutFingerprint = (app: Needs<'vault'>, recipient: string): Buffer =>
  app.vault.fingerprint('opt-out', recipient);

/** Hashes under every known server key, so that an opt-out survives key rotation. */
export const optOutHexes = (app: Needs<'vault'>, recipient: string): string[] =>
  app.vault.fingerprints('opt-out', recipient).map(hex);

export const optOut = (sql: Queryable, fingerprint: Buffer): Promise<number> =>
  sql.run('insert into opt_outs (fingerprint, created_at) values ($1, clock_now()) on conflict do nothing', [
    fingerprint,
  ]);

/** When the number opted out; undefined if it did not. */
export const findOptOutOf = async (sql: Queryable, fingerprints: Buffer[]): Promise<string | undefined> =>
  (
    await sql.maybe<{ created_at: string }>(
      'select created_at from opt_outs where fingerprint = any ($1) order by created_at limit 1',
      [fingerprints],
    )
  )?.created_at;

export const optIn = (sql: Queryable, fingerprints: Buffer[]): Promise<number> =>
  sql.run('delete from opt_outs where fingerprint = any ($1)', [fingerprints]);

/** Whether the number's owner has replied STOP. Such a number receives no messages, not even sign-in codes. */
export async function hasOptedOut(sql: Sql, app: Needs<'vault'>, phone: string): Promise<boolean> {
  const fingerprints = app.vault.fingerprints('opt-out', phone);
  return (
    (await sql.maybe('select 1 from opt_outs where fingerprint = any ($1)', [fingerprints])) !== undefined
  );
}
