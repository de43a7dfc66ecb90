/**
 * Webhook endpoints, which receive the status changes of verifications. `apply_changes` stores a message for each endpoint
 * together with the change; send the wake-up `webhooks` after the commit. Every message is delivered at least once, in no
 * particular order, with retries over three days; see `jobs.ts`.
 */

import type { NewWebhook, testWebhook, Webhook, WebhookBody } from '@sixdigit/contract/webhooks.ts';
import type { z } from 'zod';
import { byOwner, changesBetween, record } from '../audit/audit.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import { pageUrl } from '../platform/config.ts';
import type { Tx } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import {
  type Origin,
  requireStepUp,
  requireStepUpToChange,
  type UserCaller,
} from '../platform/http/serve.ts';
import { targetProblem } from '../platform/outbound/address.ts';
import type { Needs } from '../platform/platform.ts';
import { readSecret } from '../platform/signing/standard-webhooks.ts';
import { type DeliveryApp, sendOnce, settleTest } from './delivery.ts';
import { dropQueue, type Parcel, queueAgain } from './delivery-queries.ts';
import { generateSecret, retireSecret, sealSecret, testMessage } from './message.ts';
import * as queries from './queries.ts';

export { attemptOf } from './attempt-request.ts';
export { attemptsOf, listEndpoints, messagesOfVerification } from './list.ts';
export { generateSecret, sealSecret } from './message.ts';
export { messagesOf } from './messages.ts';
export { newMessages } from './new-messages.ts';
export {
  deleteWebhookMessagesOf,
  eraseRecipientFromMessages,
  webhookClaimHolders,
  webhookGauges,
  webhookQueueStats,
  webhookRetention,
  webhookTexts,
} from './upkeep.ts';

const ENDPOINTS_AT_MOST = 20;
const TESTS_PER_MINUTE = 10;
const REPLAYS_PER_MINUTE = 60;
/** Without a limit, anyone signed in to the account could flood the owner's mailbox. */
const MAILS_A_DAY = 10;

type Key = queries.EndpointKey;
/** One of the caller's endpoints. */
type OwnKey = Key & Pick<UserCaller, 'person_id' | keyof Origin>;
type Body = z.output<typeof WebhookBody>;
type EndpointApp = Needs<'db' | 'config' | 'random' | 'vault' | 'wakeups'>;

/** The only response that contains the secret. */
export async function createWebhookEndpoint(
  app: EndpointApp,
  caller: UserCaller,
  body: Body,
): Promise<z.infer<typeof NewWebhook>> {
  const { account_id } = caller;
  const given = checkBody(app, body);
  const secret = given ?? generateSecret(app);
  const key = { id: app.random.uuid(), account_id };
  const endpoint = await app.db.transaction(async (tx) => {
    await queries.lockEndpointsOf(tx, account_id);
    if ((await queries.countEndpoints(tx, account_id)) >= ENDPOINTS_AT_MOST)
      throw new FieldErrors({ url: [`At most ${ENDPOINTS_AT_MOST} webhook endpoints are possible.`] });
    const made = await queries.insertEndpoint(tx, key, body, sealSecret(app, key.id, secret));
    const after = valuesOf(made);
    await record(tx, app, { ...byOwner(caller), action: 'webhook.create', subject: made.name, after });
    await announce(tx, app, { account_id, endpoint: made, isNew: true });
    return made;
  });
  app.wakeups.notify('notices');
  return { ...endpoint, secret };
}

const RECORDED = [
  'name',
  'url',
  'is_active',
  'send_on_sent',
  'send_on_delivered',
  'send_on_failed',
  'send_on_verified',
  'send_on_expired',
  'send_on_step',
] as const satisfies readonly (keyof Webhook)[];
type Recorded = Pick<Webhook, (typeof RECORDED)[number]>;

/** A URL's path and query may contain the receiver's secrets, so the audit log records only the origin. */
const recorded = (endpoint: Webhook): Recorded => ({ ...endpoint, url: `${new URL(endpoint.url).origin}/…` });
const valuesOf = (endpoint: Webhook) => {
  const shown = recorded(endpoint);
  return Object.fromEntries(RECORDED.map((field) => [field, shown[field]]));
};
function recordedChanges(before: Webhook, after: Webhook) {
  const [old, changed] = [recorded(before), recorded(after)];
  const isOtherPath = before.url !== after.url && old.url === changed.url;
  return changesBetween(
    old,
    isOtherPath ? { ...changed, url: `${changed.url} (another path)` } : changed,
    RECORDED,
  );
}

/**
 * Without a secret in the body, the current secret is kept. Any change but that of the name needs a proof of identity, because it
 * can redirect or stop the events.
 */
export async function updateWebhookEndpoint(
  app: EndpointApp,
  { key, caller, body }: { key: OwnKey; caller: UserCaller; body: Body },
): Promise<Webhook> {
  if (body.secret?.trim()) requireStepUp(caller);
  const secret = checkBody(app, body);
  const sealed = secret === undefined ? null : sealSecret(app, key.id, secret);
  const { endpoint, isMoved } = await app.db.transaction(async (tx) => {
    const before = await queries.lockShown(tx, key);
    const isMoved = before !== undefined && new URL(before.url).origin !== new URL(body.url).origin;
    const endpoint = before && (await queries.updateEndpoint(tx, key, body, sealed));
    if (!endpoint) throw new Failure('not_found');
    if (!endpoint.is_active) await dropQueue(tx, key.id);
    const changes = recordedChanges(before, endpoint);
    requireStepUpToChange(caller, changes);
    const own = { ...byOwner(key), subject: endpoint.name };
    if (changes) await record(tx, app, { ...own, action: 'webhook.change', ...changes });
    if (sealed !== null) await record(tx, app, { ...own, action: 'webhook.rotate_secret' });
    if (isMoved) await announce(tx, app, { account_id: key.account_id, endpoint, isNew: false });
    return { endpoint, isMoved };
  });
  if (isMoved) app.wakeups.notify('notices');
  return endpoint;
}

