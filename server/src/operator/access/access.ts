import { OPERATOR_KEY_PATTERN } from '@sixdigit/contract/operator/operator.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import type { FastifyRequest } from 'fastify';
import { bearerToken, clientOf, findPersonCaller, isSessionOpen } from '../../accounts/accounts.ts';
import { hashOfKey, keyLooksGenuine } from '../../api-keys/api-keys.ts';
import { addFact, findFact } from '../../platform/db/facts.ts';
import { Failure } from '../../platform/http/failure.ts';
import {
  type Authenticators,
  type OperatorCaller,
  requireStepUp as requireProof,
} from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { findOperator, findOperatorOfKey, isKeyLive, type OperatorRow } from './operators.ts';

type App = Needs<'db' | 'vault' | 'config'>;

/**
 * Authenticates an operator by a session or by an operator key. Every request looks up the credential and the
 * operator, so removing or suspending an operator takes effect immediately. Any other caller gets the response for an unknown
 * path.
 */
export function authenticateOperator(app: App): Authenticators['operator'] {
  return async (request) => {
    const { route } = request;
    const found = (await bySession(app, request)) ?? (await byKey(app, request));
    if (!found || !route) throw new Failure('not_found');
    const { caller, operator } = found;
    if (route.operator?.role === 'admin' && caller.role !== 'admin')
      throw new Failure('operator_role_required');
    if (caller.session_id !== null) requireTwoFactor(app, operator);
    if (changes(route)) requireStepUp(app, caller);
    return caller;
  };
}

/** Whether an operator may still read. For responses that outlast an access token. */
export async function isStillOperator(
  { db }: Needs<'db'>,
  { person_id, session_id, key_id }: OperatorCaller,
): Promise<boolean> {
  const operator = await findOperator(db, person_id);
  if (!operator) return false;
  if (key_id !== null) return operator.role === 'admin' && (await isKeyLive(db, key_id));
  return session_id !== null && isSessionOpen(db, { session_id, person_id });
}

const changes = ({ method }: Route): boolean => method !== 'GET';

interface Found {
  caller: OperatorCaller;
  operator: OperatorRow;
}

async function bySession(app: App, request: FastifyRequest): Promise<Found | undefined> {
  const person = await findPersonCaller(app, request);
  // The identity provider of an account must not open the console.
  if (!person || person.sso_account_id !== null) return undefined;
  await makeFirstOperator(app);
  const operator = await findOperator(app.db, person.person_id);
  return (
    operator && {
      operator,
      caller: callerOf(request, operator, {
        session_id: person.session_id,
        is_proven: person.is_proven,
        key_id: null,
      }),
    }
  );
}

async function byKey(app: App, request: FastifyRequest): Promise<Found | undefined> {
  const key = bearerToken(request);
  if (!keyLooksGenuine(key, OPERATOR_KEY_PATTERN)) return undefined;
  const operator = await findOperatorOfKey(app.db, hashOfKey(key));
  if (!operator) return undefined;
  if (!allows(operator.scopes, request.route)) throw new Failure('operator_scope_required');
  return {
    operator,
    caller: callerOf(request, operator, { session_id: null, is_proven: false, key_id: operator.key_id }),
  };
}

/**
 * A key may call the routes of its scopes. Of the routes without a scope, it may call only those for `support`: its own
 * description and the OpenAPI document.
 */
const allows = (scopes: readonly string[], route: Route | undefined): boolean => {
  const { scope, role } = route?.operator ?? {};
  return scope ? scopes.includes(scope) : role === 'support';
};

function callerOf(
  request: FastifyRequest,
  { person_id, email, role }: OperatorRow,
  by: Pick<OperatorCaller, 'session_id' | 'is_proven' | 'key_id'>,
): OperatorCaller {
  const { ip_address, user_agent } = clientOf(request);
  return { person_id, email, role, ip_address, user_agent, ...by };
}

/** A production deployment requires a second factor of every operator. */
function requireTwoFactor({ config }: Needs<'config'>, operator: OperatorRow): void {
  if (!config.sandbox && !operator.has_second_factor) throw new Failure('operator_two_factor_required');
}

/**
 * In production, every change made with a session requires a proof of identity from the last 15 minutes. Keys are used by
 * programs, which cannot give such a proof; scopes and an expiry limit them instead.
 */
function requireStepUp({ config }: Needs<'config'>, caller: OperatorCaller): void {
  if (caller.session_id !== null && !config.sandbox) requireProof(caller);
}

const FIRST_OPERATOR = 'first_operator';
const settled = new WeakSet<object>();

/**
 * Makes the first person of a local sandbox an operator, once. On a deployment that other people can reach, the first person
 * may be a stranger, so its operators are added with `npm start -- operator add`.
 */
export async function makeFirstOperator({ db, config }: Needs<'db' | 'config'>): Promise<void> {
  if (!config.sandbox || config.isPublic || settled.has(db)) return;
  await db.transaction(async (tx) => {
    const first = await tx.maybe<{ id: string }>(
      'select id from people where deleted_at is null order by id limit 1',
    );
    if (!first || !(await addFact(tx, FIRST_OPERATOR, first.id))) return;
    await tx.run(
      `insert into operators (person_id, role, created_at) values ($1, 'admin', clock_now())
       on conflict on constraint operators_pkey do nothing`,
      [first.id],
    );
  });
  if (await findFact(db, FIRST_OPERATOR)) settled.add(db);
}
