import { deployment } from '../api/deployment.ts';
import type { Page } from '../pages.ts';

/** For a route's `head`: `head: titled(pages.webhooks)`. */
export const titled =
  ({ title }: Pick<Page, 'title'>) =>
  () => ({ meta: [{ title: `${title} · ${deployment().brand_name}` }] });
