import { expect, test } from 'vitest';
import { currentConnection, noteResponse, noteUnreachable, onConnectionChange } from './connection.ts';

test('listeners hear once that the connection is lost, and once that it is back', () => {
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

test('an error of the service is a response, one of the proxy in front of it is not', () => {
  noteResponse(500);
  expect(currentConnection().isOffline).toBe(false);
  const { reachedAt } = currentConnection();
  noteResponse(504);
  expect(currentConnection()).toEqual({ isOffline: true, reachedAt });
  noteResponse(200);
});
