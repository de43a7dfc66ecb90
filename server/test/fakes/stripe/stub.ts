import { readFileSync } from 'node:fs';

/**
 * A replacement for the script of https://js.stripe.com that defines `window.Stripe`. Loaded from there, it calls
 * https://api.stripe.com, so a browser test routes both hosts to the fake. Loaded from the fake, it calls the fake.
 */
export function stripeScript(): string {
  const part = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
  const modules = part('stripe-js-form.js') + part('stripe-js-stub.js');
  return `(() => {\n'use strict';\n${modules.replaceAll(/^(export |import .*$)/gm, '')}\n})();\n`;
}

export const isScriptPath = (path: string) =>
  path === '/v3' || path === '/v3/' || /^\/[a-z0-9]+\/stripe\.js$/.test(path);

interface InterceptedRoute {
  request(): { url(): string };
  fetch(options: { url: string }): Promise<unknown>;
  fulfill(options: {
    response?: unknown;
    status?: number;
    contentType?: string;
    body?: string;
  }): Promise<void>;
}

/** The part of Playwright's page or context that this file needs. */
interface Routable {
  route(url: string, handler: (route: never) => Promise<void>): Promise<unknown>;
}

/** Routes a page's requests to Stripe to the fake at `url`. */
export async function routeStripe(page: Routable, url: string): Promise<void> {
  await page.route('https://js.stripe.com/**', (route: InterceptedRoute) =>
    route.fulfill({ contentType: 'text/javascript', body: stripeScript() }),
  );
  await page.route('https://api.stripe.com/**', async (route: InterceptedRoute) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: `${url}${pathname}${search}` }) });
  });
}
