import { countPeopleWith } from '../../../accounts/accounts.ts';
import { eraseRecipient, formsOf } from '../../../deletion/deletion.ts';
import type { Needs } from '../../../platform/platform.ts';

/** `npm start -- erase <phone number or e-mail address>`: prints the result. Returns the exit code. */
export async function eraseCommand(
  app: Needs<'db' | 'config' | 'clock' | 'vault'>,
  [text, ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const forms = text === undefined || rest.length > 0 ? undefined : formsOf(app, text);
  if (!forms || text === undefined) {
    print('Name one recipient: npm start -- erase +14155552671, or erase someone@example.com');
    return 2;
  }
  const erased = await eraseRecipient(app, text);
  print(`Erased ${forms.recipient}:`);
  for (const [what, count] of Object.entries(erased)) print(`  ${what.replaceAll('_', ' ')}: ${count}`);
  print(
    'The ledger still contains credits spent and refunded; an opt-out or a suppression remains as a hash.',
  );
  if ((await countPeopleWith(app.db, forms.recipient)) > 0)
    print(
      'An account of this service has this address: its owner deletes it under Settings, Delete account, or an operator erases it on its screen of the console.',
    );
  return 0;
}
