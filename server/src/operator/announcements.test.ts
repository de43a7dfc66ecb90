import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  createAnnouncement,
  endAnnouncement,
  listAnnouncements,
} from '@sixdigit/contract/operator/announcements.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { fixture } from '../../test/fixture.ts';
import { auditOf, testOperator } from '../../test/operator.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

const HOUR = 3_600_000;

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const sam = fixture(() => testOperator(service, { role: 'support', name: 'Sam' }));
const alice = fixture(() => service.customer('Alice'));

const shown = async () => {
  const bearer = await signedIn(service, alice);
  return (await other.call(getMe, { bearer })).body.announcements.map(({ text }) => text);
};
const inHours = (hours: number) => new Date(service.app.clock.now().getTime() + hours * HOUR).toISOString();

describe('an announcement', () => {
  test('an announcement is shown to every customer from its start to its end', async () => {
    const body = { text: 'Maintenance on Sunday', starts_at: inHours(1), ends_at: inHours(3) };
    const made = await olivia.call(createAnnouncement, { body });
    expect(made).toMatchObject({
      status: 201,
      body: { is_shown: false, tone: 'info', created_by: olivia.email },
    });
    expect(await shown()).toEqual([]);
    await service.clock.advance(2 * HOUR);
    expect(await shown()).toEqual([body.text]);
    await service.clock.advance(2 * HOUR);
    expect(await shown()).toEqual([]);
  });

  test('an announcement without an end is shown until an operator ends it', async () => {
    const { body } = await olivia.call(createAnnouncement, {
      body: { text: 'SMS is slow', tone: 'warning' },
    });
    expect(await shown()).toEqual(['SMS is slow']);
    const ended = await olivia.call(endAnnouncement, { params: { id: body.id } });
    expect(ended.body.is_shown).toBe(false);
    expect(await shown()).toEqual([]);
    expect((await olivia.call(endAnnouncement, { params: { id: body.id } })).status).toBe(404);
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'announcement.end',
      before: { ends_at: null },
    });
    const listed = await sam.call(listAnnouncements, { query: { search: 'slow' } });
    expect(listed.body.results.map(({ text }) => text)).toEqual(['SMS is slow']);
  });

  test('an announcement can be canceled before it starts', async () => {
    const body = { text: 'Moved to Monday', starts_at: inHours(1), ends_at: inHours(3) };
    const { id } = (await olivia.call(createAnnouncement, { body })).body;
    expect((await olivia.call(endAnnouncement, { params: { id } })).status).toBe(200);
    await service.clock.advance(2 * HOUR);
    expect(await shown()).toEqual([]);
  });

  test('an announcement requires a text and an end after its start', async () => {
    const refused = (body: Record<string, unknown>) => olivia.call(createAnnouncement, { body });
    expect((await refused({ text: ' ' })).body).toMatchObject({ text: ['Please enter a text'] });
    expect((await refused({ text: 'x', starts_at: inHours(2), ends_at: inHours(1) })).body).toMatchObject({
      ends_at: ['The end must be after the start'],
    });
    expect((await refused({ text: 'x', starts_at: 'tomorrow' })).status).toBe(400);
    const audited = (await auditOf(service)).length;
    expect((await refused({ text: 'x', ends_at: inHours(-1) })).body).toMatchObject({
      ends_at: ['The end must be in the future'],
    });
    expect(await auditOf(service)).toHaveLength(audited);
  });
});

test('only an operator’s profile contains operator_role', async () => {
  expect((await sam.call(getMe)).body.operator_role).toBe('support');
  expect((await service.call(getMe, { bearer: await signedIn(service, alice) })).body).not.toHaveProperty(
    'operator_role',
  );
});
