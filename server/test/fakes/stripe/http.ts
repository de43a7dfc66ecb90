import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type Account, apiVersion, newId } from './account.ts';
import { expanded } from './expand.ts';
import { invalidParameter, noSuch, StripeFailure, unauthorized } from './failure.ts';
import type { Faults, MetFault } from './faults.ts';
import { type Form, parseForm, required, texts } from './form.ts';
import type { Answer, IdempotencyKeys } from './idempotency.ts';
import { type Route, routes } from './routes.ts';

/** One API request as it was served, for assertions such as "charged once". */
export interface ServedRequest {
  method: string;
  path: string;
  params: Form;
  idempotencyKey: string | undefined;
  /** Absent while the call is held or hangs, and after the connection was cut without a response. */
  status?: number;
  isReplayed: boolean;
}

export interface Api {
  account: Account;
  keys: { secret: string; publishable: string };
  idempotency: IdempotencyKeys;
  faults: Faults;
  requests: ServedRequest[];
}

const open = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, HEAD, OPTIONS, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, stripe-version',
  'access-control-expose-headers': 'request-id',
  'access-control-max-age': '300',
};

/** Serves `/v1/…`. A fault cuts the connection, holds it or replaces the response. */
export async function serveApi(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://stripe');
  const method = request.method ?? 'GET';
  if (method === 'OPTIONS') {
    response.writeHead(204, open).end();
    return;
  }
  const body = await readText(request);
  const form = parseForm(method === 'GET' || method === 'DELETE' ? url.search.slice(1) : body);
  const idempotencyKey = method === 'POST' ? one(request.headers['idempotency-key']) : undefined;
  const served: ServedRequest = {
    method,
    path: url.pathname,
    params: form,
    idempotencyKey,
    isReplayed: false,
  };
  api.requests.push(served);
  const answer = await outcome(api, request, response, served);
  if (answer === 'none') return;
  if (answer === 'cut' || response.destroyed) {
    response.destroy();
    return;
  }
  served.status = answer.status;
  response.writeHead(answer.status, {
    ...open,
    'content-type': 'application/json',
    'request-id': served.isReplayed ? newId('req', 14) : answer.requestId,
    'stripe-version': one(request.headers['stripe-version']) ?? apiVersion,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(served.isReplayed ? { 'idempotent-replayed': 'true', 'original-request': answer.requestId } : {}),
  });
  response.end(answer.body);
}

async function outcome(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  served: ServedRequest,
): Promise<Answer | 'cut' | 'none'> {
  const { idempotencyKey: key, params } = served;
  const requestId = newId('req', 14);
  try {
    const isPublishable = authenticate(api, request, params);
    checkVersion(request);
    if (key !== undefined) {
      const kept = api.idempotency.begin(key, served.path, params);
      if (kept) {
        served.isReplayed = true;
        const fault = api.faults.meet(served.method, served.path, true);
        return (fault && (await suffer(fault, requestId, response))) ?? kept;
      }
    }
    const fault = api.faults.meet(served.method, served.path);
    if (fault?.when === 'before') {
      const instead = await suffer(fault, requestId, response);
      if (typeof instead === 'object' && key !== undefined) api.idempotency.keep(key, instead);
      if (typeof instead === 'string' && key !== undefined) api.idempotency.release(key);
      if (instead !== undefined) return instead;
    }
    const answer = run(api, served, requestId, isPublishable);
    const replaced =
      fault?.when === 'after' && fault.kind === 'error' ? errorAnswer(fault, requestId) : answer;
    if (key !== undefined) api.idempotency.keep(key, replaced);
    if (fault?.when === 'after') return (await suffer(fault, requestId, response)) ?? answer;
    return replaced;
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    const isMisuse = error.body.type === 'idempotency_error';
    if (key !== undefined && !isMisuse) api.idempotency.release(key);
    return failureAnswer(error, requestId);
  }
}

