import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../../test/fakes/certificate.ts';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { postAnywhere } from '../../../test/outbound-posts.ts';

describe('over TLS', () => {
  const certificate = selfSigned(['hooks.example.com']);
  const standard = getCACertificates();
  const resolve = async () => ['127.0.0.1'];
  beforeAll(() => setDefaultCACertificates([...standard, certificate.cert]));
  afterAll(() => setDefaultCACertificates(standard));

  test('the connection goes to the checked address, and the certificate is checked against the name', async () => {
    await using receiver = await startReceiver({ certificate });
    const outcome = await postAnywhere(`https://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ kind: 'answer', status: 200, excerpt: 'ok' });
    expect(receiver.requests[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`);
    expect(await postAnywhere(`https://hooks.example.com.:${receiver.port}/ok`, { resolve })).toMatchObject({
      status: 200,
    });
  });

  test.each(['other.example.com', '127.0.0.1'])(
    'a certificate for another name than %s is refused',
    async (host) => {
      await using receiver = await startReceiver({ certificate });
      expect(await postAnywhere(`https://${host}:${receiver.port}/ok`, { resolve })).toMatchObject({
        kind: 'failed',
        reason: 'tls',
        detail: 'The certificate of the server is for another host name.',
      });
      expect(receiver.requests).toEqual([]);
    },
  );

  test('a certificate of an unknown issuer is refused', async () => {
    await using receiver = await startReceiver({ certificate: selfSigned(['hooks.example.com']) });
    const outcome = await postAnywhere(`https://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ reason: 'tls' });
    expect(receiver.requests).toEqual([]);
  });

  test('hanging, dripping and endless responses end at the same limits', async () => {
    await using receiver = await startReceiver({ certificate });
    const url = (path: string) => `https://hooks.example.com:${receiver.port}${path}`;
    const within = { resolve, timeoutMs: 300 };
    expect(await postAnywhere(url('/hang'), within)).toMatchObject({ reason: 'timeout' });
    for (const path of ['/drip', '/drip-headers'])
      expect(await postAnywhere(url(path), within)).toMatchObject({ kind: 'answer', status: 200 });
    expect(await postAnywhere(url('/huge'), { resolve })).toMatchObject({ kind: 'answer', status: 200 });
    expect(await postAnywhere(url('/reset'), { resolve })).toMatchObject({ reason: 'reset' });
    await receiver.waitUntilQuiet();
  });
});
