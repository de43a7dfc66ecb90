import type { Config } from '../../../platform/config.ts';
import type { Vault } from '../../../platform/security/vault.ts';

/** The dependencies of a check. */
export interface DoctorContext {
  config: Config;
  /** undefined if the server key is missing */
  vault: Vault | undefined;
  clock: { now(): Date };
}
