import { CHANNELS } from '@sixdigit/contract/channels.ts';
import type { Deployment } from '@sixdigit/contract/deployment.ts';
import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { FastifyRequest } from 'fastify';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { apiBase } from '../../platform/config.ts';
import { isLoopbackHost } from '../../platform/http/exposure.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';

type App = Needs<'config'> & { carriers: Pick<Carriers, 'has' | 'isSimulated'> };

/** Describes this deployment to the web app and to clients. */
export function deploymentRoutes(server: Server, app: App): void {
  server.get('/config.json', async (request, reply) =>
    reply.header('Cache-Control', 'no-cache').send(deploymentOf(app, request)),
  );
  server.get(`${API_BASE}/openapi.json`, async (request, reply) =>
    reply.send(openApi(app.config.brandName, apiUrlFor(app, request))),
  );
}

function deploymentOf(app: App, request: FastifyRequest): Deployment {
  const { config, carriers } = app;
  const isCardsSandbox = config.sandbox && !config.stripe;
  return {
    brand_name: config.brandName,
    support_email: config.supportEmail,
    is_public: config.isPublic,
    api_url: apiUrlFor(app, request),
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

/**
 * The API's URL for its clients: API_URL or PUBLIC_URL. If neither names a public host, the requested host, because localhost
 * and 127.0.0.1 are different origins to a browser.
 */
function apiUrlFor({ config }: App, request: FastifyRequest): string {
  const { apiUrl, publicUrl } = config;
  if (apiUrl || (publicUrl && isReachable(publicUrl))) return apiBase(config);
  return apiBase({ apiUrl: undefined, publicUrl: `${request.protocol}://${request.host}` });
}

function isReachable(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return !isLoopbackHost(host) && host !== '0.0.0.0' && host !== '::';
}
