/** Work that a worker does again and again: claim a little, do it, say whether there is more. */
export interface Job {
  name: string;
  /** wakeups topic that wakes it before its time */
  topic?: string;
  /** polled this often while idle */
  everyMs: number;
  /** Does some work; true where more may be waiting right now. Stops early when the signal aborts. */
  run(worker: Worker): Promise<boolean>;
  /** Resolves when nothing that `run` began is still under way. */
  idle?(): Promise<void>;
  /** Takes back what workers that died had claimed. */
  free?(dead: readonly string[]): Promise<void>;
}

/** The process at work: its claims carry the id; the signal aborts when it must stop claiming. */
export interface Worker {
  readonly id: string;
  readonly signal: AbortSignal;
}
