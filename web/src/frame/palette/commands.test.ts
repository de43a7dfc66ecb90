import { IconKey } from '@tabler/icons-react';
import { expect, test } from 'vitest';
import { type Command, matching } from './commands.ts';
import { isLookedUp } from './found.ts';

const command = (label: string, words = ''): Command => ({
  label,
  words,
  Icon: IconKey,
  run() {},
});
const all = [command('Create API key'), command('API Keys', 'secret token'), command('Sign out', 'log out')];
const labels = (text: string) => matching(all, text).map(({ label }) => label);

test('the command palette finds a command by any of its words, in any case and order', () => {
  expect(labels('key create')).toEqual(['Create API key']);
  expect(labels('LOG OUT')).toEqual(['Sign out']);
  expect(labels('token')).toEqual(['API Keys']);
  expect(labels('nothing like it')).toEqual([]);
});

test('the command palette lists commands that begin with the text first, and all commands for an empty text', () => {
  expect(labels('create')).toEqual(['Create API key']);
  expect(labels('api')).toEqual(['API Keys', 'Create API key']);
  expect(labels('')).toEqual(['Create API key', 'API Keys', 'Sign out']);
});

test('the command palette looks up only text that can be an id or a recipient', () => {
  for (const text of ['+14155', '555', 'ann@', '019a2b3c-1111-7222-8333-444455556666'])
    expect(isLookedUp(text), text).toBe(true);
  for (const text of ['', 'cr', 'create', '12']) expect(isLookedUp(text), text).toBe(false);
});
