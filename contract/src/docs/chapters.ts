import { calls } from './calls.ts';
import type { Chapter, Facts, Samples } from './chapter.ts';
import { clients } from './clients.ts';
import { connections } from './connections.ts';
import { errors } from './errors.ts';
import { keys } from './keys.ts';
import { quickStart } from './quick-start.ts';
import { teams } from './teams.ts';
import { testing } from './testing.ts';
import { webhooks } from './webhooks.ts';

/** The documentation in the order of the screen. Without `receivers`, the screen loads them later. */
export const chaptersOf = (facts: Facts, receivers?: Samples): Chapter[] => [
  quickStart(facts),
  calls(facts),
  clients(facts),
  keys(),
  testing(),
  webhooks(receivers),
  connections(),
  teams(),
  errors(),
];
