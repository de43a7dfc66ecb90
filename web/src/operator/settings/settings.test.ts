import type { OperatorSetting } from '@sixdigit/contract/operator/settings.ts';
import { expect, test } from 'vitest';
import { groupsOf } from './settings.ts';

const setting = (name: string) => ({ name }) as OperatorSetting;

test('each setting appears in one group, and a new setting in the last group', () => {
  const groups = groupsOf(['NEW', 'SUPPORT_EMAIL', 'NUMBER_SENDS_PER_DAY'].map(setting));
  expect(groups.map(({ title, members }) => [title, members.map(({ name }) => name)])).toEqual([
    ['Service', ['SUPPORT_EMAIL']],
    ['Sends to one recipient', ['NUMBER_SENDS_PER_DAY']],
    ['Accounts', ['NEW']],
  ]);
});
