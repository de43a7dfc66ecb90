import type { FastifyRequest } from 'fastify';
import type { Callbacks, CarrierReport, Carriers, InboundText } from '../../messaging/carriers/carriers.ts';
import { inboundKeyword, optIn, optOut } from '../../messaging/opt-outs/opt-outs.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { apiBase } from '../../platform/config.ts';
import { Failure } from '../../platform/http/failure.ts';
import { API_BASE, type Server } from '../../platform/http/server.ts';
import type { Platform } from '../../platform/platform.ts';
import { report } from './reports.ts';

type CarrierApp = Platform &
  Pick<Parameters<typeof report>[0], 'protection' | 'activity' | 'metrics'> & {
    carriers: Pick<Carriers, 'find'>;
  };

/**
 * Signed delivery reports and inbound texts from carriers. A request without a valid signature, or for a carrier that is not
 * configured, gets the same response as an unknown path.
 */
export function carrierRoutes(server: Server, app: CarrierApp): void {
  server.post(`${API_BASE}/carriers/:name/status/`, async (request, reply) => {
    const { name, callbacks } = signedCallback(app, request);
    await book(app, request, name, callbacks.readReport(request.body));
    return reply.code(204).send();
  });
  server.post(`${API_BASE}/carriers/:name/inbound/`, async (request, reply) => {
    const { inbound } = signedCallback(app, request).callbacks;
    if (!inbound) throw new Failure('not_found');
    const text = inbound.read(request.body);
    const answer = text && (await answerInbound(app, text));
    // A carrier has already replied to keywords that it reports.
    const { type, body } = inbound.reply(text?.opt_out ? undefined : answer);
    return reply.type(type).send(body);
  });
}

/** Throws `not_found` unless the request is signed by the carrier that its path names. */
function signedCallback(app: CarrierApp, request: FastifyRequest): { name: string; callbacks: Callbacks } {
  const { name } = request.params as { name: string };
  const callbacks = app.carriers.find(name)?.callbacks;
  const { rawBody = '', headers, body } = request;
  const url = `${apiBase(app.config)}${request.url.slice(API_BASE.length)}`;
  const signed = { url, headers, rawBody, body, now: app.clock.now() };
  if (!callbacks?.isSigned(signed, callbacks.values)) throw new Failure('not_found');
  return { name, callbacks };
}

/** The callback URL contains the verification's id; an id in the signed body takes precedence. */
async function book(
  app: CarrierApp,
  request: FastifyRequest,
  carrier: string,
  { otp_id, ...reported }: CarrierReport,
): Promise<void> {
  const { otp, account } = request.query as { otp?: unknown; account?: unknown };
  const known = await report(app, {
    ...reported,
    carrier,
    account_id: String(account ?? ''),
    otp_id: String(otp_id ?? otp ?? ''),
  });
  if (!known) throw new Failure('otp_not_found');
}

/** Applies a keyword and returns the reply text. */
async function answerInbound(
  app: Platform,
  { from, body, opt_out }: InboundText,
): Promise<string | undefined> {
  const { config, db, vault } = app;
  const keyword = opt_out ?? inboundKeyword(body);
  const phone = normalisePhone(from, config);
  if (!keyword || !phone) return undefined;
  if (keyword === 'help')
    return `${config.brandName} verification codes. Help: ${config.supportEmail}. Reply STOP to opt out.`;
  if (keyword === 'stop') {
    await optOut(db, vault.fingerprint('opt-out', phone.e164));
    return `You have opted out of ${config.brandName} messages. Reply START to receive them again.`;
  }
  await optIn(db, vault.fingerprints('opt-out', phone.e164));
  return `You will receive ${config.brandName} verification codes again. Reply STOP to opt out.`;
}
