import type { SignedMessage } from '@sixdigit/contract/events.ts';
import type { eventTypes } from '@sixdigit/contract/webhooks.ts';
import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { signedHeaders } from '../platform/signing/standard-webhooks.ts';
import { requestHeaders } from './delivery.ts';
import { openSecrets } from './message.ts';

/** The messages to one account's endpoints since a time, about verifications of its keys of a mode. */
interface WantedMessages {
  account_id: string;
  is_test: boolean;
  /** the smallest id */
  from_id: string;
}

interface NewMessage {
  of: number;
  id: string;
  type: (typeof eventTypes)[number];
  body: string;
  endpoint_id: string;
  name: string;
  secret: Buffer;
  previous_secret: Buffer | null;
}

/** Messages that are not known yet, signed now as a delivery would be; see `selectNewRequests`. */
export async function newMessages(
  app: Needs<'vault' | 'clock' | 'log'>,
  sql: Sql,
  wanted: readonly WantedMessages[],
  among: { known: readonly string[]; most: number },
): Promise<{ of: number; row: SignedMessage }[]> {
  const at = app.clock.now();
  const found = await selectNewMessages(sql, wanted, among);
  return found.flatMap(({ of, id, type, body, name, ...endpoint }) => {
    try {
      const headers = requestHeaders(signedHeaders({ id, at, body }, openSecrets(app, endpoint)));
      return [{ of, row: { id, webhook: { id: endpoint.endpoint_id, name }, type, headers, body } }];
    } catch (err) {
      app.log.error({ err, endpoint_id: endpoint.endpoint_id }, 'webhook secret cannot be opened');
      return [];
    }
  });
}

const selectNewMessages = (
  sql: Sql,
  wanted: readonly WantedMessages[],
  { known, most }: { known: readonly string[]; most: number },
): Promise<NewMessage[]> =>
  sql.rows<NewMessage>(
    `select w.of, m.*
     from json_to_recordset($1) as w (of integer, account_id uuid, is_test boolean, from_id uuid)
     cross join lateral (
       select m.id, m.type, m.body::text as body, e.id as endpoint_id, e.name, e.secret,
         case when e.previous_secret_until > clock_now() then e.previous_secret end as previous_secret
       from webhook_endpoints e
       join webhook_messages m on m.endpoint_id = e.id and m.id >= w.from_id and m.id <> all ($2::uuid[])
       where e.account_id = w.account_id
         and (m.type = 'webhook.test' or (m.body #> '{data,test}' is not distinct from 'true') = w.is_test)
       order by m.id limit $3
     ) m
     order by w.of, m.id`,
    [JSON.stringify(wanted.map((one, of) => ({ of, ...one }))), known, most],
  );
