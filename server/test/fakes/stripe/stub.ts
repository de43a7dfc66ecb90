import { readFileSync } from 'node:fs';

/** A replacement for the script of https://js.stripe.com. */
const script = readFileSync(new URL('stripe-js.js', import.meta.url), 'utf8');

interface InterceptedRoute {
  request(): { url(): string };
  fetch(options: { url: string }): Promise<unknown>;
  fulfill(options: { response?: unknown; contentType?: string; body?: string }): Promise<void>;
}

/** The part of Playwright's page or context that this file needs. */
interface Routable {
  route(url: string, handler: (route: never) => Promise<void>): Promise<unknown>;
}

/** Routes a page's requests to Stripe to the fake at `url`. */
export async function routeStripe(page: Routable, url: string): Promise<void> {
  await page.route('https://js.stripe.com/**', (route: InterceptedRoute) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.route('https://api.stripe.com/**', async (route: InterceptedRoute) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: `${url}${pathname}${search}` }) });
  });
}
