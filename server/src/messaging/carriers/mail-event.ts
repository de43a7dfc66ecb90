import type { MailMeaning } from '@sixdigit/contract/operator/carrier-record.ts';
import { maskedText } from '../../platform/security/masks.ts';

/** What a mail provider or a mail server says about a message beyond its delivery. */
export type MailEvent = MailMeaning;

/** What an event says about the delivery. A complaint is about a message that was delivered. */
export const MAIL_STATES = {
  delayed: 'sent',
  hard_bounce: 'undelivered',
  soft_bounce: 'undelivered',
  blocked: 'undelivered',
  complaint: 'delivered',
  suppressed: 'undelivered',
} as const satisfies Record<MailEvent, 'delivered' | 'undelivered' | 'sent'>;

const READ_MOST = 2_000;
const SHOWN_MOST = 160;

/**
 * A mail server's words for the history, in one short line. They are a stranger's text, which could quote a code or other people's
 * addresses.
 */
export function shownWords(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const line = text
    .slice(0, READ_MOST)
    .toWellFormed()
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const masked = maskedText(line).replace(/\p{Nd}{4,}/gu, '••••');
  if (masked === '') return null;
  return masked.length > SHOWN_MOST ? `${masked.slice(0, SHOWN_MOST).trimEnd()}…` : masked;
}
