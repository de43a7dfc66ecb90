import type { OperatorAction } from '@sixdigit/contract/operator/operator.ts';
import { linkOptions } from '@tanstack/react-router';

const ID = /[\da-f]{8}-[\da-f-]{27}/;

/** 'Verification 0193a1b2…' */
export const shortSubject = ({ subject }: OperatorAction): string =>
  subject.replace(ID, (id) => `${id.slice(0, 8)}…`);

const PAGES = {
  announcement: linkOptions({ to: '/operator/announcements' }),
  carrier: linkOptions({ to: '/operator/carriers' }),
  operator_key: linkOptions({ to: '/operator/keys' }),
  opt_out: linkOptions({ to: '/operator/opt-outs' }),
  prices: linkOptions({ to: '/operator/prices' }),
  protection: linkOptions({ to: '/operator/protection' }),
  recipient: linkOptions({ to: '/operator/opt-outs' }),
  setting: linkOptions({ to: '/operator/settings' }),
};

/** The screen that shows what an action changed or revealed. Undefined for the account itself, which has its own link. */
export function placeOf({ action, account_id, subject }: OperatorAction) {
  const [noun = ''] = action.split('.');
  const search = ID.exec(subject)?.[0] ?? '';
  if (noun === 'payment') return linkOptions({ to: '/operator/payments', search: { search } });
  if (action === 'recipient.search') return undefined;
  if (account_id === null) return PAGES[noun as keyof typeof PAGES];
  const params = { id: account_id };
  const found = { search, days: 'all' as const };
  switch (noun) {
    case 'verification':
      return linkOptions({ to: '/operator/accounts/$id/verifications', params, search: found });
    case 'request':
      return linkOptions({ to: '/operator/accounts/$id/requests', params, search: found });
    case 'webhook':
    case 'webhook_attempt':
      return linkOptions({ to: '/operator/accounts/$id/webhooks', params });
    case 'activity':
      return linkOptions({ to: '/operator/accounts/$id/activity', params });
    case 'test_message':
      return linkOptions({
        to: '/operator/accounts/$id/verifications',
        params,
        search: { mode: 'test' as const, view: 'inbox' as const },
      });
    default:
      return PAGES[noun as keyof typeof PAGES];
  }
}
