import {
  listSettingChanges,
  listSettings,
  type OperatorSetting,
} from '@sixdigit/contract/operator/settings.ts';
import { read } from '../../api/read.ts';

export const settings = read(listSettings, {}, { select: (reply) => reply.settings });

export const settingChanges = (name: string) =>
  read(listSettingChanges, { params: { name }, query: { page_size: 10 } });

/** The meaning of each setting, in the words of its documentation. */
export const MEANINGS: Record<string, string> = {
  SUPPORT_EMAIL: 'Address on screens, in mails and on legal pages',
  ALLOWED_COUNTRIES: 'Countries that get codes, separated by commas; * for all',
  EXTRA_PHONE_PREFIXES: 'Prefixes of new phone numbers, such as +1999, separated by commas',
  SMS_MAX_SEGMENTS: 'Segments that one SMS may take',
  VOICE_MAX_SECONDS: 'Seconds of speech that the message of a call may take',
  RECIPIENT_SENDS_PER_10_MIN: 'Sends of an account to one recipient in ten minutes',
  RECIPIENT_SENDS_PER_DAY: 'Sends of an account to one recipient in a day',
  NUMBER_SENDS_PER_10_MIN: 'Sends of all accounts to one recipient in ten minutes',
  NUMBER_SENDS_PER_DAY: 'Sends of all accounts to one recipient in a day',
  OWN_SMS_PER_HOUR: 'Texts of the dashboard to its own users in an hour',
  WELCOME_CREDITS: 'Credits of a new account',
  AUTO_PURCHASES_PER_DAY: 'Automatic purchases of an account in 24 hours',
  DASHBOARD_REQUESTS_PER_SECOND: 'Dashboard calls of an account in a second',
};

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
