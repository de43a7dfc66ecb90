/**
 * Erases an account with its data, or a recipient from all accounts for a privacy request to the operator. The facts that messages
 * were sent, their cost and the opt-out (as a keyed hash) remain. Messages that wait for dispatch are canceled.
 */
import { keptDays } from '../platform/db/kept-days.ts';
import type { Needs } from '../platform/platform.ts';
import { formsOf } from './spellings.ts';
import { type Erased, NOTHING_ERASED, stepsOf, sumOf } from './steps.ts';

export { deletionJobs, deletionRoutes, eraseAccount } from './delete-account.ts';
export { formsOf, redactText } from './spellings.ts';
export { type Erased, NOTHING_ERASED, stepsOf, sumOf } from './steps.ts';

type App = Needs<'db' | 'config' | 'clock' | 'vault'>;

/** Erases a recipient from all accounts. Throws if the text is neither a phone number nor an e-mail address. */
export async function eraseRecipient(app: App, text: string): Promise<Erased> {
  const forms = formsOf(app, text);
  if (!forms) throw new Error(`"${text}" is neither a phone number nor an e-mail address.`);
  let erased: Partial<Erased> = NOTHING_ERASED;
  const { retentionDays } = await keptDays(app.db, app.config);
  for (const step of stepsOf(app.clock.now(), retentionDays))
    erased = sumOf(erased, await step(app.db, forms));
  return { ...NOTHING_ERASED, ...erased };
}
