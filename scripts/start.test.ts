import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/**
 * `npm start` in a separate checkout with fakes of the programs that it calls: npm installs the running Node and a fake vite, and
 * the service records its arguments and signals.
 */
let checkout: string;
const started: { child: ChildProcess; exited: Promise<number | null> }[] = [];

const npm = `#!/bin/sh
echo "npm $*" >> calls
sleep 0.3
echo 'npm prints a line'
mkdir -p node_modules/node/bin node_modules/vite/bin
ln -s ${process.execPath} node_modules/node/bin/node
cp vite.js node_modules/vite/bin/vite.js
cp package-lock.json node_modules/.package-lock.json
`;

const vite = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('calls', 'vite build\\n');
const out = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(out, { recursive: true });
writeFileSync(out + '/index.html', 'built');
`;

const service = `
import { appendFileSync } from 'node:fs';
const say = (text: string) => appendFileSync('calls', text + '\\n');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => { say(signal); setTimeout(() => process.exit(0), 500); });
}
process.on('disconnect', () => { say('disconnect'); process.exit(0); });
say(['service', ...process.argv.slice(2)].join(' '));
if (process.argv[2] === 'seed') process.exit(7);
`;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'checkout-'));
  const files = {
    'package.json': '{"type":"module"}',
    'package-lock.json': '{"packages":{"":{},"node_modules/node":{"version":"24.0.0"}}}',
    'vite.js': vite,
    'server/src/main.ts': service,
    'contract/src/otp.ts': '',
    'web/index.html': '<html></html>',
    'web/src/main.tsx': '',
    'bin/npm': npm,
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  chmodSync(join(checkout, 'bin/npm'), 0o755);
  cpSync(import.meta.dirname, join(checkout, 'scripts'), { recursive: true });
  symlinkSync(process.execPath, join(checkout, 'bin/node'));
});

afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGKILL');
    // A child process may still write into the checkout.
    await exited;
  }
  rmSync(checkout, { recursive: true, force: true });
});

function write(name: string, text: string) {
  mkdirSync(dirname(join(checkout, name)), { recursive: true });
  writeFileSync(join(checkout, name), text);
}

function start(...args: string[]) {
  return launch(process.execPath, ['scripts/start.mjs', ...args]);
}

function launch(command: string, args: string[], env = {}) {
  const path = `${join(checkout, 'bin')}:/usr/bin:/bin`;
  const child = spawn(command, args, { cwd: checkout, env: { PATH: path, ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += String(chunk);
    });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  started.push({ child, exited });
  return { child, exited, output: () => printed };
}

function calls(): string[] {
  try {
    return readFileSync(join(checkout, 'calls'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const untilCalled = (call: string) => vi.waitFor(() => expect(calls()).toContain(call), { timeout: 10_000 });

test('a first start installs, builds and serves, and the next start only serves', async () => {
  const first = start();
  await untilCalled('service');
  first.child.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  const [install, ...rest] = calls();
  expect(install).toMatch(/^npm ci /);
  expect(rest).toEqual(['vite build', 'service', 'SIGTERM']);
  expect(readFileSync(join(checkout, 'web/dist/index.html'), 'utf8')).toBe('built');

  const second = start('api', '--quiet');
  await untilCalled('service api --quiet');
  second.child.kill('SIGINT');
  expect(await second.exited).toBe(0);
  expect(calls().slice(4)).toEqual(['service api --quiet', 'SIGINT']);
});

test('a changed lock file is installed, and changed sources of the dashboard are built', async () => {
  await start('seed').exited;
  write('package-lock.json', '{"packages":{"":{},"node_modules/node":{"version":"24.0.1"}}}');
  rmSync(join(checkout, 'node_modules'), { recursive: true });
  const next = start();
  await untilCalled('service');
  next.child.kill('SIGTERM');
  await next.exited;
  write('contract/src/otp.ts', 'export {};');
  const last = start('api');
  await untilCalled('service api');
  last.child.kill('SIGTERM');
  await last.exited;
  expect(calls().filter((call) => call.startsWith('npm'))).toHaveLength(2);
  expect(calls().filter((call) => call === 'vite build')).toHaveLength(2);
});

test('a start that runs a task does not build the dashboard and returns the exit code of the task', async () => {
  expect(await start('seed', '--small').exited).toBe(7);
  expect(calls().slice(1)).toEqual(['service seed --small']);
});

test('two concurrent starts install and build once', async () => {
  const both = [start('api'), start('api')];
  await vi.waitFor(() => expect(calls().filter((call) => call === 'service api')).toHaveLength(2), {
    timeout: 10_000,
  });
  for (const { child } of both) child.kill('SIGTERM');
  await Promise.all(both.map(({ exited }) => exited));
  expect(calls().filter((call) => call.startsWith('npm'))).toHaveLength(1);
  expect(calls().filter((call) => call === 'vite build')).toHaveLength(1);
});

/** Files and folders that a start reads or writes, and how the test damages each. */
const DAMAGED: [string, (path: string) => void, RegExp | undefined][] = [
  ['node_modules/.package-lock.json', (path) => writeFileSync(path, ''), undefined],
  ['node_modules/.package-lock.json', (path) => writeFileSync(path, '{"packages":'), undefined],
  [
    'node_modules/.package-lock.json',
    folderAt,
    /^\/\S+package-lock\.json cannot be used \(.*\): let this user/,
  ],
  [
    'package-lock.json',
    (path) => rmSync(path),
    /^package-lock\.json is missing or damaged: restore the file/,
  ],
  [
    'package-lock.json',
    (path) => writeFileSync(path, 'x'),
    /^package-lock\.json is missing or damaged: restore/,
  ],
  ['package-lock.json', folderAt, /^\/\S+package-lock\.json cannot be used \(.*\): let this user/],
  ['web/dist/.sources', (path) => writeFileSync(path, ''), undefined],
  ['web/dist/.sources', folderAt, /^\/\S+web\/dist\/\.sources cannot be used \(.*\): let this user/],
  ['web/dist', (path) => (rmSync(path, { recursive: true }), writeFileSync(path, '')), undefined],
];

function folderAt(path: string) {
  rmSync(path);
  mkdirSync(path);
}

test.each(DAMAGED)(
  'a start with a damaged %s repairs it or prints what to do (%#)',
  async (name, damage, sentence) => {
    const first = start('api');
    await untilCalled('service api');
    first.child.kill('SIGTERM');
    await first.exited;
    damage(join(checkout, name));
    rmSync(join(checkout, 'calls'));
    const second = start('api');
    if (sentence) {
      expect(await second.exited).toBe(1);
      expect(second.output()).toMatch(sentence);
      expect(second.output().trim().split('\n')).toHaveLength(1);
    } else await untilCalled('service api');
    expect(readdirSync(join(checkout, '.cache')).filter((left) => /lock|web-/.test(left))).toEqual([]);
  },
);

test('in production, every line that a start prints is JSON', async () => {
  const { child, exited, output } = launch(process.execPath, ['scripts/start.mjs', 'api'], {
    NODE_ENV: 'production',
  });
  await untilCalled('service api');
  child.kill('SIGTERM');
  await exited;
  const lines = output().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'Installing packages …',
    'npm prints a line',
    'Building the dashboard …',
  ]);
});

test('a repeated signal reaches the service once', async () => {
  const { child, exited } = start();
  await untilCalled('service');
  child.kill('SIGINT');
  await untilCalled('SIGINT');
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(calls().slice(-2)).toEqual(['service', 'SIGINT']);
});

test('a service is notified when the process that started it is killed', async () => {
  const { child } = start();
  await untilCalled('service');
  child.kill('SIGKILL');
  await untilCalled('disconnect');
});

test('a service stops when its npm process is killed', async () => {
  const { child } = launch('/bin/sh', ['-c', 'node scripts/start.mjs & wait'], {
    npm_lifecycle_event: 'start',
  });
  await untilCalled('service');
  child.kill('SIGKILL');
  await untilCalled('SIGTERM');
});
