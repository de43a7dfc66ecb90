import { z } from 'zod';

/** What lets a phone fill in the code of an SMS. */

/** The hash by which Android's SMS Retriever finds the app: at the end of the text. */
export const appHash = z.string().regex(/^[A-Za-z0-9+/]{11}$/, 'App hash must have 11 characters.');

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** The host of an origin-bound code: browsers offer the code on its pages only. Its line is the last one of the text. */
export const codeDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, 'Domain must be a host, such as example.com.')
  .regex(new RegExp(`^(?:${LABEL}\\.)+(?=[a-z])${LABEL}$`), 'Domain must be a host, such as example.com.');

/** The text with its last line. Text after the code is ignored by browsers, and Android reads the end. */
export function withAutofill(text: string, { app_hash, domain }: Autofill): string {
  const line = [domain && `@${domain} #{code}`, app_hash].filter(Boolean).join(' ');
  return line === '' ? text : `${text}\n\n${line}`;
}

interface Autofill {
  app_hash?: string | undefined;
  domain?: string | undefined;
}
