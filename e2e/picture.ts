import type { Page } from 'playwright-core';
import type { Tokens } from './demo.ts';

/** One state of one screen, as a picture shows it. */
export interface Picture {
  name: string;
  path: string;
  /** default: a visitor */
  as?: Tokens;
  /** an API call that fails */
  failing?: string;
  /** an API call that never gets a response */
  waiting?: string;
  /** only the window instead of the whole page */
  isCut?: boolean;
  /** the steps before the picture is taken */
  act?: (page: Page) => Promise<void>;
}
