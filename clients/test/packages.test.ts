import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../server/test/source.ts';
import { PYTHON_CLIENT, python } from './python.ts';

const run = promisify(execFile);
/** The project of a user who installed the packages. */
const project = mkdtempSync(join(tmpdir(), 'sixdigit-packages-'));
afterAll(() => rmSync(project, { recursive: true }));

interface Packed {
  filename: string;
  size: number;
  files: { path: string; mode: number }[];
}

async function pack(folder: string): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: join(ROOT, 'clients', folder),
  });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as Packed[];
  if (!packed) throw new Error(`npm packed nothing: ${stdout}`);
  const name = folder === 'typescript' ? 'sixdigit' : '@sixdigit/better-auth';
  const target = join(project, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, packed.filename), '-C', target, '--strip-components=1']);
  return packed;
}

const node = (...args: string[]) => run(process.execPath, args, { cwd: project });
const fromProject = (text: string, name: string) => writeFileSync(join(project, name), text);

describe('the npm packages', () => {
  let sixdigit: Packed;
  let betterAuth: Packed;
  beforeAll(async () => {
    sixdigit = await pack('typescript');
    betterAuth = await pack('better-auth');
  });

  test('contain only what their users need', () => {
    const named = (packed: Packed) =>
      packed.files.map(({ path }) => path.replace(/^dist\/(cjs\/)?[\w/-]+\.(js|d\.ts)$/, 'dist'));
    expect(new Set(named(sixdigit))).toEqual(
      new Set(['LICENSE', 'README.md', 'package.json', 'dist', 'dist/cjs/package.json']),
    );
    expect(new Set(named(betterAuth))).toEqual(new Set(['LICENSE', 'README.md', 'package.json', 'dist']));
    expect(sixdigit.files.filter(({ path }) => path.includes('test'))).toEqual([]);
    expect(sixdigit.size).toBeLessThan(40_000);
    expect(betterAuth.size).toBeLessThan(10_000);
  });

  test('depend on nothing but each other', () => {
    const dependencies = (name: string) =>
      JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')).dependencies;
    expect(dependencies('sixdigit')).toBeUndefined();
    expect(dependencies('@sixdigit/better-auth')).toEqual({ sixdigit: '0.1.0' });
  });

  test('work as ES modules and as CommonJS', async () => {
    const use = `const fake = new FakeSixdigit();
      fake.send({ channel: 'sms', recipient: '+12015550123' }).then(({ otp_id }) =>
        fake.verify({ otp_id, code: fake.codeFor('+12015550123') })).then(({ status }) => console.log(status, typeof Sixdigit));`;
    fromProject(
      `import { Sixdigit } from 'sixdigit';\nimport { FakeSixdigit } from 'sixdigit/fake';\n${use}`,
      'a.mjs',
    );
    fromProject(
      `const { Sixdigit } = require('sixdigit');\nconst { FakeSixdigit } = require('sixdigit/fake');\n${use}`,
      'a.cjs',
    );
    fromProject(
      `import { sixdigit } from '@sixdigit/better-auth';\nconsole.log(Object.keys(sixdigit({ apiKey: 'k', baseUrl: 'https://x.test' })).join());`,
      'b.mjs',
    );
    expect((await node('a.mjs')).stdout).toBe('verified function\n');
    expect((await node('a.cjs')).stdout).toBe('verified function\n');
    expect((await node('b.mjs')).stdout).toBe('sendOTP,sendPasswordResetOTP,verifyOTP\n');
  });

  test('the packages have types for every way of importing them', async () => {
    const use = `const client: SixdigitClient = new FakeSixdigit();
      export const id: Promise<string> = client.send({ channel: 'sms', recipient: 'x' }).then((sent) => sent.otp_id);
      // @ts-expect-error a channel that does not exist
      void new Sixdigit({ apiKey: '', baseUrl: '' }).send({ channel: 'fax', recipient: 'x' });`;
    const imports = `import { Sixdigit, type SixdigitClient } from 'sixdigit';\nimport { FakeSixdigit } from 'sixdigit/fake';\n`;
    for (const file of ['a.mts', 'a.cts']) fromProject(imports + use, file);
    fromProject(
      `import { sixdigit } from '@sixdigit/better-auth';\nexport const callbacks = sixdigit({ apiKey: '', baseUrl: '' });`,
      'b.mts',
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--types', '', '--lib', 'ES2022,DOM', '--ignoreConfig'];
    for (const module of [['nodenext'], ['preserve', '--moduleResolution', 'bundler']])
      await node(tsc, ...options, '--module', ...module, 'a.mts', 'a.cts', 'b.mts');
  });

  test('the library uses only what every runtime has', () => {
    const files = sixdigit.files.filter(({ path }) => /^dist\/[^/]+\.js$/.test(path));
    const text = files
      .map(({ path }) => readFileSync(join(project, 'node_modules/sixdigit', path), 'utf8'))
      .join('\n');
    expect(files.length).toBeGreaterThan(3);
    expect(text).not.toMatch(/node:|require\(|process\.|Buffer|import\.meta/);
  });

  test('the command is a program', async () => {
    const program = join(project, 'node_modules/sixdigit/dist/command/sixdigit.js');
    expect(sixdigit.files.find(({ path }) => path.endsWith('command/sixdigit.js'))?.mode).toBe(0o755);
    expect((await run(program, ['--help'])).stdout).toContain('Usage: sixdigit');
  });
});

test('the wheel of the Python client contains only the client', async () => {
  const source = join(project, 'python');
  cpSync(PYTHON_CLIENT, source, { recursive: true });
  const build = 'import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])';
  const { stderr } = await run(python, ['-c', build, project], { cwd: source }).catch((error) => error);
  const list =
    'import glob, sys, zipfile; print(*zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0]).namelist())';
  const { stdout } = await run(python, ['-c', list, project]).catch(() => {
    throw new Error(`This test needs Python with the packages setuptools and wheel: ${stderr}`);
  });
  const info = 'sixdigit-0.1.0.dist-info/';
  expect(stdout.trim().split(' ').toSorted()).toEqual(
    [
      ...[
        '__init__.py',
        'client.py',
        'errors.py',
        'fake.py',
        'fake_rules.py',
        'py.typed',
        'request.py',
        'shapes.py',
        'webhooks.py',
      ].map((file) => `sixdigit/${file}`),
      ...['LICENSE', 'METADATA', 'RECORD', 'WHEEL', 'top_level.txt'].map((file) => info + file),
    ].toSorted(),
  );
  const use =
    'import glob, sys; sys.path.insert(0, glob.glob(sys.argv[1] + "/*.whl")[0]); import sixdigit; print(sixdigit.Sixdigit.__name__, sixdigit.__file__)';
  expect((await run(python, ['-c', use, project])).stdout).toMatch(/^Sixdigit .*\.whl/);
});
