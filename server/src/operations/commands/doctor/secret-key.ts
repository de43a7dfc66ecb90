import type { Config } from '../../../platform/config.ts';
import { fileProblem } from '../../../platform/file-problem.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { readKeyFile } from '../../../platform/security/secret-key.ts';
import { type Finding, problem } from './finding.ts';

/** The stored or configured server key. Unlike a start, the doctor does not create one. */
export function storedSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): {
  key?: string;
  finding?: Finding;
} {
  if (config.secretKey) return { key: config.secretKey };
  try {
    const key = readKeyFile(config.dataDir);
    return key ? { key } : {};
  } catch (error) {
    const says = error instanceof Refusal ? error.message : fileProblem(error, config.dataDir);
    return {
      finding: problem(
        'secret key',
        says ?? `The server key in ${config.dataDir} cannot be read: ${(error as Error).message}`,
        'Run as the user of the service.',
      ),
    };
  }
}
