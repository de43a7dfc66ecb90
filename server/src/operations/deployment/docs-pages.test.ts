import { chaptersOf } from '@sixdigit/contract/docs/chapters.ts';
import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { reasonsOf } from '@sixdigit/contract/openapi/describe.ts';
import { SendBody, sendOtp, VerifyBody, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);
const get = (url: string, headers: Record<string, string> = {}) =>
  service.inject({ method: 'GET', url, headers });

const facts = {
  apiUrl: 'http://sixdigit.test/api/v1',
  smsMaxSegments: 2,
  target: { channel: 'email', recipient: 'you@example.com' },
  sendCost: 'Sending costs credits',
} as const;
const chapters = chaptersOf(facts, signatureSamples);

const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\((\S+?)\)/g)].map(([, target = '']) => target);

test('llms.txt lists every chapter, and every link of its pages leads to a page of this deployment', async () => {
  const list = await get('/llms.txt');
  expect(list).toMatchObject({ statusCode: 200 });
  expect(list.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(list.body).toMatch(/^# Sixdigit\n\n> .+\n\nThe base URL is http:\/\/sixdigit\.test\/api\/v1\./);
  const pages = linksIn(list.body).filter((link) => link.endsWith('.md'));
  expect(pages).toEqual(chapters.map(({ id }) => `http://sixdigit.test/docs/${id}.md`));
  const all = [list, ...(await Promise.all(pages.map((page) => get(new URL(page).pathname))))];
  const own = new Set(
    all.flatMap(({ body }) => linksIn(body)).filter((link) => link.includes('sixdigit.test')),
  );
  expect(own).toContain('http://sixdigit.test/protection#spend');
  for (const link of own) {
    const { pathname } = new URL(link);
    if (/\.(md|txt|json)$/.test(pathname))
      expect([link, (await get(pathname)).statusCode]).toEqual([link, 200]);
  }
});

test('each chapter page has the texts, tables and samples of the screen', async () => {
  for (const { id, title, parts, calls = [] } of chapters) {
    const { body, headers } = await get(`/docs/${id}.md`);
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(body.split('\n')[0]).toBe(`# Sixdigit: ${title}`);
    const page = body.replaceAll('http://sixdigit.test/', '/').replaceAll('\\|', '|');
    const expected = (text: string) => text.replaceAll('http://sixdigit.test/', '/');
    for (const { text, sample, more = [] } of [...calls.flatMap((call) => call.parts), ...parts]) {
      for (const block of [...text, ...more].flat()) {
        if (typeof block === 'string') expect(page).toContain(expected(block.replace(/^### /, '')));
        else if ('rows' in block)
          for (const cell of block.rows.flat()) expect(page).toContain(expected(cell));
      }
      if (sample?.kind === 'code') expect(page).toContain(expected(sample.code));
      if (sample?.kind === 'samples')
        for (const code of Object.values(sample.samples)) expect(page).toContain(expected(code));
    }
    expect(body).not.toMatch(/undefined|\[object|later\b.*```/);
  }
});

test('the page of calls documents every field and every error', async () => {
  const { body } = await get('/docs/calls.md');
  for (const shape of [SendBody.shape, VerifyBody.shape])
    for (const field of Object.keys(shape)) expect(body).toContain(`| \`${field}\``);
  for (const route of [sendOtp, verifyOtp])
    for (const reason of reasonsOf(route)) {
      const { status, error } = failures[reason];
      // A note on the reason can follow the error's sentence.
      expect(body).toContain(`| ${status} | \`${reason}\` | ${error.replace(/\.$/, '')}`);
    }
});

test('a cache that has a chapter page learns whether it has changed', async () => {
  const first = await get('/docs/webhooks.md');
  expect(first.headers['cache-control']).toBe('no-cache');
  const etag = String(first.headers.etag);
  const again = await get('/docs/webhooks.md', { 'if-none-match': `"other", W/${etag}` });
  expect(again).toMatchObject({ statusCode: 304, body: '' });
  expect(await get('/docs/webhooks.md', { 'if-none-match': '"other"' })).toMatchObject({ statusCode: 200 });
  expect((await get('/docs/errors.md')).headers.etag).not.toBe(etag);
});

test('the pages name the deployment’s brand and addresses, and the requested host if it has no public one', async () => {
  await using acme = await testService({
    env: { BRAND_NAME: 'Acme', PUBLIC_URL: 'https://acme.test/', API_URL: 'https://api.acme.test' },
  });
  const page = await acme.inject({ method: 'GET', url: '/docs/quick-start.md' });
  expect(page.body).toContain('# Acme: Quick Start');
  expect(page.body).toContain('https://api.acme.test/api/v1/openapi.json');
  expect(page.body).toContain('[API Keys](https://acme.test/api-keys)');
  await using laptop = await testService({ env: { PUBLIC_URL: 'http://127.0.0.1:3000' } });
  for (const host of ['laptop.local:3000', 'localhost:3000']) {
    const list = await laptop.inject({ method: 'GET', url: '/llms.txt', headers: { host } });
    expect(list.body).toContain(`(http://${host}/docs/errors.md)`);
  }
});

test('an unknown chapter has no page', async () => {
  expect((await get('/docs/nothing.md')).statusCode).toBe(404);
});
