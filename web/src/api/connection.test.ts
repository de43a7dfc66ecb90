import { expect, test } from 'vitest';
import { noteResponse, noteUnreachable, offline, reached } from './connection.ts';

test('listeners are notified once when the connection is lost and once when it is restored', () => {
  const heard: boolean[] = [];
  const stop = offline.follow(() => heard.push(offline.get()));
  noteResponse(200);
  noteUnreachable();
  noteUnreachable();
  noteResponse(502);
  noteResponse(400);
  noteResponse(200);
  expect(heard).toEqual([true, false]);
  stop();
  noteUnreachable();
  expect(heard).toHaveLength(2);
  noteResponse(200);
});

test('an error from the service counts as a response, an error from its proxy does not', () => {
  noteResponse(500);
  expect(offline.get()).toBe(false);
  const reachedAt = reached.get();
  noteResponse(504);
  expect(offline.get()).toBe(true);
  expect(reached.get()).toBe(reachedAt);
  noteResponse(200);
});
