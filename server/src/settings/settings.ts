import type { Config } from '../platform/config.ts';
import { configOf } from './config-of.ts';
import { type Env, gather, readEach, secretsOf } from './environment.ts';
import { ruleProblems } from './rules.ts';

export {
  environmentText,
  isLiveSetting,
  LIVE_SETTING_NAMES,
  type LiveSettingName,
  parseSetting,
  withOverrides,
} from './environment.ts';
export { SETTING_NAMES } from './schema.ts';

/** Reports all problems, one sentence per line. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : 'problems'}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    );
    this.name = 'ConfigProblems';
    this.problems = problems;
  }
}

/** Reads all settings. Throws `ConfigProblems` with all problems at once. */
export function readConfig(env: Env): Config {
  const { config, problems } = examineConfig(env);
  if (problems.length > 0) throw new ConfigProblems(problems);
  return config;
}

export interface Examined {
  /** Treats invalid settings as missing. Related settings may be incomplete. */
  config: Config;
  problems: string[];
  /** Secret values: keys, tokens, passwords. */
  secrets: string[];
}

/** Reads all valid settings and reports the problems of the others. */
export function examineConfig(env: Env): Examined {
  const problems: string[] = [];
  const found = gather(env, problems);
  const { set, wrong } = readEach(found, problems);
  const config = configOf(set);
  // Omits problems that only follow from an invalid setting.
  const isOwn = (line: string): boolean => !wrong.some((name) => new RegExp(`\\b${name}\\b`).test(line));
  problems.push(...ruleProblems(set, config).filter(isOwn));
  return { config, problems, secrets: secretsOf(found) };
}
