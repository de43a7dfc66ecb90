import { afterAll, beforeAll } from 'vitest';

/**
 * A value that the tests of a file or of a `describe` share. It is started before them and disposed of after them. Fixtures
 * start in the order of their declarations and end in reverse. Using a fixture before its start has completed throws.
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
      // A method that uses private fields needs the original object as `this`.
      return typeof value === 'function' ? value.bind(started) : value;
    },
    set: (_, key, value) => Reflect.set(real(), key, value),
    has: (_, key) => Reflect.has(real(), key),
    ownKeys: () => Reflect.ownKeys(real()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(real(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(real()),
  });
}
