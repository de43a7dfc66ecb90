import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sendSamples, verifySamples } from '@sixdigit/contract/docs/samples.ts';
import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import { createWebhook, testWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, expect, test, vi } from 'vitest';
import { fixture } from '../../server/test/fixture.ts';
import { freePort } from '../../server/test/free-ports.ts';
import { sender, wrongCode } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { signedIn } from '../../server/test/signed-in.ts';

/** The samples of the docs screen, which need no package, run as pasted. */
const run = promisify(execFile);
const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));
const secret = `whsec_${Buffer.from('a secret of the receivers').toString('base64')}`;
const folder = mkdtempSync(join(tmpdir(), 'pasted-samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAMS = {
  javascript: { program: process.execPath, ending: 'mjs' },
  python: { program: 'python3', ending: 'py' },
  php: { program: 'php', ending: 'php' },
  curl: { program: 'sh', ending: 'sh' },
} as const;
type Language = keyof typeof PROGRAMS;
const installed = (Object.keys(PROGRAMS) as Language[]).filter(
  (language) =>
    language === 'curl' ||
    spawnSync(PROGRAMS[language].program, ['--version'], { stdio: 'ignore' }).status === 0,
);
const receiving = installed.filter((language) => language !== 'curl');

/** Writes a sample to the file that it names, and runs it as its first line says. */
async function pasted(
  language: Language,
  name: string,
  text: string,
  { args = [], env = {}, typed = '' }: { args?: string[]; env?: Record<string, string>; typed?: string } = {},
): Promise<string> {
  const { program, ending } = PROGRAMS[language];
  const file = `${name}.${ending}`;
  writeFileSync(join(folder, file), text);
  const running = run(program, [file, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, API_KEY: alice.key(), ...env },
  });
  running.child.stdin?.end(typed);
  return (await running).stdout;
}

test.each(installed)(
  'the pasted %s sample sends a code, refuses a wrong one and verifies it',
  async (language) => {
    const recipient = `${language}@example.com`;
    const facts = {
      apiUrl: `${origin.url}/api/v1`,
      target: { channel: 'email', recipient },
      smsMaxSegments: 1,
      sendCost: '',
    } as const;
    const sent = await pasted(language, 'send', sendSamples(facts)[language]);
    const otp_id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(sent)?.[0] ?? '';
    await service.deliver();
    const code = await alice.code(recipient);
    const verified = (typed: string) =>
      language === 'curl'
        ? pasted(language, 'verify', verifySamples(facts)[language], { typed: `${otp_id}\n${typed}\n` })
        : pasted(language, 'verify', verifySamples(facts)[language], { args: [otp_id, typed] });
    expect(await verified(wrongCode(code))).toContain('Invalid OTP code');
    expect(await verified(code)).toContain('verified_at');
  },
);

/** Writes to the receiver and breaks the connection at once. */
const abort = (port: number, text: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text, () => socket.resetAndDestroy());
    });
    socket.once('error', () => undefined).once('close', () => resolve());
  });

function signed(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`msg.${timestamp}.${body}`);
  const signature = `v1,${mac.digest('base64')}`;
  return { 'webhook-id': 'msg', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** A receiver on a port of its own. */
async function receive(language: Language, webhookSecret: string) {
  const { program, ending } = PROGRAMS[language];
  const file = `receive.${ending}`;
  writeFileSync(join(folder, file), signatureSamples[language]);
  const port = await freePort();
  const args = program === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file];
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: webhookSecret };
  const child: ChildProcess = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const post = async (body: string, headers: Record<string, string> = {}): Promise<number> => {
    // A receiver may close the connection before it has read an oversized body, so each request has its own.
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body,
      headers: { connection: 'close', ...headers },
    }).catch(() => undefined);
    return answer?.status ?? 0;
  };
  await vi.waitFor(async () => expect(await post('')).toBeGreaterThanOrEqual(400), { timeout: 15_000 });
  return {
    ...{ port, child, post },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const cases = receiving.flatMap((language) => [{ language }, { language, own: 'a secret of our own' }]);

test.each(cases)(
  'the receiver accepts genuine messages and refuses all others: $language, $own',
  async (one) => {
    const { language, own } = one as { language: Language; own?: string };
    const bearer = await signedIn(service, alice);
    const url = 'http://127.0.0.1:9/';
    const made = await service.call(createWebhook, {
      bearer,
      body: { name: language, url, ...(own && { secret: own }) },
    });
    const { id, secret: known } = made.body;
    await using receiver = await receive(language, known);
    const at = `http://127.0.0.1:${receiver.port}/`;
    await service.app.db.run('update webhook_endpoints set url = $2 where id = $1', [id, at]);
    const tried = await service.call(testWebhook, { bearer, params: { id } });
    expect(tried.body).toMatchObject({ success: true, response_status: 204 });
    const forged = { ...signed('{}'), 'webhook-signature': 'v1,bm90IGdlbnVpbmU=' };
    expect(await receiver.post('{}', forged)).toBe(401);
    // The fourth language is shell, which signs as the service does.
    const env = { PORT: String(receiver.port), WEBHOOK_SECRET: known };
    expect(await pasted('curl', 'sign', signatureSamples.curl, { env })).toMatch(/^HTTP\/1\.[01] 204/);
  },
);

test.each(receiving)(
  'the receiver survives aborted, oversized and malformed bodies: %s',
  async (language) => {
    await using receiver = await receive(language, secret);
    const { port, post, child } = receiver;
    const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
    await abort(port, `${head}Content-Length: 1000\r\n\r\nhalf`);
    await abort(port, `${head}Transfer-Encoding: chunked\r\n\r\n10\r\nhalf`);
    await abort(port, `${head}Content-Length: -5\r\n\r\n`);
    await abort(port, `${head}Content-Length: many\r\n\r\n`);
    await abort(port, 'no HTTP at all\r\n\r\n');
    expect([0, 400, 413]).toContain(await post('x'.repeat(5_000_000)));
    expect(await post('{"type":')).toBeGreaterThanOrEqual(400);
    expect(
      await post('{}', { 'webhook-timestamp': '\u00b2', 'webhook-signature': 'v1,' }),
    ).toBeGreaterThanOrEqual(400);
    await post('{"type":', signed('{"type":'));
    await post('[]', signed('[]'));
    await post('"x"', signed('"x"'));
    const genuine = '{"type":"webhook.test","data":{"otp_id":"0","status":"sent"}}';
    expect(await post(genuine, signed(genuine))).toBe(204);
    expect(child.exitCode).toBeNull();
  },
);
