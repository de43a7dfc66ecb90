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

test('live events are parsed whole, however the connection splits them', async () => {
  const expected = [{ event: 'changed', data: '{"topics":["credits"]}' }];
  expect(await read('event: changed\ndata: {"topics":["credits"]}\n\n')).toEqual(expected);
  expect(await read('event: chan', 'ged\ndata: {"topics":', '["credits"]}\n', '\n')).toEqual(expected);
  expect(await read('event: changed\r\ndata: {"topics":["credits"]}\r\n\r\n')).toEqual(expected);
});

test('a stream comment yields an event without data, and the retry delay is read', async () => {
  expect(await read(': \n\n', 'retry: 2500\n\n')).toEqual([
    { event: 'message', data: '' },
    { event: 'message', data: '', retry: 2500 },
  ]);
});

test('an incomplete live event is not emitted', async () => {
  expect(await read('event: changed\ndata: {}')).toEqual([]);
});
