import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type Account, type Call, heldIntent, newId } from './account.ts';
import { completeChallenge, confirmPaymentIntent } from './confirmation.ts';
import {
  createCustomer,
  deleteCustomer,
  detachPaymentMethod,
  listPaymentMethods,
  retrievePaymentMethod,
} from './customers.ts';
import type { Fault, Faults } from './faults.ts';
import { type Form, parseForm, required } from './form.ts';
import { invalidParameter, StripeFailure, unauthorized } from './objects.ts';
import {
  cancelPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
} from './payment-intents.ts';
import { createRefund, listDisputes, listRefunds } from './reversals.ts';

export interface Route {
  method: string;
  pattern: RegExp;
  handle: (call: Call) => object;
  /** The call is allowed with the publishable key and the client secret of its intent. */
  isPublic: boolean;
}

const route = (method: string, path: string, handle: (call: Call) => object, isPublic = false): Route => ({
  method,
  pattern: new RegExp(`^/v1/${path.replaceAll('*', '([^/]+)')}$`),
  handle,
  isPublic,
});

/** The calls that the service and Stripe.js make. */
export const routes: Route[] = [
  route('POST', 'customers', createCustomer),
  route('DELETE', 'customers/*', deleteCustomer),
  route('GET', 'customers/*/payment_methods', listPaymentMethods),
  route('GET', 'customers/*/payment_methods/*', retrievePaymentMethod),
  route('POST', 'payment_methods/*/detach', detachPaymentMethod),
  route('GET', 'payment_intents', listPaymentIntents),
  route('POST', 'payment_intents', createPaymentIntent),
  route('GET', 'payment_intents/*', retrievePaymentIntent, true),
  route('POST', 'payment_intents/*/confirm', confirmPaymentIntent, true),
  route('POST', 'payment_intents/*/cancel', cancelPaymentIntent),
  route('POST', '3ds2/challenge_complete', completeChallenge, true),
  route('GET', 'refunds', listRefunds),
  route('POST', 'refunds', createRefund),
  route('GET', 'disputes', listDisputes),
];

export interface Answer {
  status: number;
  body: string;
}

/** A request under an idempotency key. */
export interface Keyed {
  key: string;
  path: string;
  parameters: string;
}

export interface IdempotencyKeys {
  /** The response stored for this key, or undefined if the request must run now. Throws on misuse. */
  find(request: Keyed): Answer | undefined;
  keep(request: Keyed, answer: Answer): void;
}

const keptMs = 24 * 3600 * 1000;

/** Results by idempotency key, replayed for 24 hours: https://docs.stripe.com/api/idempotent_requests. */
export function idempotencyKeys(now: () => Date): IdempotencyKeys {
  const entries = new Map<string, Keyed & { since: number; answer: Answer }>();
  return {
    find({ key, path, parameters }) {
      if (key.length > 255) throw misuse('Idempotency keys are limited to 255 characters.');
      const entry = entries.get(key);
      if (!entry || now().getTime() - entry.since > keptMs) return undefined;
      if (entry.path === path && entry.parameters === parameters) return entry.answer;
      const same = entry.path === path ? 'with the same parameters' : 'for the same endpoint';
      throw misuse(`Keys for idempotent requests can only be used ${same} they were first used with.`);
    },
    keep: (request, answer) => void entries.set(request.key, { ...request, answer, since: now().getTime() }),
  };
}

const misuse = (message: string) => new StripeFailure(400, { type: 'idempotency_error', message }, false);

/** One API request as it was served. */
export interface ServedRequest {
  method: string;
  path: string;
}

export interface Api {
  account: Account;
  keys: { secret: string; publishable: string };
  idempotency: IdempotencyKeys;
  faults: Faults;
  requests: ServedRequest[];
}

interface Received extends ServedRequest {
  form: Form;
  authorization: string | undefined;
  keyed: Keyed | undefined;
}

