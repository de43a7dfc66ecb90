import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import cors from '@fastify/cors';
import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import type { Config } from '../config.ts';
import { isDatabaseUnavailable } from '../db/sql.ts';
import { briefly } from '../log.ts';
import type { Needs } from '../platform.ts';
import { MissingServerKey } from '../security/vault.ts';
import { endedWith, notesOf, write } from './answer.ts';
import { readBodies } from './body.ts';
import { hiddenHostOf, plainForwarding, trustedProxies } from './client-address.ts';
import { Failure, FieldErrors } from './failure.ts';
import type { Authenticators, Server, SessionCheck } from './serve.ts';

const RETRY_SECONDS = 2;
/** The time limit for receiving a request, including its body. */
export const REQUEST_TIMEOUT_MS = 30_000;
export const CHECK_EVERY_MS = 1_000;
/** How long a client has to read the response before its connection closes. */
const LINGER_MS = 1_000;

/** Fastify's own errors, mapped to the catalog. */
const frameworkFailures: Record<string, FailureReason> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
};

export function failureOf(error: unknown): Failure | FieldErrors {
  if (error instanceof Failure || error instanceof FieldErrors) return error;
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>;
  const known = typeof code === 'string' ? frameworkFailures[code] : undefined;
  if (known) return new Failure(known);
  if (error instanceof SyntaxError || statusCode === 400) return new Failure('malformed_json');
  if (statusCode === 413) return new Failure('body_too_large');
  if (isDatabaseUnavailable(error) || error instanceof MissingServerKey)
    return new Failure('unavailable', { retry_after: RETRY_SECONDS }, { cause: error });
  return new Failure('internal_error', {}, { cause: error });
}

/** The response to an error, also to one that a handler decided and committed. */
export function answerOf(
  error: Failure | FieldErrors,
  request: FastifyRequest,
): { status: number; body: object } {
  if (error instanceof FieldErrors) {
    // The screens display the server's `error`. The public API returns only its documented shape.
    const forScreens = request.route?.auth !== 'api_key';
    return { status: 400, body: forScreens ? { ...error.fields, error: error.message } : error.fields };
  }
  const id = error.reason === 'internal_error' ? { request_id: request.id } : {};
  return { status: error.status, body: { ...error.body, ...id } };
}

function sendFailure(
  app: Needs<'log' | 'clock'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { error, noted } = endedWith(thrown);
  const failure = failureOf(error);
  logFault(app, failure, request);
  if (failure instanceof Failure) {
    const { retry_after } = failure.facts;
    if (retry_after !== undefined) reply.header('Retry-After', String(retry_after));
    else if (failure.status === 503) reply.header('Retry-After', String(RETRY_SECONDS));
  }
  const { status, body } = answerOf(failure, request);
  logRefusal(app, request, { status, failure });
  const notes = { ...noted, ...notesOf(failure) };
  return reply.send(write(request, reply, { status, body: JSON.stringify(body) }, notes));
}

/** Logs an error of ours, with the id that its response has. */
export function logFault(
  { log }: Needs<'log'>,
  failure: Failure | FieldErrors,
  request: FastifyRequest,
): void {
  if (failure instanceof Failure && failure.reason === 'internal_error')
    log.error(
      { err: failure.cause, request_id: request.id, path: request.routeOptions?.url },
      'request failed',
    );
}

/** Lines a second about refusals for lack of a service, because a flood of log lines could itself cause an outage. */
const MOST_A_SECOND = 100;
const unavailable = { second: 0, logged: 0, omitted: 0 };

/** One line per refused request, with the id that its response has. Only refusals that callers cannot avoid are always logged. */
function logRefusal(
  app: Needs<'log' | 'clock'>,
  request: FastifyRequest,
  { status, failure }: { status: number; failure: Failure | FieldErrors },
): void {
  const reason = failure instanceof Failure ? failure.reason : 'invalid_fields';
  const fields = { request_id: request.id, path: request.routeOptions?.url, status, reason };
  if (reason !== 'unavailable') {
    if (reason !== 'internal_error') app.log.debug(fields, 'request refused');
    return;
  }
  const nowMs = app.clock.now().getTime();
  const second = Math.floor(nowMs / 1_000);
  if (second !== unavailable.second) Object.assign(unavailable, { second, logged: 0 });
  if (unavailable.logged >= MOST_A_SECOND) {
    unavailable.omitted += 1;
    return;
  }
  unavailable.logged += 1;
  const { omitted } = unavailable;
  unavailable.omitted = 0;
  app.log.warn(
    { ...fields, ...briefly(failure.cause, nowMs), ...(omitted > 0 ? { omitted } : {}) },
    'request refused',
  );
}

/** Adds the headers of every response. */
function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  if (/^\/(?:api|compat)\//.test(request.url))
    reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
}

