import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { routes as customerRoutes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import { SETTING_NAMES } from '../src/settings/settings.ts';
import { ALLOWED, BASE, doorOf, moduleOf, SRC, serverFiles } from './modules.ts';
import { circlesOf, filesBelow, filesImportedBy, importsOf, isTest, ROOT, read } from './source.ts';
import { titlesOfTests } from './words-of-tests.ts';

const routes = [...customerRoutes, ...operatorRoutes];

test('the contract and the client packages import no other workspace, and the web app never imports the server', () => {
  const out = (file: string, folder: string) =>
    importsOf(file).some(
      (name) =>
        name.startsWith('.') && !resolve(dirname(join(ROOT, file)), name).startsWith(join(ROOT, folder)),
    );
  expect(filesBelow('contract/src').filter((file) => out(file, 'contract/src'))).toEqual([]);
  expect(filesBelow('web/src').filter((file) => out(file, 'web/src'))).toEqual([]);
  for (const client of ['clients/typescript/src', 'clients/better-auth/src'])
    expect(filesBelow(client).filter((file) => out(file, client))).toEqual([]);
});

test('the conformance suite needs nothing but Node.js and its own folder', () => {
  const foreign = filesBelow('guarantees/conformance')
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => !/^node:|^\.\/[\w-]+\.ts$/.test(name))
        .map((name) => `${file} imports ${name}`),
    );
  expect(foreign).toEqual([]);
});

test('environment variables are read in one place', () => {
  const readers = serverFiles.filter((file) => /process\.env/.test(read(file)));
  expect(readers.filter((file) => !file.endsWith('/main.ts'))).toEqual([]);
});

