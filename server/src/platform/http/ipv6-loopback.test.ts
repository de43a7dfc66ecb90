import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { listenOnIpv6Loopback } from './client-address.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

async function service() {
  const http = createServer((request, response) => {
    response.end(request.socket.remoteAddress);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { http, port: (http.address() as AddressInfo).port };
}

const answerAt = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host, port, agent: false }, (response) =>
      response.on('data', (text) => resolve(String(text))),
    ).once('error', reject);
  });

test.runIf(hasIpv6)('both loopback addresses reach one service, until the second is closed', async () => {
  const { http, port } = await service();
  const { isTaken, close } = await listenOnIpv6Loopback(http, port);
  expect(isTaken).toBe(false);
  expect(await answerAt('127.0.0.1', port)).toBe('127.0.0.1');
  expect(await answerAt('::1', port)).toBe('::1');
  close();
  await expect(answerAt('::1', port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  http.closeAllConnections();
  http.close();
});

test.runIf(hasIpv6)('a port of ::1 that another program has is left to it', async () => {
  const { http, port } = await service();
  const other = createServer((_, response) => response.end('another program')).listen(port, '::1');
  await once(other, 'listening');
  expect((await listenOnIpv6Loopback(http, port)).isTaken).toBe(true);
  expect(await answerAt('::1', port)).toBe('another program');
  expect(await answerAt('127.0.0.1', port)).toBe('127.0.0.1');
  for (const one of [http, other]) {
    one.closeAllConnections();
    one.close();
  }
});
