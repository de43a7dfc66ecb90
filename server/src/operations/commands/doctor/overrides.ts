import type { Config } from '../../../platform/config.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { newestChange } from '../../../settings/live-settings/live-settings.ts';
import { environmentText, LIVE_SETTING_NAMES } from '../../../settings/settings.ts';
import { type Finding, ok } from './finding.ts';

/** The settings that operators have changed, with the values of the environment. None for a database that was not migrated. */
export async function overrideFindings(db: Sql, config: Config): Promise<Finding[]> {
  try {
    const found: Finding[] = [];
    for (const name of LIVE_SETTING_NAMES) {
      const change = await newestChange(db, name);
      if (change === undefined || change.value === null) continue;
      const day = change.created_at.slice(0, 10);
      found.push(
        ok(
          'settings',
          `${name} is ${change.value}, as an operator set it on ${day}; the environment has ${environmentText(config, name)}.`,
        ),
      );
    }
    return found;
  } catch {
    return [];
  }
}
