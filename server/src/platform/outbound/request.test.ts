import { describe, expect, test } from 'vitest';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { postAnywhere } from '../../../test/outbound-posts.ts';

describe('with private addresses allowed', () => {
  test('the request arrives unchanged, with the host name it was sent to', async () => {
    await using receiver = await startReceiver();
    const outcome = await postAnywhere(`http://hooks.example.com:${receiver.port}/ok?a=b%20c#fragment`, {
      headers: {
        'webhook-id': 'msg_1',
        'Content-Length': '1',
        Host: 'other.example',
        'Accept-Encoding': 'gzip',
      },
      body: '{"text":"größe"}',
      resolve: async () => ['127.0.0.1'],
    });
    expect(outcome).toEqual({
      kind: 'answer',
      status: 200,
      headers: {},
      excerpt: 'ok',
      ms: expect.any(Number),
    });
    const [request] = await receiver.waitFor(1);
    expect(request).toMatchObject({ method: 'POST', path: '/ok?a=b%20c', text: '{"text":"größe"}' });
    expect(request?.headers).toEqual({
      'webhook-id': 'msg_1',
      host: `hooks.example.com:${receiver.port}`,
      'content-length': '18',
      'accept-encoding': 'identity',
      connection: 'close',
    });
  });

  test.each(['localhost', '127.1', '0x7f.1', '127.0.0.1'])('http://%s works', async (host) => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(`http://${host}:${receiver.port}/ok`)).toMatchObject({
      kind: 'answer',
      status: 200,
    });
  });

  test('the next address is tried when the first refuses', async () => {
    await using receiver = await startReceiver();
    const resolve = async () => ['::1', '127.0.0.2', '127.0.0.1'];
    const outcome = await postAnywhere(`http://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ kind: 'answer', status: 200 });
  });

  test.each([200, 204, 299, 302, 400, 404, 429, 500, 503])('%d is a response', async (status) => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at(`/${status}`))).toMatchObject({
      kind: 'answer',
      status,
      headers: {},
    });
  });

  test('410 and Retry-After are returned to the caller', async () => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/gone'))).toMatchObject({ kind: 'answer', status: 410 });
    expect(await postAnywhere(receiver.at('/retry-after/120'))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '120' },
    });
    expect(await postAnywhere(receiver.at('/retry-after/7/429'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
    });
  });

  test('a protocol upgrade is a response and does not hang', async () => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/upgrade'))).toMatchObject({ kind: 'answer', status: 101 });
  });
});

const excerptOf = async (body: Buffer | string) => {
  await using receiver = await startReceiver({ answer: () => ({ status: 200, body }) });
  const outcome = await postAnywhere(receiver.at('/'));
  return outcome.kind === 'answer' ? outcome.excerpt : undefined;
};

test('the excerpt of a response is the first 4 KiB', async () => {
  expect(await excerptOf('x'.repeat(5000))).toBe('x'.repeat(4096));
});

test('the excerpt of a response omits a character that the cut would split', async () => {
  expect(await excerptOf(`x${'ö'.repeat(3000)}`)).toBe(`x${'ö'.repeat(2047)}`);
  expect(await excerptOf('😀'.repeat(1500))).toBe('😀'.repeat(1024));
});

test('the excerpt of a response is text that the database can store, for any bytes of the server', async () => {
  expect(await excerptOf(Buffer.from([0x61, 0, 0x62, 0xff, 0xc3, 0x63, 0xed, 0xa0, 0x80]))).toBe('ab��c���');
  const every = await excerptOf(Buffer.from(Array.from({ length: 4096 }, (_, i) => i * 7)));
  expect(every?.isWellFormed()).toBe(true);
  expect(every).not.toContain('\0');
});
