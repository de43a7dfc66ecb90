import type { MessageDomain } from '@sixdigit/contract/message-links.ts';
import { expect, test } from 'vitest';
import { shortDateTime } from './dates.ts';
import { removalSentences, stateOf } from './domain-texts.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const VERIFIED_AT = '2026-11-20T10:00:00Z';
const LAPSES_AT = '2026-11-29T10:00:00Z';

const domain = (changes: Partial<MessageDomain>): MessageDomain => ({
  id: '0190a5f0-0000-7000-8000-000000000001',
  domain: 'example.com',
  status: 'pending',
  record_name: '_otp-messages.example.com',
  record_value: 'domain-verification=abc',
  problem: null,
  checked_at: null,
  verified_at: null,
  lapses_at: null,
  created_at: '2026-11-20T09:00:00Z',
  ...changes,
});
const lapsing = domain({
  status: 'lapsing',
  problem: 'record_missing',
  verified_at: VERIFIED_AT,
  lapses_at: LAPSES_AT,
});

test('a new domain is shown as waiting for its record, then with the result of the check', () => {
  expect(stateOf(domain({}), NOW)).toMatchObject({
    label: 'Waiting for the record',
    sentence: 'Create the record at your DNS provider, then check it.',
    needsRecord: true,
  });
  const sentenceOf = (problem: MessageDomain['problem']) => stateOf(domain({ problem }), NOW).sentence;
  expect(sentenceOf('record_missing')).toContain('did not find the record');
  expect(sentenceOf('record_differs')).toContain('another value');
  expect(sentenceOf('dns_unavailable')).toContain('did not answer');
});

test('a verified domain shows its verification date even while its name servers do not answer', () => {
  const verified = { status: 'verified', verified_at: VERIFIED_AT } as const;
  expect(stateOf(domain(verified), NOW)).toEqual({
    tone: 'green',
    label: 'Verified',
    sentence: `Verified by its record, last on ${shortDateTime(VERIFIED_AT)}.`,
    needsRecord: false,
  });
  const { label, sentence } = stateOf(domain({ ...verified, problem: 'dns_unavailable' }), NOW);
  expect(label).toBe('Verified');
  expect(sentence).toContain('did not answer');
});

test('a domain without its record shows when the grace period ends, then that it has ended', () => {
  const during = stateOf(lapsing, NOW);
  expect(during).toMatchObject({ label: 'Record missing', needsRecord: true });
  expect(during.sentence).toContain(`Grace period until ${shortDateTime(LAPSES_AT)}`);
  expect(stateOf(lapsing, Date.parse(LAPSES_AT) - 1).sentence).toBe(during.sentence);
  expect(stateOf(lapsing, Date.parse(LAPSES_AT)).sentence).toContain(
    `The grace period ended on ${shortDateTime(LAPSES_AT)}`,
  );
});

test('removing a domain warns of refused messages only if the deployment restricts links and the domain is verified', () => {
  expect(removalSentences(lapsing, 'listed')).toMatch(/^Messages that link to example\.com are refused/);
  expect(removalSentences(lapsing, 'any')).toBe('To add the domain again, you need a new record.');
  expect(removalSentences(domain({}), 'listed')).toBe('To add the domain again, you need a new record.');
});
