import { deployment } from '../api/deployment.ts';

/** For a route's `head`: `head: titled('Webhooks')`. */
export const titled = (title: string) => () => ({
  meta: [{ title: `${title} · ${deployment().brand_name}` }],
});
