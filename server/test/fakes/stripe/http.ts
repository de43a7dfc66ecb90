import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type Account, heldIntent, newId } from './account.ts';
import { invalidParameter, StripeFailure, unauthorized } from './failure.ts';
import type { Fault, Faults } from './faults.ts';
import { type Form, parseForm, required } from './form.ts';
import type { Answer, IdempotencyKeys, Keyed } from './idempotency.ts';
import { type Route, routes } from './routes.ts';

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

/** The secret key as a bearer token, or the publishable key as `key` among the parameters. True for the latter. */
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
