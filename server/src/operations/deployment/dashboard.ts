import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import statics from '@fastify/static';
import { CHANNELS } from '@sixdigit/contract/channels.ts';
import type { Deployment } from '@sixdigit/contract/deployment.ts';
import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { Failure } from '../../platform/http/failure.ts';
import { apiUrlFor } from '../../platform/http/own-url.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { docsPages } from './docs-pages.ts';

const PAGE = 'index.html';
const ICON = 'icon.svg';
/** Browsers request this file for responses that specify no icon, such as JSON. */
const DEFAULT_ICON = 'favicon.ico';
/** The placeholder for a nonce in each response (web/vite.config.ts). */
const NONCE = '__CSP_NONCE__';
const MISSING = `The dashboard is not built. Run \`npm start\`, which builds it, or \`npm run dev\`. The API works without it.\n`;

/** Compressed copies, which the build creates; not addressable by name. */
const COMPRESSED = /\.(?:gz|br)$/;

/** The paths of the pages, such as `/receipt/$id` (web/page-list.ts). */
const PAGE_LIST = '.vite/pages.json';

/** Programs make these calls and load these files. Everything else is a page. */
const NOT_FOR_PEOPLE = /^(?:api|compat|carriers|assets)(?:\/|$)/;

/**
 * Serves the built web app. Files with a hash in their name never change. All pages of the app are the same document. For any
 * other path, the response is this document with status 404, and the app shows its Not Found page. The response does not depend
 * on the header `Accept`, because link checkers, reviewers and link previews send none or any.
 */
export async function dashboardRoutes(server: Server, app: Needs<'random'>, dist: string): Promise<void> {
  const files = new Set(existsSync(dist) ? filesBelow(dist) : []);
  const page = files.has(PAGE) ? readFileSync(join(dist, PAGE), 'utf8') : undefined;
  const hashes = scriptHashes(page ?? '');
  const isPage = pagesOf(dist);
  files.delete(PAGE);
  await server.register(statics, { root: dist, serve: false, preCompressed: true });

  server.get('/*', async (request, reply) => {
    const asked = (request.params as { '*': string })['*'];
    const path = asked === DEFAULT_ICON ? ICON : asked;
    if (files.has(path)) {
      const isHashed = path.startsWith('assets/');
      return isHashed
        ? reply.sendFile(path, { maxAge: '365d', immutable: true })
        : reply.sendFile(path, { maxAge: 0 });
    }
    if (NOT_FOR_PEOPLE.test(path)) throw new Failure('not_found');
    if (!page) return sendMissing(reply);
    if (!isPage(path)) reply.code(404);
    return sendPage(reply, page, hashes, app.random.bytes(16).toString('base64'));
  });
}

/** Returns a function that tells whether the app has a page at a path. The app's router ignores case and a trailing slash. */
function pagesOf(dist: string): (path: string) => boolean {
  const file = join(dist, PAGE_LIST);
  const paths = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
  const patterns = ['', PAGE, ...paths.map((path) => path.slice(1))].map((path) =>
    path
      .split('/')
      .map((part) => (part.startsWith('$') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')))
      .join('/'),
  );
  const known = new RegExp(`^(?:${patterns.join('|')})/?$`, 'i');
  return (path) => known.test(path);
}

/** The policy sources that allow exactly the page's inline scripts. */
const scriptHashes = (page: string): string[] =>
  [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );

/**
 * The page's inline styles and those that its scripts add carry the nonce, so that the policy can block all other inline
 * styles.
 */
function sendPage(reply: FastifyReply, page: string, hashes: readonly string[], nonce: string): FastifyReply {
  const policy = reply.getHeader('content-security-policy');
  if (typeof policy === 'string' && page.includes(NONCE))
    reply.header(
      'content-security-policy',
      policy
        .replace("style-src 'self' 'unsafe-inline'", `style-src 'self' 'nonce-${nonce}'`)
        .replace("script-src 'self'", ["script-src 'self'", ...hashes].join(' ')),
    );
  return reply
    .header('Cache-Control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE, nonce));
}

const sendMissing = (reply: FastifyReply): FastifyReply =>
  reply.code(503).header('Cache-Control', 'no-store').type('text/plain; charset=utf-8').send(MISSING);

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => !path.startsWith('.') && !COMPRESSED.test(path));

type App = Needs<'config'> & { carriers: Pick<Carriers, 'has' | 'isSimulated'> };

/** Describes this deployment to the web app and to clients. */
export function deploymentRoutes(server: Server, app: App): void {
  server.get('/config.json', async (request, reply) =>
    reply.header('Cache-Control', 'no-cache').send(deploymentOf(app, request)),
  );
  server.get(`${API_BASE}/openapi.json`, async (request, reply) =>
    reply.send(
      openApi({
        brand: app.config.brandName,
        serverUrl: apiUrlFor(app.config, request),
        supportEmail: app.config.supportEmail,
      }),
    ),
  );
  docsPages(server, app);
}

function deploymentOf(app: App, request: FastifyRequest): Deployment {
  const { config, carriers } = app;
  const isCardsSandbox = config.sandbox && !config.stripe;
  return {
    brand_name: config.brandName,
    support_email: config.supportEmail,
    is_public: config.isPublic,
    api_url: apiUrlFor(app.config, request),
    stripe_publishable_key: config.stripe?.publishableKey ?? null,
    cards: config.stripe ? 'stripe' : isCardsSandbox ? 'sandbox' : 'none',
    sandbox: config.sandbox
      ? {
          channels: CHANNELS.filter((channel) => carriers.isSimulated(channel)),
          cards: isCardsSandbox,
          inbox: CHANNELS.some((channel) => carriers.isSimulated(channel)),
        }
      : null,
    channels: CHANNELS.filter((channel) => carriers.has(channel)),
    default_country: config.defaultRegion,
    phone_countries: config.allowedCountries,
    sms_max_segments: config.smsMaxSegments,
  };
}
