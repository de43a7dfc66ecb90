/** A worker's recurring task: claims a batch, processes it, and reports whether more is waiting. */
export interface Job {
  name: string;
  /** wake-up topic that starts a run early */
  topic?: string;
  /** polling interval while idle, in ms */
  everyMs: number;
  /** Processes a batch. Returns true if more may be waiting. Stops early when the signal aborts. */
  run(worker: Worker): Promise<boolean>;
  /** Called when a worker starts, which then runs the job until its signal aborts. */
  open?(worker: Worker): void;
  /** Resolves when all work that `run` started has ended. */
  idle?(): Promise<void>;
  /** Releases the claims of dead workers. */
  free?(dead: readonly string[]): Promise<void>;
}

/** The worker process. Its claims carry the id. When the signal aborts, it must stop claiming. */
export interface Worker {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Whether its last heartbeat is recent enough that other workers will not release a claim that it makes now. */
  mayClaim(): boolean;
}
