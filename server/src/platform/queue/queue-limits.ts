import { Failure } from '../http/failure.ts';
import type { QueueLimits } from './batcher.ts';

/**
 * An unavailable database, for example with both standbys down, can stall requests indefinitely. These limits refuse requests in
 * time and bound memory to a few seconds of work at full speed.
 */
export const queueLimits: QueueLimits = {
  ms: 10_000,
  most: 10_000,
  refusal: () => new Failure('unavailable', { retry_after: 2 }),
};
