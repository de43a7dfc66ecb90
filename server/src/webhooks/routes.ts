import type { Parsed } from '@sixdigit/contract/route.ts';
import {
  createWebhook,
  deleteWebhook,
  exportWebhookAttempts,
  getWebhookAttempt,
  getWebhookQueue,
  listWebhookAttempts,
  listWebhookMessages,
  listWebhooks,
  replayFailedWebhooks,
  replayWebhookMessage,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type WebhookAttempt,
} from '@sixdigit/contract/webhooks.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import type { Reader } from '../platform/db/page.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { Failure } from '../platform/http/failure.ts';
import { type Origin, type Server, serve, type UserCaller } from '../platform/http/serve.ts';
import { isUuid } from '../platform/security/random.ts';
import { attemptOf } from './attempt-request.ts';
import type { DeliveryApp } from './delivery.ts';
import { attemptsOf, listEndpoints, selectAttemptPart } from './list.ts';
import { messagesOf } from './messages.ts';
import { type EndpointKey, findEndpoint } from './queries.ts';
import { countWaiting, replayFailed } from './replay-failed.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  replayMessage,
  rotateSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from './webhooks.ts';

export function webhookRoutes(server: Server, app: DeliveryApp): void {
  serve(server, listWebhooks, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => listEndpoints(db, caller, query)),
  );
  serve(server, createWebhook, ({ caller, body }) => createWebhookEndpoint(app, caller, body));
  serve(server, updateWebhook, ({ caller, params, body }) =>
    updateWebhookEndpoint(app, { key: keyOf(caller, params.id), caller, body }),
  );
  serve(server, deleteWebhook, async ({ caller, params }) => {
    await deleteWebhookEndpoint(app, keyOf(caller, params.id));
    return undefined;
  });
  serve(server, testWebhook, ({ caller, params }) => testWebhookEndpoint(app, keyOf(caller, params.id)));
  serve(server, listWebhookAttempts, ({ caller, params, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      attemptsOf(db, keyOf(caller, params.id), query, caller),
    ),
  );
  serve(server, listWebhookMessages, ({ caller, params, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      messagesOf(db, keyOf(caller, params.id), { ...query, reader: caller }),
    ),
  );
  serve(server, getWebhookAttempt, ({ caller, params }) =>
    attemptOf(app.db, keyOf(caller, params.id), params.attempt_id),
  );
  serve(server, replayFailedWebhooks, ({ caller, params, body }) =>
    replayFailed(app, keyOf(caller, params.id), body.since),
  );
  serve(server, getWebhookQueue, async ({ caller, params }) => {
    const key = keyOf(caller, params.id);
    if (!(await findEndpoint(app.db, key))) throw new Failure('not_found');
    return { waiting: await countWaiting(app.db, key.id) };
  });
  serve(server, exportWebhookAttempts, async ({ params, query, ...call }) => {
    const key = keyOf(call.caller, params.id);
    if (!(await findEndpoint(app.db, key))) throw new Failure('not_found');
    return exportCsv(app, { server, ...call }, attemptExport(key, { ...query, reader: call.caller }));
  });
  serve(server, replayWebhookMessage, ({ caller, params }) => {
    if (!isUuid(params.message_id)) throw new Failure('not_found');
    return replayMessage(app, keyOf(caller, params.id), params.message_id.toLowerCase());
  });
  serve(server, rotateWebhookSecret, ({ caller, params }) => rotateSecret(app, keyOf(caller, params.id)));
}

/** Treats a malformed id like an unknown one. */
function keyOf({ account_id, ip_address, user_agent }: UserCaller, id: string): EndpointKey & Origin {
  if (!isUuid(id)) throw new Failure('not_found');
  return { id: id.toLowerCase(), account_id, ip_address, user_agent };
}

/** The attempts of an endpoint as CSV. */
const attemptExport = (
  endpoint: EndpointKey,
  query: Parsed<typeof exportWebhookAttempts, 'query'> & { reader: Reader },
): Exported<WebhookAttempt> => ({
  name: 'webhook-attempts',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'attempted_at', cell: (row) => row.attempted_at },
    { header: 'message_id', cell: (row) => row.message_id },
    { header: 'event_type', cell: (row) => row.event_type },
    { header: 'otp_id', cell: (row) => row.otp_id },
    { header: 'attempt', cell: (row) => row.attempt },
    { header: 'succeeded', cell: (row) => row.succeeded },
    { header: 'response_status', cell: (row) => row.response_status },
    { header: 'duration_ms', cell: (row) => row.duration_ms },
    { header: 'error', cell: (row) => row.error },
    { header: 'next_attempt_at', cell: (row) => row.next_attempt_at },
    { header: 'delivered', cell: (row) => row.delivered },
    { header: 'response_excerpt', cell: (row) => row.response_excerpt },
  ],
  part: (tx, below) => selectAttemptPart(tx, endpoint, query, { below, most: PART_ROWS }),
});