/** Errors of Node's HTTP parser. */
const PARSER_FAILURES: Record<string, FailureReason> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/**
 * The raw response, before the connection closes, to input that does not form a request. Clients retry after 408, which they
 * can also get on an idle connection that they opened in advance.
 */
function rawAnswer({ code }: NodeJS.ErrnoException): string {
  const { body, status } = new Failure(PARSER_FAILURES[code ?? ''] ?? 'malformed_request');
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${randomUUID()}`,
    '',
    text,
  ].join('\r\n');
}

/** The protections of helmet for pages. */
function pageProtections(config: Config): HelmetOptions {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'base-uri': ["'none'"],
        'object-src': ["'none'"],
        'frame-ancestors': ["'none'"],
        'form-action': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'style-src': ["'self'", "'unsafe-inline'"],
        // The inbox shows mails in frames that inherit this policy, and mails use style attributes.
        'style-src-attr': ["'unsafe-inline'"],
        'script-src': [
          "'self'",
          ...(config.stripe ? ['https://js.stripe.com', 'https://*.js.stripe.com'] : []),
        ],
        'frame-src': [
          "'self'",
          ...(config.stripe
            ? ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com']
            : []),
        ],
        'connect-src': [
          "'self'",
          ...(config.apiUrl ? [new URL(config.apiUrl).origin] : []),
          ...(config.stripe ? ['https://api.stripe.com'] : []),
        ],
      },
    },
    strictTransportSecurity: config.publicUrl?.startsWith('https:') ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'same-origin' },
  };
}

/** A server without routes: limits, ids, errors, headers. Modules register their routes with `serve`. */
export async function createServer(
  app: Needs<'config' | 'log' | 'clock' | 'random'>,
  authenticators: Authenticators,
  isSessionOpen: SessionCheck = async () => true,
): Promise<Server> {
  const { config } = app;
  const hasProxies = config.trustedProxies.length > 0;
  const server = Fastify({
    logger: false,
    // Time-ordered ids make log entries easy to find.
    genReqId: () => app.random.uuid(),
    trustProxy: hasProxies ? trustedProxies(config.trustedProxies) : false,
    bodyLimit: 64 * 1024,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node's defaults allow a minute for the headers and check for slow requests only every 30 s.
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: CHECK_EVERY_MS },
    keepAliveTimeout: 65_000,
    // A drain closes idle connections and lets requests in flight finish.
    forceCloseConnections: 'idle',
    // During a drain, requests on open connections still get responses.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_100 },
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    // A path or query that the router cannot parse.
    frameworkErrors: (error, request, reply) => {
      // Hooks do not run for these requests.
      markAnswer(request, reply as FastifyReply);
      sendFailure(app, new Failure('not_found', {}, { cause: error }), request, reply as FastifyReply);
    },
    // Malformed HTTP, an oversized head, or a request that does not arrive in time.
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(rawAnswer(error));
      // Closes the connection even if the client keeps sending.
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(timer));
    },
  }) as unknown as Server;
  server.authenticators = authenticators;
  server.isSessionOpen = isSessionOpen;
  server.served = [];
  server.hiddenHost = undefined;
  server.decorateRequest('caller', null);
  server.decorateRequest('route', undefined);
  server.decorateRequest('startedMs', 0);
  server.decorateRequest('noted', null);
  server.decorateRequest('rawBody', undefined);

  server.addHook('onRequest', (request, reply, done) => {
    request.startedMs = app.clock.now().getTime();
    if (hasProxies) plainForwarding(request.raw.headers);
    if (!config.isPublic) server.hiddenHost ??= hiddenHostOf(request);
    markAnswer(request, reply);
    done();
  });
  readBodies(server);
  server.setErrorHandler((error, request, reply) => sendFailure(app, error, request, reply));
  server.setNotFoundHandler((request, reply) => sendFailure(app, new Failure('not_found'), request, reply));

  const protectPages = helmet(pageProtections(config));
  server.addHook('onRequest', (request, reply, done) => {
    // JSON responses only need `nosniff`. Operator routes get every header, because for others they must look exactly like an
    // unknown path.
    const { contract } = request.routeOptions.config;
    if (contract && contract.auth !== 'operator') done();
    else protectPages(request.raw, reply.raw, done as (error?: unknown) => void);
  });
  if (config.apiUrl && config.publicUrl) {
    await server.register(cors, {
      origin: new URL(config.publicUrl).origin,
      methods: ['GET', 'POST', 'PUT', 'DELETE'],
      exposedHeaders: [
        'X-Request-Id',
        'Retry-After',
        'Idempotent-Replayed',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
      ],
      maxAge: 600,
    });
  }
  return server;
}

export type { Server };
export { API_BASE };
