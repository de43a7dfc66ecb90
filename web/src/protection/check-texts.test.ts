import type { DestinationCheck } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { whyOf } from './check-texts.ts';

const check: DestinationCheck = {
  ...{ channel: 'sms', recipient: '+14155552671', country: 'US', prefix: '+1415555', client: null },
  ...{ decision: 'allowed', refusal: null, blocked_by: [], blocked_until: null, monitored_by: [] },
  ...{ listed: null, known: false, passed: [], lookup: null, rules: [] },
};
const refusal = { reason: 'x', error: 'Too many codes', retry_after: null, resets_at: null };
const at = '2026-11-21T12:00:00.000Z';

test.each<[Partial<DestinationCheck>, RegExp]>([
  [{}, /^No rule, limit or opt-out blocks it/],
  [{ decision: 'refused', refusal, listed: 'deny' }, /^Too many codes\.$/],
  [
    { decision: 'refused', refusal: { ...refusal, error: 'Wait!', retry_after: 5 } },
    /^Wait! .* in 5 seconds\.$/,
  ],
  [
    { decision: 'refused', refusal: { ...refusal, retry_after: 5, resets_at: at } },
    /^Too many codes\. .* from Nov 2\d, 2026, .+\.$/,
  ],
  [{ listed: 'deny', blocked_by: ['deny_list'] }, /^It is on the deny list\.$/],
  [
    { blocked_by: ['country', 'sim_swap'], monitored_by: ['line_type'] },
    /^Blocked by: Allowed countries and Recent SIM changes\. The block has no end date\.$/,
  ],
  [{ blocked_by: ['country'], blocked_until: at }, /\. Until Nov 2\d, 2026, .+\.$/],
  [{ listed: 'allow', monitored_by: ['country'] }, /^It is on the allow list/],
  [{ known: true, passed: ['country'] }, /^The recipient is known, .*: Allowed countries\.$/],
  [{ known: true, monitored_by: ['line_type'] }, /^These rules would block it, .*: Refused line types\.$/],
])('the check %j gives the first reason that decides', (changes, why) => {
  expect(whyOf({ ...check, ...changes })).toMatch(why);
});
