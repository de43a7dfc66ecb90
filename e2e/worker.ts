/** How a worker of the test runner says that it ends. Modules that files share have no other hook for that. */
interface WorkerState {
  onCleanup(listener: () => unknown): void;
}

const closers: (() => Promise<void>)[] = [];

/** Makes something once in a worker, for all of its files. When the worker ends, the last made is closed first. */
export function oncePerWorker<T>(
  make: () => Promise<T>,
  close: (made: T) => Promise<void>,
): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().then((done) => {
      if (closers.push(() => close(done)) === 1) closeWithWorker();
      return done;
    });
    return made;
  };
}

function closeWithWorker(): void {
  const worker = Reflect.get(globalThis, '__vitest_worker__') as WorkerState;
  worker.onCleanup(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
}
