import { expect, test } from 'vitest';
import { type Report, runConformance } from './conformance.ts';
import { readSettings } from './settings.ts';
import { FAULTS, type Fault, PREVIOUS_SECRET, SECRET, smallServer } from './small-server.ts';
import { allSystems } from './systems.ts';
import { tableOf } from './table.ts';

const SYSTEMS = allSystems();
const OPTIONS = { perSecond: 10_000, waitMs: 300 };

async function reportOn(fault?: Fault): Promise<Report> {
  await using server = await smallServer(fault);
  const secrets = { secret: SECRET, previous_secret: PREVIOUS_SECRET };
  const settings = readSettings(
    {
      systems: { novu: { sms: '/novu', ...secrets }, zitadel: { sms: '/zitadel', ...secrets } },
      messages: { url: '/messages?to={recipient}', list: 'items' },
    },
    SYSTEMS,
    server.base,
  );
  // A test does not wait as long as a system does.
  const systems = settings.systems.map((one) => ({
    ...one,
    system: { ...one.system, gives_up_after_seconds: fault === 'hangs' ? 0.05 : 5 },
  }));
  return await runConformance({ ...settings, systems }, OPTIONS);
}

const failuresIn = (report: Report) =>
  report.rows.flatMap(({ system, outcomes }) =>
    outcomes.filter(({ status }) => status === 'failed').map((outcome) => ({ system, ...outcome })),
  );
const checksIn = (report: Report): string[] => [...new Set(failuresIn(report).map(({ check }) => check))];

test('an implementation without faults passes', async () => {
  const report = await reportOn();
  expect(failuresIn(report)).toEqual([]);
  expect(report).toMatchObject({ failed: 0, messages_read: true });
  expect(report.passed).toBeGreaterThan(80);
  expect(tableOf(report)).toMatch(/✓ {2}Novu +SMS webhook +2\/2 +3\/3/);
});

const RETRIES = ['retry', 'retry after a lost response', 'retry during the request'];
const TOLERANCE = ['unknown fields', 'body of 15 KiB', 'body in two parts', 'charset', 'previous secret'];
const ACCEPTED = ['request', 'next code', ...RETRIES, ...TOLERANCE];

/** The checks that fail, and a part of one of the sentences. */
const EXPECTED: Record<Fault, [checks: string[], sentence: string]> = {
  'sends every retry': [RETRIES, 'Expected one message to +'],
  'sends only the first code to a recipient': [['next code'], 'No message with the code was sent to +'],
  'forgets messages': [[...ACCEPTED, 'two signatures'], 'No message with the code was sent to +'],
  'sends what it refuses': [
    ['other secret', 'no secret', 'part of the secret', 'changed body', 'old signature'].concat(
      'signature from the future',
      're-dated signature',
    ),
    'The request was refused, but one message to +',
  ],
  'leaves out a field': [ACCEPTED, 'The request: Expected a time in the field data.date, got nothing.'],
  'accepts with 500': [[...ACCEPTED, 'two signatures'], 'Expected status 200-299, got 500 without a body.'],
  'refuses with 200': [['invalid recipient'], 'Expected status 400-499, got 200 without a body.'],
  'fails on malformed bodies': [['malformed body'], 'The request with the body {"to":: Expected status'],
  hangs: [
    [...ACCEPTED, 'two signatures', 'other secret', 'no secret', 'part of the secret', 'changed body']
      .concat('old signature', 'signature from the future', 're-dated signature')
      .concat('invalid recipient', 'malformed body', 'body over 64 KiB'),
    'No response within 0.05 seconds, after which the system gives up.',
  ],
  'wants no unknown fields': [['unknown fields', 'body of 15 KiB'], 'The request with unknown fields: '],
  'wants small bodies': [['body of 15 KiB'], 'Expected status 200-299, got 413'],
  'wants a length': [['body in two parts'], 'got 411'],
  'compares whole content types': [['charset'], 'got 415'],
  'knows one secret': [['previous secret'], 'The request with the previous secret: Expected status'],
  'reads the first signature only': [['two signatures'], 'signed with another secret and with this one'],
  'accepts any secret': [
    ['other secret', 'no secret', 'part of the secret', 'changed body', 'old signature'].concat(
      'signature from the future',
      're-dated signature',
    ),
    'The request with another secret: Expected status 401 or 403, got 200',
  ],
  'accepts any date': [['old signature', 'signature from the future'], 'signed ten minutes ago'],
  'signs without the date': [['re-dated signature'], 'an old signature and a new date'],
  'echoes requests': [[...ACCEPTED, 'two signatures'], 'got 500 with'],
  'compares beginnings of secrets': [['part of the secret'], 'with the beginning of the secret'],
};

test.concurrent.each(FAULTS)('the suite finds an implementation that %s', async (fault) => {
  const report = await reportOn(fault);
  const [checks, sentence] = EXPECTED[fault];
  expect(checksIn(report).toSorted()).toEqual([...checks].toSorted());
  expect(failuresIn(report).some(({ reason }) => reason?.includes(sentence))).toBe(true);
  for (const check of checks) expect(tableOf(report)).toMatch(new RegExp(`^✗ .*: .*${check}`, 'm'));
});

test('a flow ends at its first failure', async () => {
  await using server = await smallServer();
  const settings = readSettings(
    { systems: { camara: { api: '/novu', secret: SECRET } } },
    SYSTEMS,
    server.base,
  );
  const { rows, failed, messages_read } = await runConformance(settings, OPTIONS);
  expect([failed, messages_read]).toEqual([rows.length, false]);
  expect(rows[0]).toMatchObject({
    version: 'send and validate',
    outcomes: [
      {
        check: 'Send a code',
        status: 'failed',
        reason: expect.stringMatching(/Expected status 200, got 401/),
      },
      ...Array.from({ length: 4 }, () => ({ status: 'skipped' })),
    ],
  });
});

test('no sentence about a failure has a secret', async () => {
  const text = JSON.stringify([await reportOn('echoes requests'), await reportOn('accepts with 500')]);
  expect(text).toContain('••••••');
  for (const secret of [SECRET, PREVIOUS_SECRET]) expect(text).not.toContain(secret);
});
