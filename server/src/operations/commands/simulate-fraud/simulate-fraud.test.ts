import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { readCampaigns, simulateFraudCommand } from './simulate-fraud.ts';

const service = fixture(testService);
const folder = mkdtempSync(join(tmpdir(), 'campaigns-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (text: string): string => {
  const file = join(folder, 'campaigns.json');
  writeFileSync(file, text);
  return file;
};
const ONE = { name: 'Test', sends: 100, hours: 1, prefixes: 4 };

const run = async (app: Parameters<typeof simulateFraudCommand>[0], ...words: string[]) => {
  const lines: string[] = [];
  const code = await simulateFraudCommand(app, words, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
};

test('the command plays the default settings and prints a table if no account is given', async () => {
  const { code, text } = await run(undefined, '--campaigns', fileOf(JSON.stringify([ONE])), '--seed', '7');
  expect(code).toBe(0);
  expect(text).toContain('24,000 sends a day in 10 countries');
  expect(text).toMatch(/^campaign {2}country {2}sends {2}got through .* {2}users refused {2}refused by$/m);
  expect(text).toMatch(/^Test {6}US {9}100 +\d+ +\$\d+\.\d\d +\$2\.00 +\d+ {2}\S/m);
  expect(text).toMatch(/the worst day costs at most \$\d+\.\d\d; without rules \$2\.00;/);
});

test('the default settings keep the promise of docs/guarantees.md', async () => {
  expect((await run(undefined)).code).toBe(0);
});

test('the command plays the settings of a given account, and refuses ids without one', async () => {
  const alice = await service.customer('Alice');
  const campaigns = fileOf(JSON.stringify([ONE]));
  const { code, text } = await run(service.app, '--account', alice.account_id, '--campaigns', campaigns);
  expect(code).toBe(0);
  expect(text).toContain('0 sends a day in 0 countries');
  for (const id of ['alice', service.app.random.uuid()])
    await expect(run(service.app, '--account', id)).rejects.toThrow(`There is no account ${id}.`);
});

const REFUSED = [
  ['[', 'is not JSON'],
  ['{}', 'must contain a list of campaigns'],
  ['[]', 'list of campaigns is empty'],
  ['[7]', 'campaign 1: A campaign must be an object.'],
  [
    JSON.stringify([{ ...ONE, sends: -1 }]),
    'campaign 1, sends: Sends must be a whole number from 1 to 20,000.',
  ],
  [JSON.stringify([{ ...ONE, hours: 1e9 }]), 'campaign 1, hours: Hours must be a whole number from 1 to 24.'],
  [JSON.stringify([{ ...ONE, clients: '3' }]), 'campaign 1, clients: Clients must be a whole number'],
  [JSON.stringify([{ ...ONE, name: '\u202eevil' }]), 'campaign 1, name: Name must be 1 to 60 letters'],
  [JSON.stringify([ONE, { ...ONE, sneds: 1 }]), 'campaign 2: There is no sneds in a campaign.'],
  [JSON.stringify([ONE, ONE]), 'Each campaign needs a name of its own.'],
  [
    JSON.stringify(Array.from({ length: 21 }, (_, n) => ({ ...ONE, name: `A ${n}` }))),
    'at most 20 campaigns',
  ],
  [' '.repeat(100_001), 'is too large'],
] as const;

test.each(REFUSED.map(([text, reason]) => [reason, text]))(
  'a file of campaigns is refused with the reason: %s',
  (reason, text) => {
    expect(() => readCampaigns(fileOf(text))).toThrow(reason);
  },
);

test('a missing file, an invalid seed and an unknown option are explained', async () => {
  await expect(run(undefined, '--campaigns', join(folder, 'missing.json'))).rejects.toThrow('cannot be read');
  await expect(run(undefined, '--seed', 'x')).rejects.toThrow('--seed x: Seed must be a whole number');
  expect(await run(undefined, '--speed', '1')).toMatchObject({
    code: 2,
    text: expect.stringContaining('Usage'),
  });
});
