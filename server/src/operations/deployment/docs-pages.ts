import { createHash } from 'node:crypto';
import { chaptersOf } from '@sixdigit/contract/docs/chapters.ts';
import { LLMS, llmsTxt, markdownOf, pageOf } from '@sixdigit/contract/docs/markdown.ts';
import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiUrlFor, siteUrlFor } from '../../platform/http/own-url.ts';
import type { Server } from '../../platform/http/serve.ts';
import { limitSize } from '../../platform/limit-size.ts';
import type { Needs } from '../../platform/platform.ts';

/** A page with the validator of its text. */
interface Page {
  text: string;
  etag: string;
}

/** Callers choose the host if the service has no public URL. */
const MOST_HOSTS = 8;

/** Serves the docs screen's chapters as Markdown, and the list of them in the format of llmstxt.org. */
export function docsPages(server: Server, { config }: Needs<'config'>): void {
  const rendered = new Map<string, ReadonlyMap<string, Page>>();
  const pagesFor = (request: FastifyRequest): ReadonlyMap<string, Page> => {
    const site = siteUrlFor(config, request);
    const apiUrl = apiUrlFor(config, request);
    const { brandName: brand, smsMaxSegments } = config;
    const key = JSON.stringify([site, apiUrl, brand, smsMaxSegments]);
    const known = rendered.get(key);
    if (known) return known;
    const all = chaptersOf(
      {
        apiUrl,
        smsMaxSegments,
        target: { channel: 'email', recipient: 'you@example.com' },
        sendCost: 'Sending costs credits',
      },
      signatureSamples,
    );
    const place = { site, apiUrl, brand };
    const pages = new Map([
      [LLMS, pageOfText(llmsTxt(all, place))],
      ...all.map((chapter): [string, Page] => [
        pageOf(chapter.id),
        pageOfText(markdownOf(chapter, all, place)),
      ]),
    ]);
    rendered.set(key, pages);
    limitSize(rendered, MOST_HOSTS);
    return pages;
  };
  const serve = (path: string, type: string): void => {
    server.get(path, async (request, reply) => {
      const page = pagesFor(request).get(path);
      if (!page) throw new Error(`Nothing is rendered at ${path}`);
      return sendText(request, reply.type(`${type}; charset=utf-8`), page);
    });
  };
  serve(LLMS, 'text/plain');
  for (const path of CHAPTER_PAGES) serve(path, 'text/markdown');
}

/** The chapters are the same for all deployments. */
const CHAPTER_PAGES = chaptersOf({
  apiUrl: '',
  smsMaxSegments: 1,
  target: { channel: 'email', recipient: '' },
  sendCost: '',
}).map(({ id }) => pageOf(id));

const pageOfText = (text: string): Page => ({
  text,
  etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
});

/** Caches ask each time whether the text has changed, because a new version of the service can change it. */
function sendText(request: FastifyRequest, reply: FastifyReply, { text, etag }: Page): FastifyReply {
  reply.headers({ 'Cache-Control': 'no-cache', ETag: etag });
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) ? reply.code(304).send() : reply.send(text);
}
