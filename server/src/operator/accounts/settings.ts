import type { OperatorAccountSettings } from '@sixdigit/contract/operator/account-data.ts';
import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import { brandingOf } from '../../accounts/accounts.ts';
import { secondFactorsOf } from '../../accounts/second-factors/second-factors.ts';
import { spendOf } from '../../credits/spend/spend.ts';
import { type PaymentsApp, savedCards } from '../../payments/payments.ts';
import { Failure } from '../../platform/http/failure.ts';
import { maskedRecipient, maskedText } from '../../platform/security/masks.ts';
import { domainsOf } from '../../protection/message-links/message-links.ts';
import { type Protection, protectionOf } from '../../protection/protection.ts';
import { requireAccount } from './accounts.ts';

type App = PaymentsApp & { protection: Protection };

/** What the owner of an account has set. Numbers and addresses in lists and notes are masked. Throws `not_found`. */
export async function settingsOfAccount(app: App, id: string): Promise<OperatorAccountSettings> {
  await requireAccount(app.db, id);
  const [otp, spend, { rules, allow, deny, learning }, domains, second_factors, cards] = await Promise.all([
    brandingOf(app, id),
    spendOf(app, id),
    protectionOf({ ...app, guard: app.protection.guard }, id),
    domainsOf(app, id),
    secondFactorsOf(app.db, id),
    savedCards(app, id).catch((error: unknown) => {
      if (error instanceof Failure) return null;
      throw error;
    }),
  ]);
  return {
    otp,
    spend,
    protection: { rules, learning, allow: allow.map(masked), deny: deny.map(masked) },
    message_domains: domains.results,
    message_links: domains.links,
    second_factors,
    cards,
  };
}

const masked = (entry: ListEntry): ListEntry => ({
  ...entry,
  value: entry.kind === 'number' ? maskedRecipient(entry.value) : entry.value,
  note: entry.note === null ? null : maskedText(entry.note),
});
