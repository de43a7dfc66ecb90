import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { sender, wrongCode } from '../../../server/test/sender.ts';
import { testService } from '../../../server/test/service.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));
const folder = mkdtempSync(join(tmpdir(), 'sixdigit-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
const loginFile = join(folder, 'sixdigit', 'login.json');

const command = join(import.meta.dirname, '../src/command/sixdigit.ts');

interface Ended {
  code: number | null;
  out: string;
  error: string;
}

/** Runs the command as another process, whose arguments other users of the machine can see. */
async function sixdigit(
  args: string,
  { input = '', env = {} as Record<string, string> } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args.split(' ')], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, ...env },
  });
  const texts = { out: '', error: '' };
  child.stdout.on('data', (text) => (texts.out += text));
  child.stderr.on('data', (text) => (texts.error += text));
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...texts };
}

const access = () => ({ SIXDIGIT_URL: origin.url, SIXDIGIT_API_KEY: alice.key() });

async function sent(recipient: string): Promise<{ otp_id: string; code: string }> {
  const otp_id = await alice.sent(recipient);
  await service.deliver();
  return { otp_id, code: await alice.code(recipient) };
}

test('after a login the commands use the stored service and key', async () => {
  const refused = await sixdigit(`login --url ${origin.url}`, { input: `sd_live_${'x'.repeat(38)}\n` });
  expect(refused).toMatchObject({ code: 4, out: '', error: 'Invalid API key (invalid_api_key)\n' });
  expect(existsSync(loginFile)).toBe(false);

  const key = alice.key();
  const done = await sixdigit(`login --url ${origin.url}/`, { input: `${key}\n` });
  expect(done).toMatchObject({ code: 0, error: '' });
  expect(done.out).not.toContain(key);
  expect(statSync(loginFile).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(loginFile, 'utf8'))).toEqual({ url: `${origin.url}/api/v1`, api_key: key });

  const { code, out } = await sixdigit('send +12015550131 --json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ status: 'pending', channel: 'sms', recipient: '+12015550131' });
});

