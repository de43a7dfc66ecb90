import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import { createServer } from '../../platform/http/server.ts';
import { operationRoutes } from './deployment.ts';

const service = fixture(testService);

describe('the dashboard', () => {
  const dist = mkdtempSync(join(tmpdir(), 'sixdigit-dist-'));
  const nowhere = join(dist, 'nowhere');
  const PAGE =
    '<!doctype html><script nonce="__CSP_NONCE__" src="/assets/app-1a2b.js"></script><script nonce="__CSP_NONCE__">start();</script>';
  const serverFor = async (folder: string) => {
    const server = await createServer(service.app, service.server.authenticators);
    await operationRoutes(server, service.app, { dist: folder });
    return server;
  };
  let server: Awaited<ReturnType<typeof serverFor>>;
  const browse = (url: string, accept = 'text/html,*/*') =>
    server.inject({ method: 'GET', url, headers: { accept } });

  beforeAll(async () => {
    mkdirSync(join(dist, 'assets'));
    mkdirSync(join(dist, '.vite'));
    writeFileSync(join(dist, 'index.html'), PAGE);
    writeFileSync(join(dist, 'icon.svg'), '<svg/>');
    writeFileSync(join(dist, '.vite/manifest.json'), '{}');
    const pages = ['/', '/sign-in', '/logs', '/sandbox', '/receipt/$id', '/operator/accounts/$id/blocks'];
    writeFileSync(join(dist, '.vite/pages.json'), JSON.stringify(pages));
    writeFileSync(join(dist, 'assets/app-1a2b.js'), 'console.log(1)');
    writeFileSync(join(dist, 'assets/app-1a2b.js.gz'), gzipSync('console.log(1)'));
    writeFileSync(join(dist, 'assets/app-1a2b.js.br'), brotliCompressSync('console.log(1)'));
    server = await serverFor(dist);
  });
  afterAll(async () => {
    await server.close();
    rmSync(dist, { recursive: true });
  });

  test('/favicon.ico returns the icon', async () => {
    const icon = await browse('/favicon.ico', 'image/*');
    expect(icon.statusCode).toBe(200);
    expect(icon.headers['content-type']).toMatch(/^image\/svg\+xml/);
    expect(icon.body).toBe('<svg/>');
  });

  test.each([
    ...['/', '/sign-in', '/sign-in/', '/Sign-In', '/logs?page=2', '/sandbox', '/index.html'],
    ...['/receipt/01a1fc70', '/operator/accounts/7/blocks'],
  ])('the screen %s is revalidated at each load and has a new nonce', async (url) => {
    const [one, two] = [await browse(url), await browse(url)];
    expect(one.statusCode).toBe(200);
    expect(one.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
    });
    const nonce = /nonce="([^"]+)"/.exec(one.body)?.[1];
    expect(one.headers['content-security-policy']).toContain(`'nonce-${nonce}'`);
    expect(one.headers['content-security-policy']).not.toContain("style-src 'self' 'unsafe-inline'");
    expect(two.body).not.toBe(one.body);
  });

  test.each([
    ...[
      '/no/such/screen',
      '/sign-in/more',
      '/xsign-in',
      '/logs.',
      '/receipt',
      '/receipt/',
      '/receipt/1/2',
      '/$id',
    ],
    ...['/robots.txt', '/.env', '/.git/config', '/wp-login.php', '/sitemap.xml', '/.well-known/security.txt'],
    ...['/admin', '/operator/accounts/7/blocks/x', '/logs%2F1', '/sign-in;x'],
  ])('for the unknown path %s, every client gets a 404 page', async (url) => {
    const answer = await browse(url, '*/*');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("'nonce-");
  });

  const CLIENTS: [name: string, headers: Record<string, string>][] = [
    ['a browser', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
    ['a client of any type', { accept: '*/*' }],
    ['a client without the header', {}],
    ['a client of JSON', { accept: 'application/json' }],
    ['a client of pictures', { accept: 'image/avif,image/webp' }],
  ];
  const kind = (answer: { statusCode: number; headers: Record<string, unknown> }): string =>
    `${answer.statusCode} ${String(answer.headers['content-type']).split(';')[0]}`;

  test.each([
    ['/', '200 text/html'],
    ['/sign-in', '200 text/html'],
    ['/receipt/01a1fc70', '200 text/html'],
    ['/sandbox', '200 text/html'],
    ['/no/such/screen', '404 text/html'],
    ['/apis', '404 text/html'],
    ['/api', '404 application/json'],
    ['/api/v1/nothing', '404 application/json'],
    ['/compat/nothing', '404 application/json'],
    ['/carriers/nothing', '404 application/json'],
    ['/assets/gone.js', '404 application/json'],
  ])('%s gets the same response, whatever the client accepts, with GET and HEAD', async (url, expected) => {
    for (const [name, headers] of CLIENTS) {
      const [got, head] = await Promise.all(
        (['GET', 'HEAD'] as const).map((method) => server.inject({ method, url, headers })),
      );
      expect(got && kind(got), name).toBe(expected);
      expect(head && kind(head), name).toBe(expected);
      expect(head?.body).toBe('');
      expect(head?.headers['content-length']).toBe(got?.headers['content-length']);
      expect(got?.headers.vary ?? '').not.toMatch(/accept(?!-)/i);
    }
  });

  test('the content security policy allows exactly the inline scripts, by their hashes', async () => {
    const { headers } = await browse('/');
    const hash = createHash('sha256').update('start();').digest('base64');
    expect(String(headers['content-security-policy']).split(';')).toContain(
      `script-src 'self' 'sha256-${hash}'`,
    );
  });

  test('dashboard files with a hash in their name are cached permanently, others are revalidated', async () => {
    const asset = await browse('/assets/app-1a2b.js', '*/*');
    expect(asset.body).toBe('console.log(1)');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const icon = await browse('/icon.svg', '*/*');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml' });
    expect(icon.headers['cache-control']).toBe('public, max-age=0');
    expect(icon.headers.etag).toBeDefined();
  });

  test('dashboard files are compressed with an encoding that the client accepts', async () => {
    const asset = (encodings: string) =>
      server.inject({
        method: 'GET',
        url: '/assets/app-1a2b.js',
        headers: { 'accept-encoding': encodings },
      });
    const [brotli, gzip, plain] = [await asset('gzip, br'), await asset('gzip'), await asset('identity')];
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe('console.log(1)');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe('console.log(1)');
    expect(plain.body).toBe('console.log(1)');
    expect([brotli, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    for (const { headers } of [brotli, gzip, plain]) {
      expect(headers.vary).toContain('accept-encoding');
      expect(headers['content-type']).toContain('javascript');
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    expect((await browse('/icon.svg', '*/*')).headers['content-encoding']).toBeUndefined();
    expect((await browse('/assets/app-1a2b.js.gz', '*/*')).statusCode).toBe(404);
  });

  test('a path without a file or a screen gets 404, and no path leads out of the folder', async () => {
    for (const [url, accept] of [
      ['/assets/gone.js', '*/*'],
      ['/api/v1/nothing', 'text/html'],
      ['/assets/..%2f..%2fpackage.json', '*/*'],
      ['/%ff', '*/*'],
    ] as const) {
      const answer = await browse(url, accept);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ reason: 'not_found' });
    }
    for (const url of [
      '/.vite/manifest.json',
      '/.vite/pages.json',
      '/../package.json',
      '/%2e%2e/package.json',
    ]) {
      const answer = await browse(url);
      expect(answer.statusCode).toBe(404);
      expect(answer.body).toContain('start();');
    }
    expect((await server.inject({ method: 'POST', url: '/sign-in' })).statusCode).toBe(404);
  });

  test('without a built dashboard, pages explain the cause and the API works', async () => {
    const bare = await serverFor(nowhere);
    const answer = await bare.inject({ method: 'GET', url: '/', headers: { accept: 'text/html' } });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toContain('npm start');
    expect((await bare.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(200);
    await bare.close();
  });
});