/** Serves `/v1/…`. A fault cuts the connection, holds it or replaces the response. */
export async function serveApi(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname: path, search } = new URL(request.url ?? '/', 'http://stripe');
  const { method = 'GET', headers } = request;
  const body = await readText(request);
  const parameters = method === 'POST' ? body : search.slice(1);
  const key = method === 'POST' ? headers['idempotency-key']?.toString() : undefined;
  api.requests.push({ method, path });
  const answer = await outcome(api, {
    method,
    path,
    form: parseForm(parameters),
    authorization: headers.authorization,
    keyed: key === undefined ? undefined : { key, path, parameters },
  });
  if (answer === 'cut') {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, {
    'access-control-allow-origin': '*',
    'content-type': 'application/json',
    'request-id': newId('req'),
  });
  response.end(answer.body);
}

async function outcome(api: Api, received: Received): Promise<Answer | 'cut'> {
  const { keyed, method, path } = received;
  try {
    const isPublishable = authenticate(api, received);
    const kept = keyed && api.idempotency.find(keyed);
    const fault = api.faults.meet(method, path, kept !== undefined);
    if (fault?.kind === 'refused') return 'cut';
    const answer =
      kept ?? (fault?.kind === 'error' ? errorAnswer(fault) : run(api.account, received, isPublishable));
    if (keyed && !kept) api.idempotency.keep(keyed, answer);
    if (fault?.kind === 'hold') await fault.released;
    return fault?.kind === 'lost' ? 'cut' : answer;
  } catch (error) {
    if (error instanceof StripeFailure) return failureAnswer(error);
    throw error;
  }
}

/** Runs the handler. A failure during execution is a response like any other. */
function run(account: Account, received: Received, isPublishable: boolean): Answer {
  const [route, ids] = routeOf(received);
  const { key: _, ...form } = received.form;
  try {
    if (isPublishable) requireClientSecret(account, ids[0], form);
    const result = route.handle({ account, ids, form });
    return { status: 200, body: JSON.stringify(isPublishable ? publicPart(result) : result) };
  } catch (error) {
    if (!(error instanceof StripeFailure) || !error.isExecuted) throw error;
    return failureAnswer(error);
  }
}

function routeOf({ method, path }: ServedRequest): [Route, string[]] {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match) return [route, match.slice(1).map(decodeURIComponent)];
  }
  const message = `Unrecognized request URL (${method}: ${path}).`;
  throw new StripeFailure(404, { type: 'invalid_request_error', message }, false);
}

/**
 * Accepts the secret key as a bearer token, or the publishable key as the parameter `key`. Returns true for the publishable
 * key.
 */
function authenticate({ keys }: Api, { authorization, form, method, path }: Received): boolean {
  const key = authorization?.replace(/^Bearer /, '') ?? (typeof form.key === 'string' ? form.key : '');
  if (key === keys.secret) return false;
  if (key === '') throw unauthorized('You did not provide an API key.');
  if (key !== keys.publishable) {
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`);
  }
  if (routes.some((one) => one.isPublic && one.method === method && one.pattern.test(path))) return true;
  throw unauthorized('This API call cannot be made with a publishable API key.', 'secret_key_required');
}

function requireClientSecret(account: Account, id: string | undefined, form: Form): void {
  const secret = required(form, 'client_secret');
  if (heldIntent(account, id ?? secret.split('_secret_')[0] ?? '').client_secret === secret) return;
  const message = 'The client_secret does not match the client_secret associated with the PaymentIntent.';
  throw invalidParameter('payment_intent_invalid_parameter', 'client_secret', message);
}

/** The fields of an intent that a browser may see. */
function publicPart(intent: object): object {
  const hidden = { metadata: undefined, customer: undefined, latest_charge: undefined };
  return { ...intent, ...hidden };
}

const errorAnswer = ({ status = 500, error }: Fault): Answer => ({
  status,
  body: JSON.stringify({ error: { type: 'api_error', message: 'An unknown error occurred.', ...error } }),
});

const failureAnswer = ({ status, body }: StripeFailure): Answer => ({
  status,
  body: JSON.stringify({ error: body }),
});
