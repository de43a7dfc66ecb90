import { parseArgs } from 'node:util';
import { startFakeStripe } from './stripe.ts';

// node server/test/fakes/stripe/serve.ts --port 12111 --webhook-url http://127.0.0.1:8000/api/v1/payments/stripe-webhook/
const { values } = parseArgs({
  options: { port: { type: 'string', default: '12111' }, 'webhook-url': { type: 'string' } },
});
const fake = await startFakeStripe({ port: Number(values.port) });
const url = values['webhook-url'];
if (url !== undefined) fake.webhooks.endpoints.push({ url, secret: fake.webhookSecret });
const lines = {
  STRIPE_API_URL: fake.url,
  STRIPE_SECRET_KEY: fake.secretKey,
  STRIPE_PUBLISHABLE_KEY: fake.publishableKey,
  STRIPE_WEBHOOK_SECRET: fake.webhookSecret,
};
for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}=${value}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
