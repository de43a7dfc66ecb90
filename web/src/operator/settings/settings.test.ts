import type { OperatorSetting } from '@sixdigit/contract/operator/settings.ts';
import { expect, test } from 'vitest';
import { groupsOf, valueText } from './settings.ts';

const setting = (name: string) => ({ name }) as OperatorSetting;

test('each setting appears in one group, and a new setting in the last group', () => {
  const groups = groupsOf(['NEW', 'SUPPORT_EMAIL', 'NUMBER_SENDS_PER_DAY'].map(setting));
  expect(groups.map(({ title, members }) => [title, members.map(({ name }) => name)])).toEqual([
    ['Service', ['SUPPORT_EMAIL']],
    ['Sends to one recipient', ['NUMBER_SENDS_PER_DAY']],
    ['Accounts', ['NEW']],
  ]);
});

test('allowed countries are shown by name, and other values as they are', () => {
  expect(valueText('ALLOWED_COUNTRIES', 'US, CA,DE')).toBe('United States, Canada, and Germany');
  expect(valueText('ALLOWED_COUNTRIES', ' * ')).toBe('All countries');
  expect(valueText('SUPPORT_EMAIL', 'help@example.com')).toBe('help@example.com');
});
