import type { PlaceOf } from './addresses/places.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Db } from './db/sql.ts';
import type { Logger } from './log.ts';
import type { Random } from './security/random.ts';
import type { Vault } from './security/vault.ts';
import type { Wakeups } from './wakeups.ts';

/** The infrastructure that all modules use. It depends on no module; `app.ts` creates it and adds the modules. */
export interface Platform {
  config: Config;
  db: Db;
  clock: Clock;
  random: Random;
  log: Logger;
  vault: Vault;
  placeOf: PlaceOf;
  wakeups: Wakeups;
}

/** Declares the parts of the platform that a function uses: `app: Needs<'db' | 'clock'>`. */
export type Needs<K extends keyof Platform> = Pick<Platform, K>;
