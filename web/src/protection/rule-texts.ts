import type {
  CountedRule,
  Mode,
  ProtectionRules,
  Threshold,
} from '@sixdigit/contract/protection/protection.ts';
import { countOf, percent } from '../ui/numbers.ts';

export type { CountedRule } from '@sixdigit/contract/protection/protection.ts';
export { RULE_NAMES } from '@sixdigit/contract/protection/protection.ts';

export const MODE_NAMES: Record<Mode, string> = { enforce: 'Enforce', monitor: 'Monitor', off: 'Off' };

/** The field label of each threshold. */
export const THRESHOLD_NAMES: { [R in CountedRule]: Partial<Record<Threshold, string>> } = {
  prefix_velocity: { limit: 'Sends per 10 min' },
  client_velocity: { limit: 'Sends per 10 min', recipients: 'Recipients per 10 min' },
  client_unverified: { limit: 'Unverified per day', percent: '% of verified codes' },
  client_countries: { limit: 'Countries per day' },
  prefix_conversion: {
    limit: 'Finished sends per hour',
    percent: 'Minimum % verified',
    hours: 'Hours blocked',
  },
  country_unverified: { limit: 'Unverified per day', percent: '% of verified codes' },
};

/** Only an enforced rule blocks. */
const blocks = (mode: Mode): string => (mode === 'enforce' ? 'Blocks' : 'Would block');

/** Describes the rule with its mode and thresholds. */
export const RULE_SENTENCES: { [R in CountedRule]: (rule: ProtectionRules[R]) => string } = {
  prefix_velocity: ({ mode, limit }) =>
    `${blocks(mode)} a prefix, which is a number without its last four digits, after ${countOf(limit, 'send')} in 10 minutes.`,
  client_velocity: ({ mode, limit, recipients }) =>
    `${blocks(mode)} an end user’s IP address after ${countOf(limit, 'send')}, or to more than ${countOf(recipients, 'recipient')}, in 10 minutes.`,
  client_unverified: ({ mode, limit, percent: share }) =>
    `${blocks(mode)} an end user’s IP address after ${countOf(limit, 'unverified code')} in a day, or ${percent(share / 100)} of the codes that it verified, whichever is more.`,
  client_countries: ({ mode, limit }) =>
    `${blocks(mode)} an end user’s IP address that tries more than ${countOf(limit, 'country', 'countries')} in a day without verifying a code there.`,
  prefix_conversion: ({ mode, limit, percent: share, hours }) =>
    `${blocks(mode)} a prefix for ${countOf(hours, 'hour')} if fewer than ${percent(share / 100)} of at least ${countOf(limit, 'finished send')} in an hour were verified.`,
  country_unverified: ({ mode, limit, percent: share }) =>
    `${mode === 'enforce' ? 'Limits' : 'Would limit'} a country to ${countOf(limit, 'unverified code')} in a day, or to ${percent(share / 100)} of the codes verified on its best day, whichever is more. ${blocks(mode)} the prefixes that exceed the limit.`,
};
