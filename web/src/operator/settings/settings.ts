import {
  listSettingChanges,
  listSettings,
  type OperatorSetting,
} from '@sixdigit/contract/operator/settings.ts';
import { read } from '../../api/read.ts';
import { countryNames } from '../../ui/display-names.ts';

export const settings = read(listSettings, {}, { select: (reply) => reply.settings });

export const settingChanges = (name: string) =>
  read(listSettingChanges, { params: { name }, query: { page_size: 10 } });

/** The meaning of each setting, in the words of its documentation. */
export const MEANINGS: Record<string, string> = {
  SUPPORT_EMAIL: 'Support email address',
  ALLOWED_COUNTRIES: 'Allowed countries',
  EXTRA_PHONE_PREFIXES: 'Additional phone number prefixes',
  SMS_MAX_SEGMENTS: 'Maximum segments of an SMS',
  VOICE_MAX_SECONDS: 'Maximum length of a voice message, in seconds',
  RECIPIENT_SENDS_PER_10_MIN: 'Sends to one recipient per 10 minutes, from one account',
  RECIPIENT_SENDS_PER_DAY: 'Sends to one recipient per day, from one account',
  NUMBER_SENDS_PER_10_MIN: 'Sends to one recipient per 10 minutes, from all accounts',
  NUMBER_SENDS_PER_DAY: 'Sends to one recipient per day, from all accounts',
  OWN_SMS_PER_HOUR: 'SMS per hour to users of the dashboard',
  WELCOME_CREDITS: 'Credits for a new account',
  AUTO_PURCHASES_PER_DAY: 'Automatic purchases per account in 24 hours',
  DASHBOARD_REQUESTS_PER_SECOND: 'Dashboard requests per second, per account',
};

/** What the meaning leaves open. */
export const HINTS: Record<string, string> = {
  SUPPORT_EMAIL: 'Shown on screens, in emails and on legal pages.',
  EXTRA_PHONE_PREFIXES: 'With the country code, separated by commas, such as +1999.',
  SMS_MAX_SEGMENTS: 'A longer SMS is refused.',
  VOICE_MAX_SECONDS: 'A longer voice message is refused.',
};

/** The countries of 'US, CA'; undefined for '*' */
export const chosenOf = (value: string): string[] | undefined =>
  value.trim() === '*' ? undefined : value.split(/[\s,]+/).filter((code) => code !== '');

/** The value for readers: countries by name. */
export function valueText(name: string, value: string): string {
  if (name !== 'ALLOWED_COUNTRIES' || value === '') return value;
  const chosen = chosenOf(value);
  return chosen ? countryNames(chosen) : 'All countries';
}

const GROUPS: readonly { title: string; names: readonly string[] }[] = [
  {
    title: 'Service',
    names: [
      'SUPPORT_EMAIL',
      'ALLOWED_COUNTRIES',
      'EXTRA_PHONE_PREFIXES',
      'SMS_MAX_SEGMENTS',
      'VOICE_MAX_SECONDS',
    ],
  },
  {
    title: 'Sends to one recipient',
    names: [
      'RECIPIENT_SENDS_PER_10_MIN',
      'RECIPIENT_SENDS_PER_DAY',
      'NUMBER_SENDS_PER_10_MIN',
      'NUMBER_SENDS_PER_DAY',
    ],
  },
];
const REST = 'Accounts';

/** Groups the settings. The last group takes the ones without a group. */
export function groupsOf(all: readonly OperatorSetting[]): { title: string; members: OperatorSetting[] }[] {
  const titleOf = (name: string): string => GROUPS.find(({ names }) => names.includes(name))?.title ?? REST;
  return [...GROUPS.map(({ title }) => title), REST]
    .map((title) => ({ title, members: all.filter(({ name }) => titleOf(name) === title) }))
    .filter(({ members }) => members.length > 0);
}
