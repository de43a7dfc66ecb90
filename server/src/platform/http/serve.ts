import type { Readable } from 'node:stream';
import { neededRole } from '@sixdigit/contract/needed-roles.ts';
import { isAtLeast, type Role, roleTooLow } from '@sixdigit/contract/roles.ts';
import { API_BASE, type Auth, type Parsed, type Reply, type Route } from '@sixdigit/contract/route.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import type { Tx } from '../db/sql.ts';
import { Decided, type Noted, note, Replied, write } from './answer.ts';
import { Failure, FieldErrors } from './failure.ts';
import { parserOf, queryParserOf } from './input.ts';
import { maskedValue, viewerMaskOf } from './viewer-masks.ts';

/** Where a request comes from. */
export interface Origin {
  /** A value for the `inet` type, or null. */
  ip_address: string | null;
  user_agent: string | null;
}

/** A signed-in person. */
export interface PersonCaller extends Origin {
  person_id: string;
  session_id: string;
  /** the session has given a proof of identity in the last 15 minutes */
  is_proven: boolean;
  /** the only account that the session opens, because it began by that account's single sign-on */
  sso_account_id: string | null;
}

/** A signed-in person as a member of an account. */
export interface UserCaller extends PersonCaller {
  account_id: string;
  /** in the account */
  role: Role;
}

/** Viewers get recipients masked, in every response. */
export const isViewer = ({ role }: Pick<UserCaller, 'role'>): boolean => role === 'viewer';

/** A client that authenticates with an API key. */
export interface KeyCaller {
  account_id: string;
  api_key_id: string;
  api_key_name: string;
  is_test: boolean;
}

/** An operator of this deployment, signed in or with an operator key. */
export interface OperatorCaller {
  person_id: string;
  email: string;
  role: 'support' | 'admin';
  /** null for a caller with an operator key */
  session_id: string | null;
  /** the session has a recent proof of identity; false for a caller with an operator key */
  is_proven: boolean;
  /** null for a caller with a session */
  key_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
}

interface Callers {
  person: PersonCaller;
  bearer: UserCaller;
  api_key: KeyCaller;
  operator: OperatorCaller;
}

export type Caller<A extends Auth> = A extends keyof Callers ? Callers[A] : undefined;

/** Authenticates the caller. Throws a `Failure` if there is none. */
export type Authenticators = {
  [A in keyof Callers]: (request: FastifyRequest, reply: FastifyReply) => Promise<Callers[A]>;
};

/** Whether a session is still open and its person still a member, for responses that outlast an access token. */
export type SessionCheck = (caller: UserCaller) => Promise<boolean>;

export type Server = FastifyInstance & {
  authenticators: Authenticators;
  isSessionOpen: SessionCheck;
  /** the contract's routes that it serves */
  served: Route[];
  /** the public host of a proxy that sends none of the usual headers, if a browser has used one */
  hiddenHost: string | undefined;
};

export interface Call<R extends Route> {
  params: Parsed<R, 'params'>;
  query: Parsed<R, 'query'>;
  body: Parsed<R, 'body'>;
  caller: CallerOf<R>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A key may make a member's call that has a scope. */
type CallerOf<R extends Route> = R extends { auth: 'bearer'; scope: string }
  ? UserCaller | KeyCaller
  : Caller<R['auth']>;

export const isKeyCaller = (caller: UserCaller | KeyCaller): caller is KeyCaller => 'api_key_id' in caller;

/** Throws `missing_scope` for a test key, because live sends use what the call changes. */
export function requireLiveKey(caller: UserCaller | KeyCaller, changed: string): void {
  if (isKeyCaller(caller) && caller.is_test)
    throw new Failure('missing_scope', { error: `A test key cannot change ${changed}` });
}

/** How to authenticate the request. */
const authOf = ({ auth, scope }: Route, { headers }: FastifyRequest): Auth =>
  auth === 'bearer' && scope !== undefined && headers['x-api-key'] !== undefined ? 'api_key' : auth;

declare module 'fastify' {
  interface FastifyRequest {
    caller: unknown;
    route: Route | undefined;
    /** process time in ms when the request arrived */
    startedMs: number;
    /** the notes of the handler or the error about the response */
    readonly noted: Noted | null;
    /** the unparsed body; only for routes outside the contract */
    rawBody: Buffer | undefined;
  }
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: Pick<FastifyRequest, 'url'>): string => url.split('?', 1)[0] ?? url;

/**
 * Throws `step_up_required` unless the session has a recent proof of identity. `serve` calls it for routes with `stepUp: true`;
 * handlers call it for those where only some changes need a proof.
 */
export function requireStepUp({ is_proven }: Pick<PersonCaller, 'is_proven'>): void {
  if (!is_proven) throw new Failure('step_up_required');
}

/**
 * For changes of something that customers rely on: anything but its name and note could stop or redirect it. Throws
 * `step_up_required`.
 */
export function requireStepUpToChange(caller: PersonCaller, changes: { after: object } | undefined): void {
  if (Object.keys(changes?.after ?? {}).some((field) => field !== 'name' && field !== 'note'))
    requireStepUp(caller);
}

/**
 * The provider of one account must not change how a person proves their identity, or reach their other accounts. Throws
 * `sso_session` for an SSO session. `serve` calls it for routes with `ownProof`.
 */
export function requireOwnProof({ sso_account_id }: Pick<PersonCaller, 'sso_account_id'>): void {
  if (sso_account_id !== null) throw new Failure('sso_session');
}

/**
 * Throws `role_too_low` unless the caller's role suffices. `serve` calls it with the role in `NEEDED`; handlers call it for the
 * requests that need a higher one.
 */
export function requireRole({ role }: Pick<UserCaller, 'role'>, needed: Role): void {
  if (!isAtLeast(role, needed))
    throw new Failure('role_too_low', { error: roleTooLow(needed), needs: needed });
}

/** Implemented by the accounts, for modules that they do not import. */
export interface LocksMembers {
  /**
   * Locks the account and reads the caller's rights again, which may have changed since the request began. Throws a refusal unless
   * the caller still has the role. `others`: people, besides the caller, that the transaction's rows reference.
   */
  lockMembers(
    tx: Tx,
    caller: UserCaller,
    needed: Role,
    others?: readonly string[],
  ): Promise<Pick<UserCaller, 'role'>>;
}

const SIXTEEN_KIB = 16 * 1024;
const DASHBOARD_BODY = 64 * 1024;

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The ids of a path, without the spaces that copying adds. */
const idsIn = (params: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, id]) => [name, id.trim()]));

