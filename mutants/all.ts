import { codes } from './codes.ts';
import { delivery } from './delivery.ts';
import { exposure } from './exposure.ts';
import { isolation } from './isolation.ts';
import { money } from './money.ts';
import type { Mutant } from './mutant.ts';
import { secrets } from './secrets.ts';
import { sessions } from './sessions.ts';

export const mutants: readonly Mutant[] = [
  ...money,
  ...codes,
  ...isolation,
  ...sessions,
  ...secrets,
  ...delivery,
  ...exposure,
];
