import { expect, test } from 'vitest';
import { eventsOf } from './live-stream.ts';

const read = async (...pieces: string[]) => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const events = [];
  for await (const event of eventsOf(body)) events.push(event);
  return events;
};

test('events arrive whole, however the connection cuts them', async () => {
  const expected = [{ event: 'changed', data: '{"topics":["credits"]}' }];
  expect(await read('event: changed\ndata: {"topics":["credits"]}\n\n')).toEqual(expected);
  expect(await read('event: chan', 'ged\ndata: {"topics":', '["credits"]}\n', '\n')).toEqual(expected);
  expect(await read('event: changed\r\ndata: {"topics":["credits"]}\r\n\r\n')).toEqual(expected);
});

test('a comment is an event without data, and a pause for the next connection is read', async () => {
  expect(await read(': \n\n', 'retry: 2500\n\n')).toEqual([
    { event: 'message', data: '' },
    { event: 'message', data: '', retry: 2500 },
  ]);
});

test('an event whose end has not arrived is no event', async () => {
  expect(await read('event: changed\ndata: {}')).toEqual([]);
});
