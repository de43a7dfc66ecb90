import { hashOfKey, newKeyText } from '../../../api-keys/api-keys.ts';
import type { Needs } from '../../../platform/platform.ts';
import { LAPTOP } from './activity.ts';
import { bytea, idAt } from './history.ts';
import { GIFT } from './purchases.ts';

/**
 * What the operator of the demonstration has done in the console: two announcements, of which one has ended and one is planned,
 * keys for programs, and the audit of these and of two changes to the account.
 */
const DAY_MS = 86_400_000;
const SHOWN = 18;

const ANNOUNCEMENTS = [
  {
    text: 'Text messages to Canada are delayed by up to ten minutes. We are working with the carrier.',
    tone: 'warning',
    made: 27.2,
    starts: 27.2,
    ends: 26.9,
  },
  {
    text: 'Scheduled maintenance: codes may arrive up to a minute late.',
    tone: 'info',
    made: 1.03,
    starts: -6,
    ends: -6 - 1 / 24,
  },
] as const;

const KEYS = [
  { name: 'Monitoring', scopes: ['overview:read', 'carriers:read'], made: 34.9, lasts: 90, used: 0.01 },
  { name: 'Monthly accounting', scopes: ['payments:read'], made: 33.2, lasts: 365, used: 26.4 },
] as const;

interface Account {
  account_id: string;
  operator_id: string;
  revealed: { id: string; at: Date };
  gift: { before: object; after: object };
}

export function consoleOf(
  app: Needs<'clock' | 'random' | 'config'>,
  { account_id, operator_id, revealed, gift }: Account,
) {
  const now = app.clock.now().getTime();
  const ago = (days: number) => new Date(now - days * DAY_MS);
  const actions: { at: Date; action: string; subject: string; [field: string]: unknown }[] = [
    {
      at: revealed.at,
      action: 'verification.reveal',
      subject: `Verification ${revealed.id}`,
      reason: 'The customer asked why this message was late',
      subject_account_id: account_id,
    },
    {
      at: ago(GIFT.days),
      action: 'account.adjust_credits',
      subject: `+${GIFT.credits} credits`,
      reason: GIFT.reason,
      subject_account_id: account_id,
      ...gift,
    },
  ];
  const announcements = ANNOUNCEMENTS.map(({ text, tone, made, starts, ends }) => {
    const created_at = ago(made);
    const after = { tone, starts_at: ago(starts), ends_at: ago(ends) };
    actions.push({ at: created_at, action: 'announcement.create', subject: text, after });
    return { id: idAt(created_at), text, ...after, created_at, operator_id };
  });
  const operator_keys = KEYS.map(({ name, scopes, made, lasts, used }) => {
    const created_at = ago(made);
    const expires_at = new Date(created_at.getTime() + lasts * DAY_MS);
    const key = newKeyText(app, 'sd_operator_');
    actions.push({
      at: created_at,
      action: 'operator_key.create',
      subject: name,
      after: { scopes, expires_at },
    });
    return {
      id: idAt(created_at),
      operator_id,
      name,
      prefix: key.slice(0, SHOWN),
      hash: bytea(hashOfKey(key)),
      scopes,
      created_at,
      expires_at,
      last_used_at: ago(used),
    };
  });
  const operator_actions = actions
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, action, subject, ...rest }) => ({
      id: idAt(at),
      created_at: at,
      operator_id,
      action,
      subject_account_id: null,
      subject,
      reason: '',
      before: null,
      after: null,
      ...LAPTOP,
      ...rest,
    }));
  return { announcements, operator_keys, operator_actions };
}
