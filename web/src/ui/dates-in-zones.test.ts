import { afterEach, expect, test, vi } from 'vitest';
import type { ApiError } from '../api/wire.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

/** The module in a browser whose own zone is this. */
async function inBrowserOf(timeZone: string | undefined) {
  vi.resetModules();
  const resolved = vi
    .spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions')
    .mockReturnValue({ timeZone } as Intl.ResolvedDateTimeFormatOptions);
  const dates = await import('./dates.ts');
  resolved.mockRestore();
  return dates;
}

test.each([undefined, '', 'Etc/Unknown', '+05:30', 'EST', 'Mars/Olympus'])(
  'a browser whose zone is %j shows times in UTC',
  async (zone) => {
    const { zoneName, shortDateTime, timeZone } = await inBrowserOf(zone);
    expect([zoneName(), timeZone()]).toEqual(['UTC', 'UTC']);
    expect(shortDateTime('2026-11-21T03:50:00Z')).toBe('Nov 21, 2026, 03:50 AM');
  },
);

test('times are shown in the time zone of the browser until the user chooses another', async () => {
  const { zoneName, shortDateTime, showTimesIn } = await inBrowserOf('Asia/Tokyo');
  expect(shortDateTime('2026-11-21T03:50:00Z')).toBe('Nov 21, 2026, 12:50 PM');
  showTimesIn('America/Santiago');
  expect(shortDateTime('2026-11-21T03:50:00Z')).toBe('Nov 21, 2026, 12:50 AM');
  showTimesIn('EST');
  expect(zoneName()).toBe('Asia/Tokyo');
});

test('charts and lists use UTC if the service lacks the time zone of the browser', async () => {
  const { zoneName } = await inBrowserOf('Asia/Tokyo');
  const { inKnownZone, insightsDefaults, queryOf } = await import('../insights/insights.ts');
  const asked: string[] = [];
  const { ApiError: Refusal } = (await import('../api/wire.ts')) as { ApiError: typeof ApiError };
  const load = async ({ time_zone }: { time_zone: string }): Promise<string> => {
    asked.push(time_zone);
    if (time_zone !== 'UTC') throw new Refusal(400, { time_zone: ['Use an IANA time zone.'] });
    return 'loaded';
  };
  expect(await inKnownZone(queryOf(insightsDefaults, zoneName()), load)).toBe('loaded');
  expect([asked, zoneName()]).toEqual([['Asia/Tokyo', 'UTC'], 'UTC']);
  const other = inKnownZone(queryOf(insightsDefaults, 'UTC'), () =>
    Promise.reject(new Refusal(400, { from: ['The range can span at most 400 days.'] })),
  );
  await expect(other).rejects.toMatchObject({ status: 400 });
});
