import type { Config } from '../../config.ts';
import type { Vault } from '../../platform/vault.ts';

/** What every check of the doctor may use. */
export interface DoctorContext {
  config: Config;
  /** undefined if the server key is missing */
  vault: Vault | undefined;
  clock: { now(): Date };
}
