import { createIntent } from '@sixdigit/contract/payments.ts';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import type { Given, Route } from '@sixdigit/contract/route.ts';
import { quote } from '../src/payments/pricing.ts';
import type { Answer, CallInput } from './call.ts';
import { type FakeStripe, startFakeStripe } from './fakes/stripe/stripe.ts';
import { type Customer, type TestService, testService } from './service.ts';
import { signedIn } from './signed-in.ts';

export interface Shop extends AsyncDisposable {
  service: TestService;
  /** A call by a signed-in person. */
  as<R extends Route>(buyer: Customer, route: R, input?: CallInput<R>): Promise<Answer<R>>;
  /** Creates an intent for this many credits at the right price. */
  intent(
    buyer: Customer,
    credits: number,
    more?: Partial<Given<typeof createIntent, 'body'>>,
  ): Promise<string>;
  /** Credits and debt; throws unless the ledger's sum is their difference. */
  balance(of: Customer): Promise<{ credits: number; debt: number }>;
  /** Spends this many credits. */
  spend(buyer: Customer, credits: number): Promise<void>;
  /** Subjects of the mails so far, oldest first. */
  subjects(of: Customer): Promise<(string | null)[]>;
}

export interface ShopState {
  orders: number;
  charges: number;
  intents: number;
  balance: Awaited<ReturnType<Shop['balance']>>;
}

export interface StripeShop extends Shop {
  stripe: FakeStripe;
  /** Delivers Stripe's events and drains every job. */
  settle(): Promise<void>;
  /** Pays with a new card, saves it, and drains until the credits arrive. Returns the intent. */
  buy(buyer: Customer, credits: number, card?: string): Promise<string>;
  /** Id of the newest saved card. */
  card(buyer: Customer): Promise<string>;
  /** The values that a refused purchase must not change. */
  state(buyer: Customer): Promise<ShopState>;
}

/** The body of a purchase at the right price. */
export const priced = (credits: number) => ({
  credits,
  price_usd_cents: quote(DEFAULT_PRICES, credits).price_usd_cents,
});

/** Credits and debt of an account; throws unless its ledger's sum is their difference. */
export async function auditedBalance(
  { app }: TestService,
  { account_id }: Customer,
): Promise<{ credits: number; debt: number }> {
  const { credits, debt, ledger } = await app.db.one<{ credits: number; debt: number; ledger: number }>(
    `select b.credits, b.debt,
       (select coalesce(sum(l.credits), 0) from ledger l where l.account_id = b.account_id) as ledger
     from balances b where b.account_id = $1`,
    [account_id],
  );
  if (ledger !== credits - debt) throw new Error(`The ledger sums to ${ledger}, not ${credits} - ${debt}`);
  return { credits, debt };
}

export const intentIdOf = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';

/** The service with its own test cards. */
export const sandboxShop = async (env: Record<string, string> = {}): Promise<Shop> =>
  shopOf(await testService({ env }));

/** The service with a fake Stripe that speaks the real protocol and sends webhooks over the network. */
export async function stripeShop(env: Record<string, string> = {}): Promise<StripeShop> {
  let now = () => new Date();
  const stripe = await startFakeStripe({ now: () => now(), retryDelaysMs: [60_000, 60_000] });
  const service = await testService({
    env: {
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
      ...env,
    },
  });
  now = () => service.app.clock.now();
  const url = `${await service.listen()}/api/v1/payments/stripe-webhook/`;
  stripe.webhooks.endpoints.push({ url, secret: stripe.webhookSecret });
  const shop = shopOf(service);
  const settle = async () => {
    await stripe.webhooks.drain();
    await service.drain();
  };
  return {
    ...shop,
    stripe,
    settle,
    async buy(buyer, credits, card = '4242424242424242') {
      const secret = await shop.intent(buyer, credits, { save_payment_method: true });
      const { paymentIntent } = await stripe.browser.confirmPayment(secret, card);
      if (paymentIntent?.status === 'requires_action') await stripe.browser.authenticate(secret, 'complete');
      await settle();
      return intentIdOf(secret);
    },
    async card({ account_id }) {
      const { customer_id } = await service.app.db.one<{ customer_id: string }>(
        'select customer_id from payment_customers where account_id = $1',
        [account_id],
      );
      const own = [...stripe.account.paymentMethods.values()].filter((one) => one.customer === customer_id);
      return own.at(-1)?.id ?? 'no card';
    },
    state: async (buyer) => ({
      orders: (await service.app.db.one<{ n: number }>('select count(*) as n from orders')).n,
      charges: stripe.account.charges.size,
      intents: stripe.account.paymentIntents.size,
      balance: await shop.balance(buyer),
    }),
    async [Symbol.asyncDispose]() {
      await stripe.close();
      // An event in flight must not block closing the server.
      service.server.server.closeAllConnections();
      await shop[Symbol.asyncDispose]();
    },
  };
}

function shopOf(service: TestService): Shop {
  const as: Shop['as'] = async (buyer, route, input = {}) =>
    service.call(route, { ...input, bearer: await signedIn(service, buyer) } as never);
  return {
    service,
    as,
    async intent(buyer, credits, more = {}) {
      const { body, status } = await as(buyer, createIntent, { body: { ...priced(credits), ...more } });
      if (status !== 200) throw new Error(`No intent: ${JSON.stringify(body)}`);
      return body.client_secret ?? '';
    },
    balance: (of) => auditedBalance(service, of),
    spend: ({ account_id }, credits) =>
      service.app.db.transaction(async (tx) => {
        const id = service.app.random.uuid();
        await tx.run('update balances set credits = credits - $2 where account_id = $1', [
          account_id,
          credits,
        ]);
        await tx.run(
          `insert into ledger (account_id, id, kind, credits, description, created_at)
           values ($1, $2, 'usage', $3, 'SMS verification', clock_now())`,
          [account_id, id, -credits],
        );
      }),
    async subjects({ email }) {
      await service.drain();
      return (await service.inbox(email)).map(({ subject }) => subject).reverse();
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
