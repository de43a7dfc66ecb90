import { expect } from 'vitest';
import type { z } from 'zod';
import { sendOtp } from '#contract/otp.ts';
import {
  createWebhook,
  listWebhookAttempts,
  listWebhooks,
  type NewWebhook,
  type Webhook,
  type WebhookAttempt,
  type WebhookBody,
  type WebhookEvent,
} from '#contract/webhooks.ts';
import { authenticatePerson } from '../src/accounts/access.ts';
import { startSession } from '../src/accounts/sessions.ts';
import { applyChanges } from '../src/otp/change.ts';
import type { Customer, TestService } from './service.ts';

/** A signed-in customer with one verification, of which endpoints can be told. */
export interface WebhookCustomer extends Customer {
  bearer: string;
  otp_id: string;
  addEndpoint(url: string, body?: Partial<z.input<typeof WebhookBody>>): Promise<z.infer<typeof NewWebhook>>;
  /** As the list shows it. */
  endpoint(id: string): Promise<Webhook>;
  /** Newest first. */
  attempts(id: string): Promise<WebhookAttempt[]>;
  /** Says so many things of the verification to the endpoints there are, as changes of status do. */
  publish(event: WebhookEvent, count?: number): Promise<void>;
}

export async function webhookCustomer(service: TestService, name: string): Promise<WebhookCustomer> {
  const { app } = service;
  const customer = await service.customer(name);
  service.server.authenticators.bearer = authenticatePerson(app);
  const { access: bearer } = await startSession(app.db, app, customer.account_id, {
    ip_address: '127.0.0.1',
    user_agent: null,
    network: '127.0.0.1',
  });
  const sent = await service.call(sendOtp, {
    apiKey: customer.api_key,
    body: { channel: 'email', recipient: `user-of-${name.toLowerCase()}@example.com` },
  });
  expect(sent.status).toBe(201);
  await service.drain();
  const { account_id } = customer;
  const { otp_id } = sent.body;

  return {
    ...customer,
    bearer,
    otp_id,
    async addEndpoint(url, body = {}) {
      const made = await service.call(createWebhook, { bearer, body: { name: 'Hook', url, ...body } });
      expect(made).toMatchObject({ status: 201 });
      return made.body;
    },
    async endpoint(id) {
      const { body } = await service.call(listWebhooks, { bearer, query: { page_size: 100 } });
      return body.results.find((one) => one.id === id) as Webhook;
    },
    async attempts(id) {
      const { body } = await service.call(listWebhookAttempts, {
        bearer,
        params: { id },
        query: { page_size: 100 },
      });
      return body.results;
    },
    async publish(event, count = 1) {
      for (let n = 0; n < count; n++) {
        const changed = await applyChanges(app.db, [
          { account_id, id: otp_id, allowed: ['sent', 'verified', 'failed', 'expired'], event },
        ]);
        expect(changed).toHaveLength(1);
      }
      app.pulse.ring('webhooks');
    },
  };
}