test('a stored key is not sent to another service, whose page is an unexpected response', async () => {
  await sixdigit(`login --url ${origin.url}`, { input: alice.key() });
  const keys: unknown[] = [];
  const other = createServer((request, response) => {
    keys.push(request.headers['x-api-key']);
    response.end('<h1>Parked</h1>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  expect(await sixdigit(`status x --url ${url}`)).toMatchObject({
    code: 4,
    error: 'Log in first: sixdigit login (missing_api_key)\n',
  });
  expect(keys).toEqual([]);
  expect(await sixdigit('status x', { env: { SIXDIGIT_URL: url, SIXDIGIT_API_KEY: 'mine' } })).toMatchObject({
    code: 5,
    error: expect.stringContaining('(unexpected_response)'),
  });
  expect(keys).toEqual(['mine']);
  await new Promise((resolve) => other.close(resolve));
});

test('a code is sent, refused and verified', async () => {
  const env = access();
  const send = await sixdigit(
    'send Bob@example.com --subject Hello --expires-in 120 --locale de --metadata order=4711 --metadata by=a=b',
    { env },
  );
  expect(send).toMatchObject({ code: 0, error: '' });
  expect(send.out).toMatch(/^Sent to bob@example\.com\.\nVerify it with: sixdigit verify [\w-]{36}\n$/);
  await service.deliver();
  const code = await alice.code('bob@example.com');
  const [, otp_id] = /verify ([\w-]{36})/.exec(send.out) ?? [];
  expect(await sixdigit(`verify ${otp_id} ${wrongCode(code)}`, { env })).toEqual({
    code: 3,
    out: '',
    error: 'Invalid OTP code (invalid_code)\n',
  });
  const wrong = await sixdigit(`verify ${otp_id} ${wrongCode(code)} --json`, { env });
  expect(wrong).toMatchObject({ code: 3, out: '' });
  expect(JSON.parse(wrong.error)).toMatchObject({
    reason: 'invalid_code',
    status: 400,
    attempts_remaining: 3,
  });
  expect(await sixdigit(`verify ${otp_id}`, { env, input: `${code}\n` })).toEqual({
    code: 0,
    out: 'Verified.\n',
    error: '',
  });
});

test('the same code is sent again and verified by its recipient and purpose', async () => {
  const env = access();
  const recipient = '+12015550135';
  const options = '--purpose login --code-length 7 --max-attempts 2';
  const sent = await sixdigit(`send ${recipient} ${options} --json`, { env });
  const { otp_id } = JSON.parse(sent.out);
  const again = await sixdigit(`resend ${otp_id} --channel voice`, { env });
  expect(again).toEqual({ code: 0, out: `Sent again to ${recipient}.\n`, error: '' });
  await service.deliver();
  const code = await alice.code(recipient);
  expect(code).toHaveLength(7);
  expect(await sixdigit(`verify ${recipient} ${code}`, { env })).toMatchObject({ code: 1 });
  expect(await sixdigit(`verify ${recipient} ${code} --purpose login`, { env })).toMatchObject({ code: 0 });
  const refused = await sixdigit('send +12015550136 --limit nowhere=x --json', { env });
  expect(JSON.parse(refused.error)).toMatchObject({ field_errors: { limits: [expect.any(String)] } });
  const wrong = '--app-hash x --domain x --client-ip x';
  const fields = await sixdigit(`send +12015550136 ${wrong} --json`, { env });
  expect(Object.keys(JSON.parse(fields.error).field_errors)).toEqual(['app_hash', 'domain', 'client_ip']);
});

test('a verification is shown and canceled', async () => {
  const env = access();
  const { otp_id } = await sent('+12015550132');
  const shown = await sixdigit(`status ${otp_id}`, { env });
  expect(shown.code).toBe(0);
  expect(shown.out).toMatch(/^status {8}sent$/m);
  expect(shown.out).not.toContain('null');
  const canceled = await sixdigit(`cancel ${otp_id} --json`, { env });
  expect(JSON.parse(canceled.out)).toMatchObject({ otp_id, status: 'expired' });
  expect(await sixdigit(`cancel ${otp_id}`, { env })).toMatchObject({ code: 3 });
});

test('repeated sends with one idempotency key are one message', async () => {
  const env = access();
  const send = 'send +12015550133 --idempotency-key deploy-7 --json';
  const [first, second] = [await sixdigit(send, { env }), await sixdigit(send, { env })];
  expect(JSON.parse(second.out).otp_id).toBe(JSON.parse(first.out).otp_id);
});

test.each([
  ['refused fields', 'send +1 --channel pigeon', 1, 'invalid_fields'],
  ['an unknown id', 'status 01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f', 1, 'otp_not_found'],
  ['no command', '--json', 2, 'usage'],
  ['an unknown command', 'sned', 2, 'usage'],
  ['an unknown option', 'send +12015550134 --chanel sms', 2, 'usage'],
  ['a missing argument', 'verify', 2, 'usage'],
  ['a superfluous argument', 'status a b', 2, 'usage'],
  ['a label without a name', 'send +12015550134 --metadata =4711', 2, 'usage'],
  [
    'a template that does not exist',
    'send +12015550134 --template none --variable order=1',
    1,
    'invalid_fields',
  ],
  ['a malformed number', 'send +12015550134 --expires-in soon', 2, 'usage'],
  ['a malformed URL', 'status a --url nowhere', 2, 'usage'],
])('the exit code of %s is documented', async (_, args, code, reason) => {
  const ended = await sixdigit(args === '--json' ? args : `${args} --json`, { env: access() });
  expect(ended).toMatchObject({ code, out: '' });
  expect(JSON.parse(ended.error)).toMatchObject({ reason, error: expect.any(String) });
});

test('the exit code without a service is 5, and help needs none', async () => {
  const env = { SIXDIGIT_URL: 'http://127.0.0.1:9', SIXDIGIT_API_KEY: 'sd_test_x' };
  expect(await sixdigit('status x', { env })).toMatchObject({
    code: 5,
    error: 'The connection to http://127.0.0.1:9/api/v1 failed (connection_failed)\n',
  });
  const help = await sixdigit('--help', { env });
  expect(help).toMatchObject({ code: 0, error: '' });
  expect(help.out).toContain('Exit codes: 0 success');
});
