import { pageUrl } from '../../platform/config.ts';
import type { Sql, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { RESET_LINK_SECONDS } from '../limits.ts';
import { hashOfToken } from '../sessions/tokens.ts';

/**
 * Password reset links: 256 random bits, stored as a hash, valid once and for thirty minutes. Each mail has its own link, so a
 * stranger's request does not invalidate the owner's. The token is in the URL fragment, which browsers do not send: it appears in
 * no access log and no Referer header.
 */
export async function createResetLink(
  tx: Tx,
  app: Needs<'config' | 'random'>,
  person_id: string | null,
): Promise<{ url: string; expires_at: string }> {
  const token = app.random.token();
  const { expires_at } = await tx.one<{ expires_at: string }>(
    `insert into reset_links (token_hash, person_id, created_at, expires_at)
     values ($1, $2, clock_now(), clock_now() + make_interval(secs => ${RESET_LINK_SECONDS})) returning expires_at`,
    [hashOfToken(token), person_id],
  );
  return { url: `${pageUrl(app, '/reset-password')}#${token}`, expires_at };
}

const LIVES = 'person_id is not null and expires_at > clock_now()';

export const findResetLink = (sql: Sql, token: string) =>
  sql.maybe<{ person_id: string }>(`select person_id from reset_links where token_hash = $1 and ${LIVES}`, [
    hashOfToken(token),
  ]);

/** True for the one caller that consumes the link. */
export const consumeResetLink = async (tx: Tx, token: string): Promise<boolean> =>
  (await tx.run(`delete from reset_links where token_hash = $1 and ${LIVES}`, [hashOfToken(token)])) === 1;

export const deleteResetLinksOf = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from reset_links where person_id = $1', [person_id]);
