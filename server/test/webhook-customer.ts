import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import {
  createWebhook,
  listWebhookAttempts,
  listWebhooks,
  type NewWebhook,
  type Webhook,
  type WebhookAttempt,
  type WebhookBody,
  type WebhookEvent,
} from '@sixdigit/contract/webhooks.ts';
import { expect } from 'vitest';
import type { z } from 'zod';
import { clientOf } from '../src/accounts/sessions/client.ts';
import { startSession } from '../src/accounts/sessions/sessions.ts';
import { readAccess, signAccess } from '../src/accounts/sessions/tokens.ts';
import { applyChanges } from '../src/otp/otp.ts';
import type { Customer, TestService } from './service.ts';

/** A customer with one finished verification, whose events endpoints can receive. */
export interface WebhookCustomer extends Customer {
  name: string;
  /** A bearer token that is valid at any shifted time. */
  readonly bearer: string;
  otp_id: string;
  recipient: string;
  code: string;
  addEndpoint(url: string, body?: Partial<z.input<typeof WebhookBody>>): Promise<z.infer<typeof NewWebhook>>;
  /** The endpoint as the list returns it. */
  endpoint(id: string): Promise<Webhook>;
  /** Newest first. */
  attempts(id: string): Promise<WebhookAttempt[]>;
  /** Publishes this many events of the verification to the endpoints. */
  publish(event: WebhookEvent, count?: number): Promise<void>;
}

export async function webhookCustomer(service: TestService, name: string): Promise<WebhookCustomer> {
  const { app } = service;
  const customer = await service.customer(name);
  const tokens = await app.db.transaction((tx) =>
    startSession(tx, app, customer.account_id, clientOf({ ip: '127.0.0.1', headers: {} })),
  );
  // A session that never needs another proof of identity.
  await app.db.run(`update sessions set proven_at = 'infinity' where account_id = $1`, [customer.account_id]);
  const recipient = `user-of-${name.toLowerCase()}@example.com`;
  const sent = await service.call(sendOtp, {
    apiKey: customer.api_key,
    body: { channel: 'email', recipient },
  });
  expect(sent.status).toBe(201);
  await service.deliver();
  const { account_id, api_key: apiKey } = customer;
  const { otp_id } = sent.body;
  const [mail] = await service.inbox(recipient);
  await service.call(verifyOtp, { apiKey, body: { otp_id, code: mail?.code ?? '' } });

  const made: WebhookCustomer = {
    ...customer,
    name,
    otp_id,
    recipient,
    code: mail?.code ?? '',
    get bearer() {
      const session_id = readAccess(app, tokens.access)?.session_id ?? '';
      const expires_at = new Date(app.clock.now().getTime() + 60_000);
      return signAccess(app, { session_id, person_id: account_id, expires_at });
    },
    async addEndpoint(url, body = {}) {
      const created = await service.call(createWebhook, {
        bearer: made.bearer,
        body: { name: 'Hook', url, ...body },
      });
      expect(created).toMatchObject({ status: 201 });
      return created.body;
    },
    async endpoint(id) {
      const { body } = await service.call(listWebhooks, {
        bearer: made.bearer,
        query: { page_size: 100 },
      });
      return body.results.find((one) => one.id === id) as Webhook;
    },
    async attempts(id) {
      const { body } = await service.call(listWebhookAttempts, {
        bearer: made.bearer,
        params: { id },
        query: { page_size: 100 },
      });
      return body.results;
    },
    async publish(event, count = 1) {
      for (let n = 0; n < count; n++) {
        const changed = await app.db.transaction((tx) =>
          applyChanges(tx, [{ account_id, id: otp_id, allowed: ['verified'], event }]),
        );
        expect(changed).toHaveLength(1);
      }
      app.wakeups.notify('webhooks');
    },
  };
  return made;
}