/** The result of a handler. */
type Answer<R extends Route> =
  | (R extends { stream: string } ? Readable : Reply<R> | Replied<Reply<R>>)
  | Decided;

const isForViewer = ({ route, caller }: FastifyRequest): boolean =>
  route?.auth === 'bearer' && isViewer(caller as UserCaller);

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serves a route of the contract: authenticates and rate-limits the caller, compares their role with the one that the call needs,
 * validates the request, then calls the handler. Drops fields that the response schema does not contain, and masks recipients for
 * viewers. `exportCsv` masks them in streams.
 */
export function serve<R extends Route>(
  server: Server,
  route: R,
  handler: (call: Call<R>) => Promise<Answer<R>> | Answer<R>,
): void {
  const { query, body } = { query: queryParserOf(route.query), body: parserOf(route.body) };
  const wire = route.reply;
  const needed = neededRole(route);
  const viewerMask = needed === 'viewer' && wire ? viewerMaskOf(wire) : undefined;
  server.served.push(route);
  server.route<RouteGenericInterface>({
    method: route.method,
    url: API_BASE + route.path,
    // A HEAD request would run a stream to its end.
    ...(route.stream ? { exposeHeadRoute: false } : {}),
    bodyLimit: route.bodyBytes ?? (route.auth === 'api_key' ? SIXTEEN_KIB : DASHBOARD_BODY),
    config: { contract: route },
    onRequest: async (request, reply) => {
      request.route = route;
      const auth = authOf(route, request);
      if (auth !== 'none') request.caller = await server.authenticators[auth](request, reply);
      if (auth !== route.auth) return;
      if (route.ownProof) requireOwnProof(request.caller as PersonCaller);
      if (needed) requireRole(request.caller as UserCaller, needed);
      if (route.stepUp === true) requireStepUp(request.caller as PersonCaller);
    },
    handler: async (request, reply) => {
      // Treats an absent body as one without fields. An array or a bare value is not an object.
      if (route.body && !isPlainObject(request.body ?? {}))
        throw new FieldErrors({ body: ['Send a JSON object.'] });
      const answer = await handler({
        params: idsIn(request.params as Record<string, string>) as Parsed<R, 'params'>,
        query: query(request.query) as Parsed<R, 'query'>,
        body: body(request.body ?? {}) as Parsed<R, 'body'>,
        caller: request.caller as CallerOf<R>,
        request,
        reply,
      });
      // Returns the text rather than the reply, because Fastify awaits a reply that an async function returns.
      if (answer instanceof Decided) {
        const { status, body, noted } = answer;
        const shown = isForViewer(request) ? maskedValue(body) : body;
        return write(request, reply, { status, body: JSON.stringify(shown) }, noted);
      }
      if (answer instanceof Replied) note(request, answer.noted);
      const result = answer instanceof Replied ? answer.reply : answer;
      if (route.stream) return reply.type(`${route.stream}; charset=utf-8`).send(result);
      if (!wire) return reply.code(route.status).send();
      if (reply.statusCode === 200) reply.code(route.status);
      reply.type(JSON_TYPE);
      const shown = wire.parse(result);
      return JSON.stringify(viewerMask && isForViewer(request) ? viewerMask(shown) : shown);
    },
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    contract?: Route;
    /** the call as which requests in the form of another system are logged and counted */
    relayed?: Route;
    /** the handler parses the body itself, and gets its text */
    isRaw?: boolean;
    /** takes JSON as text/plain, as Amazon SNS sends it */
    takesText?: boolean;
    /** takes a mail as it was received */
    takesMail?: boolean;
  }
}