/** Runs the handler. A failure during execution is a response like any other. */
function run(api: Api, served: ServedRequest, requestId: string, isPublishable: boolean): Answer {
  const { account } = api;
  const [route, ids] = routeOf(served);
  account.request = { id: requestId, idempotency_key: served.idempotencyKey ?? null };
  try {
    const { expand: _, key: _key, ...form } = served.params;
    if (isPublishable) requireClientSecret(account, route, ids[0], form);
    const result = route.handle({ account, ids, form, isPublishable });
    const whole = expanded(account, result, texts(served.params, 'expand') ?? []);
    return {
      status: 200,
      body: JSON.stringify(isPublishable ? publicPart(whole) : whole, null, 2),
      requestId,
    };
  } catch (error) {
    if (!(error instanceof StripeFailure) || !error.isExecuted) throw error;
    return failureAnswer(error, requestId);
  } finally {
    account.request = null;
  }
}

function routeOf({ method, path }: ServedRequest): [Route, string[]] {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match) return [route, match.slice(1).map(decodeURIComponent)];
  }
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  throw new StripeFailure(404, { type: 'invalid_request_error', message }, false);
}

/** Bearer or basic, or `key` among the parameters. True for the publishable key. */
function authenticate(api: Api, request: IncomingMessage, form: Form): boolean {
  const [scheme = '', credentials = ''] = (request.headers.authorization ?? '').split(' ', 2);
  const basic = () => Buffer.from(credentials, 'base64').toString().split(':')[0];
  const named = typeof form.key === 'string' ? form.key : '';
  const key = (scheme.toLowerCase() === 'basic' ? basic() : credentials) || named;
  if (key === api.keys.secret) return false;
  if (key === '') {
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  const path = new URL(request.url ?? '/', 'http://stripe').pathname;
  if (key !== api.keys.publishable) {
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`);
  }
  const isPublic = routes.some(
    (one) => one.isPublic && one.method === request.method && one.pattern.test(path),
  );
  if (isPublic) return true;
  throw unauthorized(
    'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.',
    'secret_key_required',
  );
}

function checkVersion(request: IncomingMessage): void {
  const version = one(request.headers['stripe-version']);
  if (version !== undefined && !/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(version)) {
    throw new StripeFailure(
      400,
      { type: 'invalid_request_error', message: `Invalid Stripe API version: ${version}` },
      false,
    );
  }
}

function requireClientSecret(account: Account, route: Route, id: string | undefined, form: Form): void {
  if (route.pattern.source.includes('payment_methods')) return;
  const secret = required(form, 'client_secret');
  const intentId = id ?? secret.split('_secret_')[0] ?? '';
  const intent = account.paymentIntents.get(intentId) ?? account.setupIntents.get(intentId);
  if (!intent) throw noSuch('payment_intent', intentId);
  if (intent.client_secret === secret) return;
  const message =
    'The client_secret provided does not match the client_secret associated with the PaymentIntent.';
  throw invalidParameter('payment_intent_invalid_parameter', 'client_secret', message);
}

/** The fields of an intent that a browser may see: no metadata, no customer. */
function publicPart(answer: object): object {
  if (!('client_secret' in answer)) return answer;
  const {
    metadata: _metadata,
    customer: _customer,
    latest_charge: _charge,
    ...visible
  } = answer as Record<string, unknown>;
  return visible;
}

/** Applies a fault in place of the response. Undefined means that the call continues. */
async function suffer(
  fault: MetFault,
  requestId: string,
  response: ServerResponse,
): Promise<Answer | 'cut' | 'none' | undefined> {
  if (fault.kind === 'error') return errorAnswer(fault, requestId);
  if (fault.kind === 'lost' || fault.kind === 'refused') return 'cut';
  if (fault.kind === 'hold') {
    await fault.released;
    return undefined;
  }
  await Promise.race([new Promise((gone) => response.once('close', gone)), fault.released]);
  response.destroy();
  return 'none';
}

function errorAnswer(fault: MetFault, requestId: string): Answer {
  const body = {
    type: fault.status === 429 ? 'invalid_request_error' : 'api_error',
    message: 'An unknown error occurred.',
    ...fault.error,
  };
  return { status: fault.status, body: JSON.stringify({ error: body }, null, 2), requestId };
}

function failureAnswer(failure: StripeFailure, requestId: string): Answer {
  const error = { ...failure.body, request_log_url: `https://dashboard.stripe.com/test/logs/${requestId}` };
  return { status: failure.status, body: JSON.stringify({ error }, null, 2), requestId };
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
