import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type Finding, problem } from './finding.ts';

/** The server key as a start would find it; a doctor makes none. */
export function storedSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): {
  key?: string;
  finding?: Finding;
} {
  if (config.secretKey) return { key: config.secretKey };
  try {
    return { key: readFileSync(join(config.dataDir, 'secret-key'), 'utf8').trim() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    const says = `The server key in ${config.dataDir} cannot be read: ${(error as Error).message}`;
    return { finding: problem('secret key', says, 'Run as the user of the service.') };
  }
}
