import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';

/** What an operator may ask the command palette for, before the name or the id: 'refund bob@example.com'. */
const VERBS = {
  refund: 'refund',
  block: 'suspend',
  suspend: 'suspend',
  resume: 'resume',
  adjust: 'adjust',
  credit: 'adjust',
  credits: 'adjust',
  limit: 'limits',
  limits: 'limits',
} as const;
export type Verb = (typeof VERBS)[keyof typeof VERBS];

export interface PaletteText {
  verb?: Verb;
  /** an address, a name or an id */
  subject: string;
}

export function readPaletteText(text: string): PaletteText {
  const [, first = '', rest = ''] = /^(\w+)\s+(?:to |of |for )?(.+)$/.exec(text.trim()) ?? [];
  const verb = VERBS[first.toLowerCase() as keyof typeof VERBS];
  return verb === undefined ? { subject: text.trim() } : { verb, subject: rest };
}

const SHORTEST = 3;

/**
 * Whether a text can be a whole phone number. The audit records each search by one, so the palette offers such a search instead of
 * making it while the operator types.
 */
export const canBePhone = (subject: string): boolean => /^\+?[\d\s()./-]{3,}$/.test(plainPhone(subject));

/** Whether accounts and purchases are searched for a text while the operator types it. */
export const isLookedUp = (subject: string): boolean => subject.length >= SHORTEST && !canBePhone(subject);
