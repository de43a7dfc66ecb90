import { afterAll, beforeAll } from 'vitest';

/**
 * What the tests of a file, or of the `describe` around it, share. It is started before them and disposed of after them; fixtures
 * start in the order in which they are declared and end in reverse. Until its start has ended, every use of it throws.
 */
export function fixture<T extends object>(start: () => T | Promise<T>): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (started && Symbol.asyncDispose in started)
      await (started as T & AsyncDisposable)[Symbol.asyncDispose]();
  });
  const real = (): T => {
    if (!started) throw new Error('A fixture can be used only in tests, hooks and later fixtures');
    return started;
  };
  return new Proxy({} as T, {
    get(_, key) {
      const value: unknown = Reflect.get(real(), key);
      // A method with private fields needs the object itself.
      return typeof value === 'function' ? value.bind(started) : value;
    },
    set: (_, key, value) => Reflect.set(real(), key, value),
    has: (_, key) => Reflect.has(real(), key),
    ownKeys: () => Reflect.ownKeys(real()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(real(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(real()),
  });
}
