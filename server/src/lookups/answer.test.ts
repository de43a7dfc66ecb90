import { LOOKUP_KIND_FACTS, type LookupKind } from '@sixdigit/contract/operator/lookup-kinds.ts';
import { expect, test } from 'vitest';
import { ANSWERS } from '../../test/fakes/lookup.ts';
import { factsIn } from './answer.ts';

const NOW = new Date('2026-11-29T12:00:00.000Z');
const CHANGED = '2026-11-29T09:00:00.000Z';
const UNCHANGED = { changed_at: null, changed_within_hours: null, unchanged_within_hours: null };
const of = (kind: LookupKind, body: unknown, text = JSON.stringify(body)) =>
  factsIn(LOOKUP_KIND_FACTS[kind].record as never, { text, hours: 240, now: NOW });

test('each preset reads the answers of its company', () => {
  expect(of('twilio', ANSWERS.twilio('nonFixedVoip', CHANGED))).toEqual({
    line_type: 'non_fixed_voip',
    carrier: 'T-Mobile USA',
    country: 'US',
    ported: null,
    temporary: null,
    sim: { ...UNCHANGED, changed_at: CHANGED },
    looked_up_at: NOW.toISOString(),
  });
  expect(of('prelude', ANSWERS.prelude('fixed_line', null))).toMatchObject({
    line_type: 'landline',
    carrier: 'T-Mobile USA',
    ported: true,
    temporary: false,
    sim: null,
  });
  expect(of('camara', ANSWERS.camara('', CHANGED))?.sim).toEqual({ ...UNCHANGED, changed_at: CHANGED });
  expect(of('camara', ANSWERS.camara('', null))?.sim).toEqual(UNCHANGED);
  expect(of('camara_check', ANSWERS.camara_check('', CHANGED))?.sim).toEqual({
    ...UNCHANGED,
    changed_within_hours: 240,
  });
  expect(of('camara_check', { swapped: false })?.sim).toEqual({ ...UNCHANGED, unchanged_within_hours: 240 });
  expect(of('twilio', { sim_swap: { last_sim_swap: { swapped_in_period: false } } })?.sim).toBeNull();
});

test('a company that gives a period instead of a date still tells of a change', () => {
  const body = { sim_swap: { last_sim_swap: { swapped_period: 'PT72H30M', swapped_in_period: true } } };
  expect(of('twilio', body)?.sim).toEqual({ ...UNCHANGED, changed_within_hours: 72.5 });
});

test('what a company does not know is unknown, not false', () => {
  const facts = of('twilio', ANSWERS.twilio('unknown', null));
  expect(facts).toMatchObject({ line_type: null, ported: null, temporary: null, sim: null });
});

test('an answer without facts, with other types, or of more than 64 kB is none', () => {
  const lies: [LookupKind, unknown][] = [
    ['twilio', {}],
    ['twilio', []],
    ['twilio', null],
    ['twilio', { code: 20003, message: 'Authenticate' }],
    ['twilio', { line_type_intelligence: { type: 7 } }],
    ['twilio', { line_type_intelligence: { type: { mobile: true } } }],
    ['twilio', { country_code: 'USA', line_type_intelligence: { type: 'mobile' } }],
    ['twilio', { line_type_intelligence: { type: 'mobile', carrier_name: ['a'] } }],
    ['twilio', { line_type_intelligence: { type: 'mobile', carrier_name: 'x'.repeat(500) } }],
    ['prelude', { line_type: 'mobile', flags: 'ported' }],
    ['camara', { latestSimChange: 'yesterday' }],
    ['camara', { latestSimChange: 1_764_000_000 }],
    ['camara', { latestSimChange: '2026-13-45T00:00:00Z' }],
    ['camara', { latestSimChange: '2027-01-01T00:00:00Z' }],
    ['camara_check', { swapped: 'true' }],
    ['camara_check', { swapped: 1 }],
  ];
  for (const [kind, body] of lies) expect([kind, body, of(kind, body)]).toEqual([kind, body, undefined]);
  expect(of('camara', null, '{"latestSimChange": nul')).toBeUndefined();
  expect(of('camara', null, `{"latestSimChange": null}${' '.repeat(65_536)}`)).toBeUndefined();
});
