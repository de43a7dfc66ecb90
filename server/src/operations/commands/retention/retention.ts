import { confirmDays, shrunkSettings, shrunkText } from '../../../platform/db/kept-days.ts';
import type { Needs } from '../../../platform/platform.ts';

/** `npm start -- retention [confirm]`: shows the retention settings that wait for a confirmation, or confirms them. */
export async function retentionCommand(
  { db, config }: Needs<'db' | 'config'>,
  [action, ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  if (rest.length > 0 || (action !== undefined && action !== 'confirm')) {
    print('Usage: npm start -- retention [confirm]');
    return 2;
  }
  if (action === 'confirm') {
    const confirmed = await db.transaction((tx) => confirmDays(tx, config));
    for (const { name, days, kept_days } of confirmed)
      print(
        `${name}: confirmed ${days} days instead of ${kept_days}. The workers delete older data within ten minutes.`,
      );
    if (confirmed.length === 0) print('No retention setting waits for a confirmation.');
    return 0;
  }
  const shrunk = await shrunkSettings(db, config);
  for (const one of shrunk) print(shrunkText(one));
  print(
    shrunk.length === 0
      ? 'No retention setting waits for a confirmation.'
      : 'To confirm: npm start -- retention confirm',
  );
  return 0;
}
