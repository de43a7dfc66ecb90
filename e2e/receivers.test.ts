import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from './demo.ts';

/** The receivers in the dashboard's samples: no request can crash one. */
const secret = `whsec_${Buffer.from('a secret of the receivers').toString('base64')}`;
const folder = mkdtempSync(join(tmpdir(), 'receivers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const receivers: [name: string, program: string, file: string, text: string][] = [
  ['JavaScript', process.execPath, 'receive.mjs', signatureSamples.javascript],
  ['Python', 'python3', 'receive.py', signatureSamples.python],
  ['PHP', 'php', 'receive.php', signatureSamples.php],
];
const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

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

test.each(receivers.filter(([, program]) => isInstalled(program)))(
  'the receiver survives aborted, oversized and malformed bodies: %s',
  async (_, program, file, text) => {
    writeFileSync(join(folder, file), text);
    const port = await freePort();
    const args = program === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file];
    const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret };
    const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const post = async (body: string, headers: Record<string, string> = {}): Promise<number> => {
      // A receiver may close the connection before it has read an oversized body.
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers }).catch(
        () => undefined,
      );
      return answer?.status ?? 0;
    };
    try {
      await vi.waitFor(async () => expect(await post('')).toBeGreaterThanOrEqual(400), { timeout: 15_000 });
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
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  },
);
