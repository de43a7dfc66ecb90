import type { ApiScope, KeyMode } from '@sixdigit/contract/api-keys.ts';
import { cancelOtp, getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { TWILIO_PATH, twilioUrl } from '@sixdigit/contract/twilio.ts';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { ApiCaller, KeyAdmission } from '../../api-keys/api-keys.ts';
import type { OtpApp } from '../../otp/otp.ts';
import { Replied, write } from '../../platform/http/answer.ts';
import { Failure } from '../../platform/http/failure.ts';
import { apiUrlFor } from '../../platform/http/own-url.ts';
import type { Server } from '../../platform/http/serve.ts';
import { notFound, refuse, TwilioError } from './errors.ts';
import { idOfSid, sidOf } from './sids.ts';

export type TwilioApp = OtpApp & { admit: KeyAdmission['byText'] };

/** The route of our API whose scope and request log a call has. */
const LIKE = { send: sendOtp, verify: verifyOtp, read: getOtp, change: cancelOtp } as const;
/** A change of settings. Its scope depends on the key's mode. */
const { scope: _, ...SETTINGS } = cancelOtp;
const SETTINGS_SCOPE = { live: 'verify_services:write', test: 'otp:send' } as const satisfies Record<
  KeyMode,
  ApiScope
>;

/** Throws `missing_scope`. */
export function requireScope({ scopes }: Pick<ApiCaller, 'scopes'>, scope: ApiScope): void {
  if (!scopes.includes(scope))
    throw new Failure('missing_scope', { error: `API key lacks the scope ${scope}`, scope });
}

export interface TwilioCall {
  caller: ApiCaller;
  params: Record<string, string>;
  query: Record<string, unknown>;
  /** the fields of the form */
  fields: Record<string, unknown>;
  /** The call changes settings: those of tests with a test key, live ones with a live key. */
  changesSettings: boolean;
  /** the base URL of these calls, without a slash at the end */
  base: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

interface Served {
  method: HTTPMethods;
  path: string;
  like: keyof typeof LIKE | 'settings';
  /** of a successful response */
  status?: 201;
}

/** Returns the body of the response, possibly with notes; undefined for one without a body (204). */
type Handler = (call: TwilioCall) => Promise<object | Replied<object> | undefined>;

const isFields = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

/** Serves a call of Twilio's API with an API key of ours, in Twilio's form. */
export function serveTwilio(server: Server, app: TwilioApp, call: Served, handler: Handler): void {
  const changesSettings = call.like === 'settings';
  const route: Route = call.like === 'settings' ? SETTINGS : LIKE[call.like];
  server.route({
    method: call.method,
    url: TWILIO_PATH + call.path,
    exposeHeadRoute: false,
    bodyLimit: 16 * 1024,
    errorHandler: (error, request, reply) => void reply.send(refuse(app, error, request, reply)),
    onRequest: async (request, reply) => {
      request.route = route;
      const caller = await authenticate(app, request, reply);
      if (changesSettings) requireScope(caller, SETTINGS_SCOPE[caller.is_test ? 'test' : 'live']);
    },
    handler: async (request, reply) => {
      const answer = await handler({
        caller: request.caller as ApiCaller,
        params: request.params as Record<string, string>,
        query: request.query as Record<string, unknown>,
        changesSettings,
        fields: isFields(request.body) ? request.body : {},
        base: twilioUrl(apiUrlFor(app.config, request)),
        request,
        reply,
      });
      if (answer === undefined) return write(request, reply, { status: 204 }, null);
      const [body, noted] = answer instanceof Replied ? [answer.reply, answer.noted] : [answer, null];
      return write(request, reply, { status: call.status ?? 200, body: JSON.stringify(body) }, noted);
    },
  });
}

/** What Twilio's API has and this one does not. */
export function refuseOthers(server: Server, app: TwilioApp): void {
  server.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${TWILIO_PATH}/*`,
    exposeHeadRoute: false,
    handler: async (request, reply) => refuse(app, notFound('call_not_supported'), request, reply),
  });
}

/**
 * The user is the account's SID or the key's SID, and the password is the API key. A client can be set up with the SID of another
 * account by mistake, so the response tells the owner of the key which one is right.
 */
async function authenticate(
  app: TwilioApp,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiCaller> {
  const { user, password } = basicOf(request.headers.authorization);
  request.headers['x-api-key'] = password;
  const caller = await app.admit(request, reply);
  const { account_id, api_key_id } = caller;
  if (idOfSid('AC', user) === account_id || idOfSid('SK', user) === api_key_id) return caller;
  throw new TwilioError([401, 20003], 'The user is not the SID of the account of this API key', {
    reason: 'wrong_account_sid',
    account_sid: sidOf('AC', account_id),
    api_key_sid: sidOf('SK', api_key_id),
  });
}

function basicOf(header: string | undefined): { user: string; password: string | undefined } {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header ?? '')?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  return colon < 0
    ? { user: '', password: undefined }
    : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
