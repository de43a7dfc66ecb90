import { expect, test } from 'vitest';
import { currentConnection, noteResponse, noteUnreachable, onConnectionChange } from './connection.ts';

test('listeners are notified once when the connection is lost and once when it is restored', () => {
  const heard: boolean[] = [];
  const stop = onConnectionChange(() => heard.push(currentConnection().isOffline));
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
  expect(currentConnection().isOffline).toBe(false);
  const { reachedAt } = currentConnection();
  noteResponse(504);
  expect(currentConnection()).toEqual({ isOffline: true, reachedAt });
  noteResponse(200);
});
