import type { Config } from '../config.ts';
import type { Clock } from './clock.ts';
import type { Db } from './db/sql.ts';
import type { Logger } from './log.ts';
import type { Random } from './random.ts';
import type { Vault } from './vault.ts';
import type { Wakeups } from './wakeups.ts';

/** What everything stands on. It knows no module; `app.ts` makes it and joins the modules to it. */
export interface Platform {
  config: Config;
  db: Db;
  clock: Clock;
  random: Random;
  log: Logger;
  vault: Vault;
  wakeups: Wakeups;
}

/** A signature that tells what a function uses: `app: Needs<'db' | 'clock'>`. */
export type Needs<K extends keyof Platform> = Pick<Platform, K>;
