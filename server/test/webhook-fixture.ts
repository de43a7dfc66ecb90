import { testWebhook, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import { Webhook as Verifier } from 'standardwebhooks';
import { type ReceivedRequest, type Receiver, startReceiver } from './fakes/receiver.ts';
import type { TestService } from './service.ts';
import { type WebhookCustomer, webhookCustomer } from './webhook-customer.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A service, a receiver of its webhooks, and Alice, who owns the endpoints. */
export interface WebhookFixture extends AsyncDisposable {
  service: TestService;
  receiver: Receiver;
  alice: WebhookCustomer;
  /** Sends a test message to one of Alice's endpoints. */
  press(id: string): ReturnType<typeof callTest>;
  /** Changes one of Alice's endpoints and keeps the other fields. */
  change(id: string, over: object): ReturnType<typeof callUpdate>;
}

const TABLES = [
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_messages',
  'webhook_endpoints',
  'workers',
] as const;
let alices = 0;

/**
 * Another Alice with a separate receiver on the same service, because a service for each test would cost more than most tests.
 * Disposal removes all endpoints and messages.
 */
export async function webhookFixture(service: TestService): Promise<WebhookFixture> {
  const receiver = await startReceiver();
  alices += 1;
  const alice = await webhookCustomer(service, `Alice${alices}`);
  return {
    service,
    receiver,
    alice,
    press: (id) => callTest(service, alice, id),
    change: (id, over) => callUpdate(service, alice, id, over),
    async [Symbol.asyncDispose]() {
      await receiver.close();
      await service.app.db.transaction(async (tx) => {
        for (const table of TABLES) await tx.run(`delete from ${table}`);
      });
    },
  };
}

const callTest = (service: TestService, { bearer }: WebhookCustomer, id: string) =>
  service.call(testWebhook, { bearer, params: { id } });

async function callUpdate(service: TestService, customer: WebhookCustomer, id: string, over: object) {
  const { name, url, is_active } = await customer.endpoint(id);
  const body = { name, url, is_active, ...over };
  return (await service.call(updateWebhook, { bearer: customer.bearer, params: { id }, body })).body;
}

/** The body of a received message, verified by the Standard Webhooks library. Throws if the signature is wrong. */
export const verifyMessage = (secret: string, request: ReceivedRequest | undefined, format?: 'raw') =>
  new Verifier(secret, format ? { format } : undefined).verify(request?.body ?? '', request?.headers ?? {});
