import type { Locator, Page } from 'playwright-core';
import { type FakeStripe, startFakeStripe } from '../../server/test/fakes/stripe/stripe.ts';
import { routeStripe } from '../../server/test/fakes/stripe/stub.ts';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, type Tab, type TabOptions } from './browser.ts';

export const GOOD = '4242424242424242';
export const DECLINED = '4000000000000002';
export const ASKS = '4000002500003155';

/** The Credits screen on one stage, with its card provider. */
export interface Till {
  stage: Stage;
  open(as: Person, options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

export async function openSandboxTill(): Promise<Till> {
  const stage = await openStage();
  return {
    stage,
    open: (as, options) => stage.tab({ as, path: '/credits', ...options }),
    close: () => stage.close(),
  };
}

export async function openStripeTill(
  env: Record<string, string> = {},
): Promise<Till & { stripe: FakeStripe }> {
  const stripe = await startFakeStripe();
  const stage = await openStage({
    env: {
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
      ...env,
    },
  });
  const url = `${stage.url}/api/v1/payments/stripe-webhook/`;
  stripe.webhooks.endpoints.push({ url, secret: stripe.webhookSecret });
  return {
    stage,
    stripe,
    async open(as, options) {
      const tab = await stage.tab({ as, path: '/credits', ...options });
      await routeStripe(tab.context as never, stripe.url);
      // Only this screen may contact these hosts.
      tab.expectError(/^asked another host: https:\/\/(js|api)\.stripe\.com$/);
      return tab;
    },
    async close() {
      await stage.close();
      await stripe.close();
    },
  };
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
/** Stripe's own page and the sandbox's dialog differ in case. */
export const answerBank = (page: Page, answer: 'Complete' | 'Fail'): Promise<void> =>
  page.getByRole('button', { name: new RegExp(`^${answer} authentication$`, 'i') }).click();
export const bundle = (page: Page, credits: string): Locator =>
  page.getByRole('article', { name: `${credits} credits` }).getByRole('button', { name: 'Purchase Bundle' });
export const savedCard = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Saved cards' }).getByRole('button', { name: new RegExp(`^${name}`) });
export const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor();
export const balanceIs = (page: Page, credits: string): Promise<void> =>
  page.getByRole('region', { name: 'Current Balance' }).getByText(credits, { exact: true }).waitFor();

async function enter(page: Page, card: string): Promise<void> {
  await page.getByLabel('Card number').fill(card);
  await page.getByLabel('Expiration date').fill('1234');
  await page.getByLabel('Security code').fill('123');
}

export async function pay(page: Page, card: string): Promise<void> {
  await enter(page, card);
  await button(page, 'Complete Payment').click();
}

export async function buyWithNewCard(page: Page, credits: string, card: string): Promise<void> {
  await bundle(page, credits).click();
  await pay(page, card);
}
