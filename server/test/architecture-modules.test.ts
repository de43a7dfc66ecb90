import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { circlesOf, filesBelow, filesImportedBy, isTest, ROOT } from './source.ts';

/** Folders that every module may import. They import only each other, in this order. */
const BASE = ['platform', 'mail', 'carriers'];
/** The modules that each module may import. */
const ALLOWED: Record<string, readonly string[]> = {
  audit: ['export'],
  credits: [],
  'opt-outs': [],
  idempotency: [],
  sandbox: [],
  deployment: [],
  settings: [],
  'api-keys': ['account-limits', 'audit', 'credits', 'notices'],
  spend: ['audit', 'credits', 'notices'],
  'test-mode': [],
  export: [],
  live: [],
  'request-logs': ['api-keys', 'export'],
  insights: ['api-keys', 'request-logs'],
  notices: ['opt-outs'],
  'message-links': ['audit', 'notices'],
  webhooks: ['audit', 'export', 'notices'],
  protection: ['audit', 'notices'],
  prices: ['live-settings'],
  otp: [
    'account-limits',
    'audit',
    'message-links',
    'export',
    'protection',
    'prices',
    'credits',
    'spend',
    'test-mode',
    'api-keys',
    'webhooks',
    'opt-outs',
    'idempotency',
  ],
  'second-factors': ['audit', 'notices'],
  accounts: [
    'message-links',
    'second-factors',
    'audit',
    'protection',
    'credits',
    'insights',
    'notices',
    'api-keys',
    'webhooks',
    'otp',
    'opt-outs',
    'idempotency',
    'request-logs',
  ],
  payments: ['audit', 'export', 'prices', 'credits', 'notices', 'accounts', 'idempotency'],
  'live-settings': [],
  'account-limits': ['live-settings'],
  activity: [],
  erasure: ['accounts', 'idempotency', 'otp', 'protection', 'request-logs', 'sandbox', 'webhooks'],
  operator: [
    'insights',
    'test-mode',
    'erasure',
    'activity',
    'account-limits',
    'settings',
    'audit',
    'second-factors',
    'accounts',
    'api-keys',
    'credits',
    'export',
    'live-settings',
    'message-links',
    'notices',
    'opt-outs',
    'otp',
    'payments',
    'prices',
    'protection',
    'request-logs',
    'spend',
    'webhooks',
  ],
  retention: [
    'operator',
    'audit',
    'protection',
    'otp',
    'request-logs',
    'webhooks',
    'idempotency',
    'sandbox',
    'notices',
    'insights',
    'test-mode',
  ],
  commands: [
    'erasure',
    'live-settings',
    'retention',
    'accounts',
    'api-keys',
    'credits',
    'deployment',
    'idempotency',
    'operator',
    'otp',
    'payments',
    'protection',
    'sandbox',
    'settings',
    'webhooks',
    'request-logs',
  ],
};

const SRC = 'server/src/';
const serverFiles = filesBelow(SRC).filter((file) => !isTest(file));

/** Undefined for the files at the root of `server/src` and for files outside it. */
const moduleOf = (file: string): string | undefined => {
  const [first, second] = file.startsWith(SRC) ? file.slice(SRC.length).split('/') : [];
  return second === undefined ? undefined : first;
};

/** A command is a module of its own within `commands`. */
const doorOf = (file: string): string => {
  const [first = '', second = ''] = file.slice(SRC.length).split('/');
  return first === 'commands' ? `${SRC}commands/${second}/${second}.ts` : `${SRC}${first}/${first}.ts`;
};

const imports = serverFiles.flatMap((from) => filesImportedBy(from).map((to) => ({ from, to })));

test('modules import only the modules that the table allows', () => {
  const wrong = imports.flatMap(({ from, to }) => {
    const [own, other] = [moduleOf(from), moduleOf(to)];
    if (own === undefined || other === undefined || own === other) return [];
    if (BASE.includes(other) && !BASE.includes(own)) return [];
    const allowed = BASE.includes(own) ? BASE.slice(0, BASE.indexOf(own)) : ALLOWED[own];
    return allowed?.includes(other) ? [] : [`${from} imports ${to}, but ${own} may not import ${other}`];
  });
  expect(wrong).toEqual([]);
});

test('modules are imported by their doors', () => {
  const wrong = imports.flatMap(({ from, to }) => {
    const other = moduleOf(to);
    if (other === undefined || other === 'platform' || doorOf(to) === doorOf(from)) return [];
    if (to === doorOf(to)) return [];
    if (from === `${SRC}app.ts` && /\/(routes|jobs)\.ts$/.test(to)) return [];
    return [`${from} imports ${to}, but other modules may import only ${doorOf(to)}`];
  });
  expect(wrong).toEqual([]);
});

test('every module has a door and a line in the table', () => {
  const folders = readdirSync(join(ROOT, SRC), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const unknown = folders.filter((name) => !BASE.includes(name) && !(name in ALLOWED));
  expect(unknown.map((name) => `${SRC}${name} is not in ALLOWED, so no import of it is checked`)).toEqual([]);
  const doors = serverFiles
    .filter((file) => ![undefined, 'platform'].includes(moduleOf(file)))
    .map((file) => ({ file, door: doorOf(file) }));
  const missing = doors.filter(({ door }) => !serverFiles.includes(door));
  expect(missing.map(({ file, door }) => `${file} has no door: ${door} is missing`)).toEqual([]);
});

test('the table of modules has no circle', () => {
  expect(circlesOf(new Map(Object.entries(ALLOWED)))).toEqual([]);
});

test.each([
  ['server', ['server/src', 'server/test']],
  ['contract', ['contract/src']],
  ['web', ['web/src']],
  ['runs of whole systems', ['harness', 'bench', 'faults', 'failover', 'load', 'scale', 'attacks', 'e2e']],
])('no files of the %s import each other in a circle', (_, folders) => {
  const files = folders.flatMap((folder) => filesBelow(folder));
  const circles = circlesOf(new Map(files.map((file) => [file, filesImportedBy(file)])));
  expect(circles).toEqual([]);
});

test('runs of whole systems share only the harness', () => {
  const runs = ['bench', 'faults', 'failover', 'load', 'scale', 'attacks'];
  const wrong = ['harness', ...runs]
    .flatMap((folder) => filesBelow(folder))
    .flatMap((from) => filesImportedBy(from).map((to) => ({ from, to })))
    .filter(({ from, to }) => {
      const [own = '', other = ''] = [from.split('/')[0], to.split('/')[0]];
      return own !== other && runs.includes(other);
    })
    .map(({ from, to }) => `${from} imports ${to}, but a run may import only harness, server and contract`);
  expect(wrong).toEqual([]);
});
