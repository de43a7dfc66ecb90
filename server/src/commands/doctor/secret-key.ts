import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../platform/config.ts';
import { type Finding, problem } from './finding.ts';

/** The stored or configured server key. Unlike a start, the doctor does not create one. */
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
