import { Failure } from '../http/failure.ts';
import type { QueueLimits } from './batcher.ts';

/**
 * A database may say nothing for as long as it likes, say while both standbys are away. Whoever asks us hears by then that nobody
 * knows, and those who wait never fill the memory: some seconds of work at full speed.
 */
export const queueLimits: QueueLimits = {
  ms: 10_000,
  most: 10_000,
  refusal: () => new Failure('unavailable', { retry_after: 2 }),
};
