import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { Sixdigit, verifyWebhook } from 'sixdigit';
import { expect, test } from 'vitest';
import { signedHeaders } from '../../server/src/platform/signing/standard-webhooks.ts';
import { fixture } from '../../server/test/fixture.ts';
import { sender } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { PYTHON_CLIENT, python } from './python.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice', { keys: 1 }));

const secret = `whsec_${Buffer.from('a secret of 24 bytes or so').toString('base64')}`;
const body = '{"type":"otp.sent"}';
const webhook = () => ({
  body,
  secret,
  headers: signedHeaders({ id: 'msg_1', at: new Date(), body }, [secret]),
});

const TIMEOUT = 'ValueError: timeout must be a number of seconds above 0';

test('the Python client converts the types that programs pass, or says what it expects', async () => {
  // It accepts connections and never responds.
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  const address = await new Promise<ReturnType<typeof silent.address>>((resolve) =>
    silent.once('listening', () => resolve(silent.address())),
  );
  const port = typeof address === 'object' ? address?.port : 0;
  const args = [origin.url, alice.api_key, `http://127.0.0.1:${port}`, JSON.stringify(webhook())];
  const child = spawn(python, ['-W', 'error', 'test/passed_types.py', ...args], {
    cwd: PYTHON_CLIENT,
    env: { PATH: process.env.PATH, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (text) => (out += text));
  await new Promise((resolve) => child.once('close', resolve));
  silent.close();
  expect(JSON.parse(out)).toEqual({
    timeouts: [5, 2.5, 3, 4, 6, 27, 2],
    wrong_timeouts: Array(7).fill(TIMEOUT),
    expires_in: 'pending',
    id: 'SixdigitError: OTP not found',
    key: 'pending',
    odd: [
      'ValueError: A field cannot be of type object',
      'ValueError: A field cannot be of type bytes',
      expect.stringMatching(/^SixdigitError: expires_in: /),
    ],
    enum: 'pending',
    seconds: ['pending', 'pending', expect.stringMatching(/^ValueError: Out of range float/)],
    mapping: 'pending',
    key_bytes: 'ValueError: api_key must be an API key of Sixdigit',
    copies: [true, 'invalid_code'],
    canceled: ['canceled', true],
    secrets: ['otp.sent', 'otp.sent', 'otp.sent'],
  });
});

test('the TypeScript client converts the types that programs pass, or says what it expects', async () => {
  const access = { apiKey: `${alice.api_key}\n`, baseUrl: `${origin.url}\n` };
  for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31])
    expect(() => new Sixdigit({ ...access, timeoutMs })).toThrow('timeoutMs must be');
  for (const retries of [-1, 1.5, Number.NaN])
    expect(() => new Sixdigit({ ...access, retries })).toThrow('retries must be');
  const client = new Sixdigit({ ...access, timeoutMs: 2 ** 31 - 1, retries: 0 });
  const recipient = 12015550161n as unknown as string;
  expect(await client.send({ channel: 'sms', recipient })).toMatchObject({ recipient: '+12015550161' });
  const target = { channel: 'sms', recipient: '+12015550162' } as const;
  const metadata = new Map([['order', '4711']]) as unknown as Record<string, string>;
  const { otp_id } = await client.send({ ...target, metadata });
  expect((await client.get(otp_id)).metadata).toEqual({ order: '4711' });
  await expect(client.send({ ...target, expires_in: Number.NaN })).rejects.toThrow(
    'expires_in must be a finite number',
  );
  for (const end of ['', '\n', '\r\n'])
    expect(await verifyWebhook({ ...webhook(), secret: secret + end })).toEqual({ type: 'otp.sent' });
});
