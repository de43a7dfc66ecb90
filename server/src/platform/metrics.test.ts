import { expect, test } from 'vitest';
import type { Db } from './db/sql.ts';
import { createMetrics, type DatabaseGauges } from './metrics.ts';

const db = { connections: () => ({ open: 1, idle: 1, waiting: 0 }) } as Db;

/** Gauges of a database that responds when the test resolves the read. */
function gauges() {
  const reads: PromiseWithResolvers<number>[] = [];
  const module: DatabaseGauges = {
    gauges: [
      { name: 'plain', help: 'Without labels.' },
      { name: 'labelled', help: 'With labels.', labelNames: ['channel'] },
    ],
    read: async () => {
      const asked = Promise.withResolvers<number>();
      reads.push(asked);
      const value = await asked.promise;
      return [
        { name: 'plain', value },
        { name: 'labelled', labels: { channel: value > 1 ? 'email' : 'sms' }, value },
      ];
    },
  };
  return { module, reads };
}

const shown = (text: string) =>
  text.split('\n').filter((line) => /^sixdigit_(?:plain|labelled|database_up)\b/.test(line));

test('a scrape shows the values of its own database read, not those of earlier scrapes', async () => {
  const { module, reads } = gauges();
  const metrics = createMetrics([module]);
  for (const [value, channel] of [
    [1, 'sms'],
    [2, 'email'],
  ] as const) {
    const scraped = metrics.scrape(db);
    reads.at(-1)?.resolve(value);
    expect(shown((await scraped).text).sort()).toEqual([
      'sixdigit_database_up 1',
      `sixdigit_labelled{channel="${channel}"} ${value}`,
      `sixdigit_plain ${value}`,
    ]);
  }
  const failed = metrics.scrape(db);
  reads.at(-1)?.reject(new Error('unavailable'));
  expect(shown((await failed).text)).toEqual(['sixdigit_database_up 0']);
});

test('scrapes share one read of a hanging database and end in time', async () => {
  const { module, reads } = gauges();
  const metrics = createMetrics([module], 20);
  for (let round = 0; round < 2; round++) {
    const texts = await Promise.all([metrics.scrape(db), metrics.scrape(db), metrics.scrape(db)]);
    for (const { text } of texts) expect(shown(text)).toEqual(['sixdigit_database_up 0']);
  }
  expect(reads).toHaveLength(1);
  const back = metrics.scrape(db);
  reads[0]?.resolve(1);
  expect(shown((await back).text)).toContain('sixdigit_plain 1');
});

test('the counters of own texts and webhooks begin at 0, so their first increase is visible', async () => {
  const { text } = await createMetrics([]).scrape(db);
  expect(text).toContain('sixdigit_own_sms_total{outcome="deployment"} 0');
  expect(text).toContain('sixdigit_webhook_attempts_total{outcome="failed"} 0');
});

test('only a process with a worker exports the worker metrics', async () => {
  const metrics = createMetrics([]);
  expect((await metrics.scrape(db)).text).not.toMatch(/^sixdigit_working /m);
  metrics.working();
  expect((await metrics.scrape(db)).text).toMatch(/^sixdigit_working 1$/m);
});