/** Mails the owner about a new receiver of the account's events. The mail omits the URL's path, which may contain a secret. */
async function announce(
  tx: Tx,
  app: EndpointApp,
  { account_id, endpoint, isNew }: { account_id: string; endpoint: Webhook; isNew: boolean },
): Promise<void> {
  const { used } = await queries.countUse(tx, account_id, 'mail');
  if (used > MAILS_A_DAY) return;
  await notifyAccount(tx, app, account_id, {
    kind: 'webhookTarget',
    name: endpoint.name,
    origin: new URL(endpoint.url).origin,
    isNew,
    webhooksUrl: pageUrl(app, '/webhooks'),
  });
}

/** Validates the body and returns its secret, if any. Throws field errors. */
function checkBody({ config }: Needs<'config'>, { url, secret }: Body): string | undefined {
  const given = secret?.trim() ? readSecret(secret) : { secret: undefined };
  const problems = {
    url: targetProblem(url, { allowPrivate: config.webhookAllowPrivate }),
    secret: 'problem' in given ? `The secret ${given.problem}.` : undefined,
  };
  const fields = Object.entries(problems).flatMap(([name, problem]) => (problem ? [[name, [problem]]] : []));
  if (fields.length > 0) throw new FieldErrors(Object.fromEntries(fields));
  return 'problem' in given ? undefined : given.secret;
}

export const deleteWebhookEndpoint = (app: Needs<'db' | 'random'>, key: OwnKey): Promise<void> =>
  app.db.transaction(async (tx) => {
    const before = await queries.lockShown(tx, key);
    if (!before || (await queries.deleteEndpoint(tx, key)) === 0) throw new Failure('not_found');
    await dropQueue(tx, key.id);
    await queries.deleteRates(tx, key.id);
    await record(tx, app, {
      ...byOwner(key),
      action: 'webhook.delete',
      subject: before.name,
      before: valuesOf(before),
    });
  });

/** For the deletion of an account. */
export async function deleteWebhookEndpointsOf(tx: Tx, account_id: string): Promise<void> {
  for (const { id } of await queries.endpointIdsOf(tx, account_id)) {
    await queries.deleteEndpoint(tx, { id, account_id });
    await dropQueue(tx, id);
    await queries.deleteRates(tx, id);
  }
}

/** The old secret also signs for 24 hours. The expiry of earlier secrets does not change. */
export const rotateSecret = (
  app: Needs<'db' | 'random' | 'vault' | 'clock'>,
  key: OwnKey,
): Promise<{ secret: string }> =>
  app.db.transaction(async (tx) => {
    const endpoint = await queries.lockEndpoint(tx, key);
    if (!endpoint) throw new Failure('not_found');
    const secret = generateSecret(app);
    await queries.replaceSecret(tx, key.id, {
      secret: sealSecret(app, key.id, secret),
      previous_secret: retireSecret(app, endpoint, endpoint.tomorrow),
      previous_secret_until: endpoint.tomorrow,
    });
    await record(tx, app, { ...byOwner(key), action: 'webhook.rotate_secret', subject: endpoint.name });
    return { secret };
  });

/** Delivers a `webhook.test` message immediately, in the same way as any other, even if the endpoint is inactive. */
export async function testWebhookEndpoint(
  app: DeliveryApp,
  key: Key,
): Promise<z.infer<typeof testWebhook.reply>> {
  const parcel = await app.db.transaction(async (tx): Promise<Parcel> => {
    const endpoint = await queries.lockEndpoint(tx, key);
    if (!endpoint) throw new Failure('not_found');
    await limit(tx, key.account_id, 'test', TESTS_PER_MINUTE);
    const message = {
      id: app.random.uuid(),
      endpoint_id: key.id,
      account_id: key.account_id,
      type: 'webhook.test',
    };
    const { body } = await queries.insertMessage(tx, { ...message, body: testMessage(app) });
    return { ...message, ...endpoint, otp_id: null, body };
  });
  const outcome = await sendOnce(app, parcel);
  await settleTest(app, parcel, outcome);
  const { succeeded, status, duration_ms, error } = outcome;
  return { success: succeeded, response_status: status, duration_ms, error };
}

/** Queues a message again under its own id, even if it was delivered. */
export async function replayMessage(
  app: Needs<'db' | 'wakeups'>,
  key: Key,
  message_id: string,
  /** runs in the same transaction */
  also?: (tx: Tx) => Promise<void>,
): Promise<{ message_id: string; status: 'queued' }> {
  await app.db.transaction(async (tx) => {
    const endpoint = await queries.lockEndpoint(tx, key);
    if (!endpoint || !(await queries.hasMessage(tx, key.id, message_id))) throw new Failure('not_found');
    if (!endpoint.is_active)
      throw new FieldErrors({ is_active: ['This webhook is inactive. Activate it first.'] });
    await limitReplays(tx, key.id);
    await queueAgain(tx, key.id, message_id);
    await also?.(tx);
  });
  app.wakeups.notify('webhooks');
  return { message_id, status: 'queued' };
}

/** Throws `too_many_requests`. */
export const limitReplays = (tx: Tx, endpoint_id: string): Promise<void> =>
  limit(tx, endpoint_id, 'replay', REPLAYS_PER_MINUTE);

async function limit(tx: Tx, subjectId: string, action: queries.Counted, most: number): Promise<void> {
  const { used, retry_after } = await queries.countUse(tx, subjectId, action);
  if (used > most) throw new Failure('too_many_requests', { retry_after });
}