test('randomness comes only from random.ts, time only from clock.ts and clock_now()', () => {
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

test('the driver never parses sslmode, because it warns that `require` verifies certificates', () => {
  const clients = serverFiles.flatMap((file) =>
    [...read(file).matchAll(/new pg\.(?:Client|Pool)\(\s*(?:\{\s*(?:\.\.\.)?)?(\w+)/g)].map(
      ([, first]) => first,
    ),
  );
  expect(clients.length).toBeGreaterThan(5);
  // tls.ts passes a URL without these parameters as `connectionString`.
  expect(new Set(clients)).toEqual(new Set(['connectionOf', 'connectionString']));
});

test('only lists, insights and exports can read from the standby, through one function', () => {
  const using = (name: RegExp) =>
    serverFiles.filter((file) => name.test(read(file))).map((file) => file.slice(SRC.length));
  const home = 'platform/db/standby-reads.ts';
  expect(using(/\breadForLists\(/)).toEqual(['platform/db/list-limits.ts', 'platform/export/export.ts']);
  expect(using(/\b(?:openStandby|useStandby)\b/).toSorted()).toEqual([home, 'start.ts']);
  expect(using(/\bstandbyOf\b/).toSorted()).toEqual(['app.ts', home]);
  expect(using(/\bwithinListLimits\(/).toSorted()).toEqual([
    'api-keys/routes.ts',
    'audit/routes.ts',
    'compat/twilio/attempts.ts',
    'connections/routes.ts',
    'insights/routes.ts',
    'limits/routes.ts',
    'messaging/suppressions/routes.ts',
    'operator/accounts/data.ts',
    'operator/reading.ts',
    'otp/list/recipient.ts',
    'otp/list/verifications.ts',
    'otp/send/back-test.ts',
    'otp/test-mode/routes.ts',
    'payments/routes.ts',
    'protection/known-routes.ts',
    'protection/routes.ts',
    'request-logs/routes.ts',
    'templates/routes.ts',
    'webhooks/routes.ts',
  ]);
});

test('every setting is in docs/settings.md', () => {
  const settings = read('docs/settings.md');
  expect(SETTING_NAMES.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
});

test('no file has a generic name such as utils or helpers', () => {
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

test('every call in the contract is used by a test', () => {
  const tests = ['server', 'web/e2e']
    .flatMap((folder) => filesBelow(folder, /\.test\.ts$/))
    .map(read)
    .join('\n');
  expect(
    routes.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(tests)).map(({ name }) => name),
  ).toEqual([]);
});

const testFiles = [
  'server',
  'web/e2e',
  'web/src',
  'contract/src',
  'scripts',
  'clients',
  'guarantees',
].flatMap((folder) => filesBelow(folder, /\.test\.tsx?$/));

test('a test title is a complete sentence without its describe', () => {
  const verb =
    /^(is|are|was|has|have|does|can|may|needs|refuses|requires|shows|stores|orders|filters by|finds|returns|accepts)\b/;
  const fragment = /^(and|of)\b[^,]*$/;
  const titles = testFiles.flatMap((file) => titlesOfTests(file).map((title) => ({ file, title })));
  expect(titles.filter(({ title }) => verb.test(title) || fragment.test(title))).toEqual([]);
});

test('no test is skipped or focused', () => {
  expect(
    testFiles.filter(
      (file) =>
        /\b(it|test|describe)\.(skip|todo|only)\b/.test(read(file)) && !file.endsWith('architecture.test.ts'),
    ),
  ).toEqual([]);
});

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

test('modules are imported only through their doors', () => {
  const wrong = imports.flatMap(({ from, to }) => {
    const other = moduleOf(to);
    if (other === undefined || other === 'platform' || doorOf(to) === doorOf(from)) return [];
    if (to === doorOf(to)) return [];
    if (from === `${SRC}app.ts` && /\/(routes|jobs)\.ts$/.test(to)) return [];
    return [`${from} imports ${to}, but other modules may import only ${doorOf(to)}`];
  });
  expect(wrong).toEqual([]);
});

test('every file belongs to a module in the table, and every module has a door', () => {
  const stray = serverFiles.filter(
    (file) => file.slice(SRC.length).includes('/') && moduleOf(file) === undefined,
  );
  expect(stray.map((file) => `${file} is in no module of ALLOWED, so no import of it is checked`)).toEqual(
    [],
  );
  const doors = serverFiles
    .filter((file) => ![undefined, 'platform'].includes(moduleOf(file)))
    .map((file) => ({ file, door: doorOf(file) }));
  const missing = doors.filter(({ door }) => !serverFiles.includes(door));
  expect(missing.map(({ file, door }) => `${file} has no door: ${door} is missing`)).toEqual([]);
});

test('the table of modules has no cycle', () => {
  expect(circlesOf(new Map(Object.entries(ALLOWED)))).toEqual([]);
});

test.each([
  ['server', ['server/src', 'server/test']],
  ['contract', ['contract/src']],
  ['web', ['web/src']],
  ['runs of whole systems', ['guarantees', 'web/e2e']],
  ['client packages', ['clients']],
])('no files of the %s import each other in a cycle', (_, folders) => {
  const files = folders.flatMap((folder) => filesBelow(folder));
  const circles = circlesOf(new Map(files.map((file) => [file, filesImportedBy(file)])));
  expect(circles).toEqual([]);
});

test('end-to-end tests and guarantee runs share only the harness', () => {
  const wrong = filesBelow('guarantees')
    .flatMap((from) => filesImportedBy(from).map((to) => ({ from, to })))
    .filter(({ from, to }) => {
      const [own = '', other = ''] = [from.split('/')[1], to.split('/')[1]];
      return own !== other && to.startsWith('guarantees/') && other !== 'harness';
    })
    .map(({ from, to }) => `${from} imports ${to}, but a run may import only harness, server and contract`);
  expect(wrong).toEqual([]);
});

const FOLDERS = ['server/src', 'contract/src', 'guarantees'];

/** Interfaces and object types at the top level of a file, with their fields. */
function* objectsIn(file: string): Generator<{ name: string; fields: string[] }> {
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, name = '', body = ''] of text.matchAll(
    /^(?:export )?(?:interface|type) (\w+)[^;{]*\{\n(.*?)\n\}/gms,
  ))
    yield {
      name,
      fields: [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field = '']) => field),
    };
}

test('the fields of an object are all snake_case, as in rows and the API, or all camelCase', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  );
  const mixed = files.flatMap((file) =>
    [...objectsIn(file)]
      .filter(
        ({ fields }) =>
          fields.some((field) => field.includes('_')) && fields.some((field) => /[a-z][A-Z]/.test(field)),
      )
      .map(({ name, fields }) => `${file}: ${name} (${fields.join(', ')})`),
  );
  expect(mixed).toEqual([]);
});
