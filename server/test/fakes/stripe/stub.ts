import { readFileSync } from 'node:fs';

/**
 * The stand-in for the script of https://js.stripe.com: it defines `window.Stripe`. Loaded from there, it calls
 * https://api.stripe.com, so a browser test routes both hosts to the fake; loaded from the fake, it calls the fake.
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

/** Playwright's page or context, as far as it is needed here. */
interface Routable {
  route(url: string, handler: (route: never) => Promise<void>): Promise<unknown>;
}

/** Lets a page that believes in the real Stripe talk to the fake at `url`. */
export async function routeStripe(page: Routable, url: string): Promise<void> {
  await page.route('https://js.stripe.com/**', (route: InterceptedRoute) =>
    route.fulfill({ contentType: 'text/javascript', body: stripeScript() }),
  );
  await page.route('https://api.stripe.com/**', async (route: InterceptedRoute) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: `${url}${pathname}${search}` }) });
  });
}
