import type { FastifyRequest } from 'fastify';
import {
  type Callbacks,
  type CarrierReport,
  type Carriers,
  type FieldValues,
  hasAddressKey,
  type InboundText,
  reportTest,
  type Signed,
  type SnsHosts,
  TEST_ACCOUNT,
} from '../../messaging/carriers/carriers.ts';
import { inboundKeyword, optIn, optOut } from '../../messaging/opt-outs/opt-outs.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { apiBase } from '../../platform/config.ts';
import { Failure } from '../../platform/http/failure.ts';
import { API_BASE, type Server } from '../../platform/http/server.ts';
import type { Platform } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { accountOfVerification } from '../queries.ts';
import { type Named, readReference } from './report-reference.ts';
import { report } from './reports.ts';

export type CarrierApp = Platform &
  Pick<Parameters<typeof report>[0], 'protection' | 'activity' | 'metrics'> & {
    carriers: Pick<Carriers, 'find'>;
    sns: SnsHosts;
  };

/** A hundred reports in one request. */
const REPORTS_BYTES = 256 * 1024;

/**
 * Delivery reports and inbound texts from carriers. A request that its carrier did not prove, or for a carrier that is not configured,
 * gets the same response as an unknown path.
 */
export function carrierRoutes(server: Server, app: CarrierApp): void {
  const takes = { bodyLimit: REPORTS_BYTES, config: { takesText: true } };
  server.post(`${API_BASE}/carriers/:name/status/`, takes, async (request, reply) => {
    const callback = await callbackOf(app, request, 'reports');
    const confirmation = callback.callbacks.confirmation?.(request.body, callback.values);
    if (confirmation && callback.isSigned === true) {
      if ((await app.sns.get(confirmation)) === undefined) throw new Failure('unavailable');
      return reply.code(204).send();
    }
    const { inbound } = callback.callbacks;
    const reports = callback.callbacks.readReports(request.body, callback.values);
    if (inbound?.comesWithReports?.(callback.values) && callback.isSigned === true)
      for (const text of inbound.read(request.body, callback.values)) await answerInbound(app, text);
    const { reference } = request.query as { reference?: unknown };
    let isProved =
      callback.isSigned !== 'unproved' ||
      readReference(app, callback.name, String(reference ?? '')) !== undefined;
    let isKnown = reports.length === 0;
    for (const one of reports) {
      const named = await verificationOf(app, request, { callback, report: one });
      isProved ||= named !== undefined;
      if (named && (await received(app, callback, { named, one }))) isKnown = true;
    }
    if (!isProved) throw new Failure('not_found');
    if (!isKnown) throw new Failure('otp_not_found');
    return reply.code(204).send();
  });
  server.get(`${API_BASE}/carriers/:name/status/`, async (request, reply) => {
    const { name } = request.params as { name: string };
    const callbacks = app.carriers.find(name)?.callbacks;
    const asked = callbacks?.challenge?.(callbacks.values);
    const query = request.query as Record<string, unknown>;
    const text = asked && query[asked.text];
    if (!asked || !hasAddressKey(app, name, query[asked.token]) || !isChallenge(text))
      throw new Failure('not_found');
    return reply.type('text/plain; charset=utf-8').send(text);
  });
  server.post(`${API_BASE}/carriers/:name/inbound/`, async (request, reply) => {
    const { callbacks, values, isSigned } = await callbackOf(app, request, 'inbound');
    const { inbound } = callbacks;
    if (!inbound || isSigned === 'unproved') throw new Failure('not_found');
    let answer: string | undefined;
    for (const text of inbound.read(request.body, values)) {
      const replyText = await answerInbound(app, text);
      // A carrier has already replied to keywords that it reports.
      answer = text.opt_out ? undefined : replyText;
    }
    const { type, body } = inbound.reply(answer);
    return reply.type(type).send(body);
  });
}

/** A page of a stranger's making must not come from our address. */
const isChallenge = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w-]{1,200}$/.test(text);

interface Callback {
  name: string;
  callbacks: Callbacks;
  values: FieldValues;
  isQuick: boolean;
  isSigned: Exclude<Signed, false>;
}

/** Throws `not_found` if the carrier that the path names did certainly not send the request. */
async function callbackOf(
  app: CarrierApp,
  request: FastifyRequest,
  purpose: 'reports' | 'inbound',
): Promise<Callback> {
  const { name } = request.params as { name: string };
  const carrier = app.carriers.find(name);
  const callbacks = carrier?.callbacks;
  const { rawBody = '', headers, body } = request;
  const { key } = request.query as { key?: unknown };
  const url = `${apiBase(app.config)}${request.url.slice(API_BASE.length)}`;
  const isSigned = await callbacks?.isSigned(
    {
      purpose,
      hasAddressKey: hasAddressKey(app, name, key),
      url,
      headers,
      rawBody,
      body,
      now: app.clock.now(),
      sns: app.sns,
    },
    callbacks.values,
  );
  if (!callbacks || !isSigned) throw new Failure('not_found');
  return { name, callbacks, values: callbacks.values, isQuick: carrier?.reports === 'quick', isSigned };
}

/** An operator's test is not a verification. Returns false if the report is about neither. */
const received = (
  app: CarrierApp,
  { name: carrier, isQuick: is_quick }: Pick<Callback, 'name' | 'isQuick'>,
  { named, one }: { named: Named; one: CarrierReport },
): Promise<boolean> =>
  named.account_id === TEST_ACCOUNT
    ? reportTest(app.db, carrier, named.otp_id, one)
    : report(app, { ...reported(one), ...named, carrier, is_quick });

const reported = ({ otp_id: _, reference: __, ...told }: CarrierReport) => told;

/**
 * The verification that a report names. For carriers that return references, neither the query nor an unproved body can name one
 * without a reference.
 */
async function verificationOf(
  app: CarrierApp,
  request: FastifyRequest,
  {
    callback: { name, callbacks, isSigned },
    report: { otp_id, reference },
  }: { callback: Callback; report: CarrierReport },
): Promise<Named | undefined> {
  const query = request.query as { otp?: unknown; account?: unknown; reference?: unknown };
  if (callbacks.namesBy === 'query')
    return { account_id: String(query.account ?? ''), otp_id: String(otp_id ?? query.otp ?? '') };
  const named = readReference(app, name, reference ?? String(query.reference ?? ''));
  if (named || isSigned !== true || otp_id === null || !isUuid(otp_id)) return named;
  const [account_id] = await accountOfVerification(app.db, otp_id);
  return { account_id: account_id ?? TEST_ACCOUNT, otp_id };
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
