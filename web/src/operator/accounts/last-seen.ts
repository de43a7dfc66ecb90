import type { OperatorAccountDetail, OperatorMember } from '@sixdigit/contract/operator/accounts.ts';

/**
 * When a member was last seen. A membership stores it only every ten minutes, so a session that was used since then, which is listed
 * for the person whose address the account has, is newer.
 */
export function lastSeenOf(
  { email, last_seen_at }: Pick<OperatorMember, 'email' | 'last_seen_at'>,
  account: Pick<OperatorAccountDetail, 'email' | 'sessions'>,
): string | null {
  if (last_seen_at === null || email !== account.email) return last_seen_at;
  const times = [last_seen_at, ...account.sessions.map(({ last_used_at }) => last_used_at)];
  return times.reduce((newest, at) => (Date.parse(at) > Date.parse(newest) ? at : newest));
}
