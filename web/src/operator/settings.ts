import { queryOptions } from '@tanstack/react-query';
import { listSettingChanges, listSettings } from '#contract/operator-settings.ts';
import { call } from '../api/call.ts';
import { OPERATOR } from './operator.ts';

export const SETTINGS = [...OPERATOR, 'settings'] as const;

export const settings = queryOptions({
  queryKey: [...SETTINGS, 'all'],
  queryFn: async ({ signal }) => (await call(listSettings, { signal })).settings,
});

export const settingChanges = (name: string) =>
  queryOptions({
    queryKey: [...SETTINGS, 'history', name],
    queryFn: ({ signal }) => call(listSettingChanges, { params: { name }, query: { page_size: 10 }, signal }),
  });

/** What each setting means, in the words of its documentation. */
export const MEANINGS: Record<string, string> = {
  SUPPORT_EMAIL: 'Address on screens, in mails and on legal pages',
  ALLOWED_COUNTRIES: 'Countries that get codes, separated by commas; * for all',
  SMS_MAX_SEGMENTS: 'Segments that one SMS may take',
  RECIPIENT_SENDS_PER_10_MIN: 'Sends of an account to one recipient in ten minutes',
  RECIPIENT_SENDS_PER_DAY: 'Sends of an account to one recipient in a day',
  NUMBER_SENDS_PER_10_MIN: 'Sends of all accounts to one recipient in ten minutes',
  NUMBER_SENDS_PER_DAY: 'Sends of all accounts to one recipient in a day',
  OWN_SMS_PER_HOUR: 'Texts of the dashboard to its own users in an hour',
  WELCOME_CREDITS: 'Credits of a new account',
  AUTO_PURCHASES_PER_DAY: 'Automatic purchases of an account in 24 hours',
  DASHBOARD_REQUESTS_PER_SECOND: 'Dashboard calls of an account in a second',
};
