import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from './fixture.ts';

const events: string[] = [];

describe('fixtures', () => {
  class Counter {
    #n = 0;
    add() {
      this.#n += 1;
      return this.#n;
    }
    async [Symbol.asyncDispose]() {
      events.push('counter ended');
    }
  }
  afterAll(() =>
    expect(events).toEqual(['counter started', 'owner started', 'owner ended', 'counter ended']),
  );
  const counter = fixture(async () => {
    events.push('counter started');
    return new Counter();
  });
  const owner = fixture(() => {
    events.push('owner started');
    return {
      name: 'Alice',
      first: counter.add(),
      [Symbol.asyncDispose]: async () => void events.push('owner ended'),
    };
  });
  const early = () => owner.name;
  expect(early).toThrow('A fixture can be used only in tests, hooks and later fixtures');

  test('a fixture behaves like the value that its start returned, including private fields', () => {
    expect(owner).toMatchObject({ name: 'Alice', first: 1 });
    expect({ ...owner }.name).toBe('Alice');
    expect(counter.add()).toBe(2);
    owner.name = 'Bob';
    expect(early()).toBe('Bob');
  });
});
