import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { sender } from '../../../server/test/sender.ts';
import { testService } from '../../../server/test/service.ts';
import { python } from '../../test/python.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));
const folder = mkdtempSync(join(tmpdir(), 'sixdigit-edges-'));
afterAll(() => rmSync(folder, { recursive: true }));

const command = join(import.meta.dirname, '../src/command/sixdigit.ts');
type Stdout = 'pipe' | 'closed' | number;

async function sixdigit(
  args: string[],
  env: Record<string, string>,
  { stdout = 'pipe' as Stdout, input = '' } = {},
) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(folder, 'none'), ...env },
    stdio: ['pipe', stdout === 'closed' ? 'pipe' : stdout, 'pipe'],
  });
  const texts = { out: '', error: '' };
  if (stdout === 'closed') child.stdout?.destroy();
  else child.stdout?.on('data', (text) => (texts.out += text));
  child.stderr?.on('data', (text) => (texts.error += text));
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...texts };
}

const access = () => ({ SIXDIGIT_URL: origin.url, SIXDIGIT_API_KEY: alice.key() });

test('a send whose output nobody reads is silent, and its exit code is that of the service', async () => {
  const before = await alice.balance();
  expect(await sixdigit(['send', '+12015550140'], access(), { stdout: 'closed' })).toEqual({
    code: 0,
    out: '',
    error: '',
  });
  expect(before - (await alice.balance())).toBe(1);
  expect(await sixdigit(['send', '+1'], access(), { stdout: 'closed' })).toMatchObject({ code: 1 });
});

test.runIf(existsSync('/dev/full'))(
  'a send onto a full disk says so, and its exit code is that of the service',
  async () => {
    const stdout = openSync('/dev/full', 'w');
    expect(await sixdigit(['send', '+12015550141'], access(), { stdout })).toEqual({
      code: 0,
      out: '',
      error: 'The output could not be written: ENOSPC\n',
    });
  },
);

test('a login that cannot be stored is a sentence and leaves no file', async () => {
  const place = join(folder, 'place');
  writeFileSync(place, '');
  const login = (home: string) => sixdigit(['login'], { ...access(), XDG_CONFIG_HOME: home });
  expect(await login(place)).toEqual({
    code: 2,
    out: '',
    error: `The login in ${place}/sixdigit/login.json cannot be stored: a file stands in place of its folder.\n`,
  });
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, 'sixdigit', 'login.json', 'x'), { recursive: true });
  expect(await login(taken)).toMatchObject({
    code: 2,
    error: expect.stringMatching(/cannot be (read|stored): /),
  });
  expect(readdirSync(join(taken, 'sixdigit'))).toEqual(['login.json']);
});

test.each([
  ['no folder', () => join(folder, 'none')],
  ['a file in place of its folder', () => fileWith('', 'sixdigit')],
  ['text that is not JSON', () => fileWith('{', 'sixdigit/login.json')],
])('with %s, the login is missing', async (_, home) => {
  expect(await sixdigit(['status', 'x'], { XDG_CONFIG_HOME: home() })).toEqual({
    code: 4,
    out: '',
    error: 'Log in first: sixdigit login (missing_api_key)\n',
  });
});

/** A folder with one file. */
function fileWith(text: string, path: string): string {
  const home = mkdtempSync(join(folder, 'home-'));
  mkdirSync(join(home, dirname(path)), { recursive: true });
  writeFileSync(join(home, path), text);
  return home;
}

test('a login that cannot be read is a sentence, unless the environment has all', async () => {
  const home = join(folder, 'unreadable');
  mkdirSync(join(home, 'sixdigit', 'login.json'), { recursive: true });
  chmodSync(home, 0o700);
  expect(await sixdigit(['status', 'x', '--json'], { XDG_CONFIG_HOME: home })).toMatchObject({
    code: 2,
    error: expect.stringContaining('cannot be read: a folder stands in its place.'),
  });
  expect(await sixdigit(['status', 'x'], { ...access(), XDG_CONFIG_HOME: home })).toMatchObject({ code: 1 });
});

test('a key that is typed at a terminal is not shown', async () => {
  const inTerminal = ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', process.execPath, command, 'login'];
  const child = spawn(python, inTerminal, {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(folder, 'typed') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (text) => (shown += text));
  await expect.poll(() => shown).toContain('Base URL: ');
  child.stdin.write(`${origin.url}\r`);
  await expect.poll(() => shown).toContain('API key: ');
  child.stdin.write(`${alice.key()}\r`);
  await new Promise((resolve) => child.once('close', resolve));
  expect(shown.split(/\r*\n/)).toEqual([
    `Base URL: ${origin.url}`,
    'API key: ',
    expect.stringMatching(/^Logged in to /),
    '',
  ]);
});

test('the version is that of the package', async () => {
  expect(await sixdigit(['--version'], {})).toEqual({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    error: '',
  });
});

test('requests go through the proxy of the environment, except to this machine', async () => {
  const seen: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url);
    response.end('{}');
  });
  proxy.on('connect', (request, socket) => {
    seen.push(request.url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const HTTP_PROXY = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const away = { ...access(), SIXDIGIT_URL: 'http://otp.example.invalid', HTTP_PROXY };
  expect((await sixdigit(['status', 'x'], away)).code).toBe(5);
  expect(seen.join()).toContain('otp.example.invalid');
  seen.length = 0;
  expect(await sixdigit(['status', 'x'], { ...access(), HTTP_PROXY })).toMatchObject({ code: 1 });
  expect(seen).toEqual([]);
  expect(await sixdigit(['status', 'x'], { ...away, HTTP_PROXY: 'no url' })).toMatchObject({ code: 2 });
  await new Promise((resolve) => proxy.close(resolve));
});
