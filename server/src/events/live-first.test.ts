import { STREAMS_OF_ACCOUNT } from '@sixdigit/contract/events.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { createEventStreams } from './events.ts';

const service = fixture(testService);

test('a new stream of a live key replaces the oldest one of the account’s test keys', () => {
  const streams = createEventStreams(service.app);
  const open = (key: string, is_test: boolean) => {
    const use = { hash: Buffer.alloc(32), ip: '127.0.0.1', scope: 'events:read' as const };
    return streams.open({ account_id: 'one', api_key_id: key, is_test, topic: 'requests', use });
  };
  const of = (is_test: boolean) =>
    Array.from({ length: STREAMS_OF_ACCOUNT }, (_, n) => open(`${is_test} ${n % 2}`, is_test));
  const [tests, live] = [of(true), of(false)];
  // More than the first comment: the end.
  const isEnded = ({ readableLength }: { readableLength: number }) => readableLength > 4;
  expect([tests.every(isEnded), live.some(isEnded)]).toEqual([true, false]);
  for (const is_test of [true, false])
    expect(() => open('another', is_test)).toThrow(
      expect.objectContaining({ reason: 'stream_limit_reached' }),
    );
  streams.close();
});
