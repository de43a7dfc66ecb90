import { dirname, join, resolve } from 'node:path';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { routes as customerRoutes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import { SETTING_NAMES } from '../src/settings/settings.ts';
import { filesBelow, importsOf, isTest, ROOT, read } from './source.ts';
import { titlesOfTests } from './words-of-tests.ts';

const routes = [...customerRoutes, ...operatorRoutes];
const serverFiles = filesBelow('server/src').filter((file) => !isTest(file));

test('the contract stands alone, and the web app never imports the server', () => {
  const out = (file: string, folder: string) =>
    importsOf(file).some(
      (name) =>
        name.startsWith('.') && !resolve(dirname(join(ROOT, file)), name).startsWith(join(ROOT, folder)),
    );
  expect(filesBelow('contract/src').filter((file) => out(file, 'contract/src'))).toEqual([]);
  expect(filesBelow('web/src').filter((file) => out(file, 'web/src'))).toEqual([]);
});

test('settings are read in one place', () => {
  const readers = serverFiles.filter((file) => /process\.env/.test(read(file)));
  expect(readers.filter((file) => !file.endsWith('/main.ts'))).toEqual([]);
});

test('randomness comes from random.ts, time from clock.ts and clock_now()', () => {
  const random = serverFiles.filter((file) => /Math\.random|randomBytes\(|randomInt\(/.test(read(file)));
  expect(random.sort()).toEqual(
    [
      'server/src/platform/db/embedded-roles.ts',
      'server/src/platform/db/embedded.ts',
      'server/src/platform/security/random.ts',
    ].filter((file) => random.includes(file)),
  );
  const clocks = serverFiles.filter((file) =>
    /Date\.now\(\)|new Date\(\)|performance\.now\(\)/.test(read(file)),
  );
  expect(clocks.filter((file) => !/\/(clock)\.ts$|\/db\/embedded/.test(file))).toEqual([]);
});

test('every setting is in docs/settings.md', () => {
  const settings = read('docs/settings.md');
  expect(SETTING_NAMES.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
});

test('no file has a collective name such as utils or helpers', () => {
  const drawers =
    /(^|\/)(utils?|helpers?|common|shared|lib|misc|types|constants|manager|service|repository)(\.tsx?$|\/)/;
  const files = ['contract/src', 'server/src', 'web/src'].flatMap((folder) => filesBelow(folder));
  expect(files.filter((file) => drawers.test(file))).toEqual([]);
});

test('names and paths of calls are unique, and the server implements each call', () => {
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  const sources = serverFiles.map(read).join('\n');
  const unserved = routes.filter(
    ({ name }) =>
      !new RegExp(`(?:serve\\(\\s*server,|\\b(?:read|reveal)\\()\\s*(\\w+\\.)?${name}\\b`).test(sources),
  );
  expect(unserved.map(({ name }) => name)).toEqual([]);
});

test('a test calls every call of the contract', () => {
  const tests = ['server', 'e2e']
    .flatMap((folder) => filesBelow(folder, /\.test\.ts$/))
    .map(read)
    .join('\n');
  expect(
    routes.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(tests)).map(({ name }) => name),
  ).toEqual([]);
});

test('a test title is a sentence that does not need the describe above it', () => {
  const verb =
    /^(is|are|was|has|have|does|can|may|needs|refuses|requires|shows|stores|orders|filters by|finds|returns|accepts)\b/;
  const fragment = /^(and|of)\b[^,]*$/;
  const tests = filesBelow('server', /\.test\.ts$/).filter(
    (file) => !file.startsWith('server/src/operator/'),
  );
  const titles = tests.flatMap((file) => titlesOfTests(file).map((title) => ({ file, title })));
  expect(titles.filter(({ title }) => verb.test(title) || fragment.test(title))).toEqual([]);
});

test('no test is skipped or focused', () => {
  const tests = ['server', 'e2e', 'web/src', 'contract/src', 'scripts'].flatMap((folder) =>
    filesBelow(folder, /\.test\.tsx?$/),
  );
  expect(
    tests.filter(
      (file) =>
        /\b(it|test|describe)\.(skip|todo|only)\b/.test(read(file)) && !file.endsWith('architecture.test.ts'),
    ),
  ).toEqual([]);
});
