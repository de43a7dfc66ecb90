import { REQUIRED } from '@sixdigit/contract/field.ts';
import type { FastifyRequest } from 'fastify';
import {
  type Carriers,
  type InboundText,
  parseHttpInbound,
  parseHttpStatus,
  parseTwilioInbound,
  parseTwilioStatus,
  type TwilioParams,
  twimlReply,
  validTwilioSignature,
} from '../../messaging/carriers/carriers.ts';
import { type InboundKeyword, inboundKeyword, optIn, optOut } from '../../messaging/opt-outs/opt-outs.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { apiBase } from '../../platform/config.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { API_BASE, type Server } from '../../platform/http/server.ts';
import type { Platform } from '../../platform/platform.ts';
import { verifySigned } from '../../platform/signing/standard-webhooks.ts';
import { type DeliveryReport, report } from './reports.ts';

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
    const { name, fields, json } = signedCallback(app, request);
    if (fields) await book(app, request, { carrier: name, ...parseTwilioStatus(fields) }, null);
    else {
      const parsed = parseHttpStatus(json);
      if (!parsed) throw new FieldErrors({ status: ['Must be delivered, undelivered or failed.'] });
      // The query is not signed, so the signed body must contain the verification's id.
      if (parsed.otp_id === null) throw new FieldErrors({ otp_id: [REQUIRED] });
      await book(app, request, { carrier: name, ...parsed }, parsed.otp_id);
    }
    return reply.code(204).send();
  });
  server.post(`${API_BASE}/carriers/:name/inbound/`, async (request, reply) => {
    const { fields, json } = signedCallback(app, request);
    if (fields) {
      const inbound = parseTwilioInbound(fields);
      const reported = inbound?.opt_out;
      const answer = inbound ? await answerInbound(app, inbound, reported) : undefined;
      // Twilio has already replied to keywords that it reports.
      return reply.type('text/xml; charset=utf-8').send(twimlReply(reported ? undefined : answer));
    }
    const inbound = parseHttpInbound(json);
    if (!inbound) throw new FieldErrors({ text: ['Send from and text.'] });
    return reply.send({ reply: (await answerInbound(app, inbound)) ?? null });
  });
}

/** `fields` of a carrier that speaks like Twilio, `json` of a gateway. */
interface SignedCallback {
  name: string;
  fields?: TwilioParams;
  json?: unknown;
}

/** Throws `not_found` unless the request is signed by the carrier that its path names. */
function signedCallback(app: CarrierApp, request: FastifyRequest): SignedCallback {
  const { name } = request.params as { name: string };
  const proof = app.carriers.find(name)?.callbacks;
  const { rawBody = '', headers } = request;
  if (proof?.kind === 'twilio') {
    const fields = (request.body ?? {}) as TwilioParams;
    const url = `${apiBase(app.config)}${request.url.slice(API_BASE.length)}`;
    const signature = headers['x-twilio-signature'];
    const signed = { authToken: proof.authToken, url, params: fields, signature };
    if (validTwilioSignature(signed)) return { name, fields };
  }
  if (
    proof?.kind === 'http' &&
    verifySigned({ secret: proof.secret, headers, rawBody, now: app.clock.now() })
  )
    return { name, json: request.body };
  throw new Failure('not_found');
}

type Parsed = Omit<DeliveryReport, 'account_id' | 'otp_id'>;

/** The callback URL contains the verification's id; an id in the signed body takes precedence. */
async function book(
  app: CarrierApp,
  request: FastifyRequest,
  parsed: Parsed,
  named: string | null,
): Promise<void> {
  const { otp, account } = request.query as { otp?: unknown; account?: unknown };
  const known = await report(app, {
    carrier: parsed.carrier,
    account_id: String(account ?? ''),
    otp_id: String(named ?? otp ?? ''),
    state: parsed.state,
    reason: parsed.reason,
    provider_message_id: parsed.provider_message_id,
  });
  if (!known) throw new Failure('otp_not_found');
}

/** Applies a keyword and returns the reply text. */
async function answerInbound(
  app: Platform,
  { from, body }: InboundText,
  reported?: InboundKeyword,
): Promise<string | undefined> {
  const { config, db, vault } = app;
  const keyword = reported ?? inboundKeyword(body);
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
