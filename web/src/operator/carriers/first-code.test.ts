import type { CarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { expect, test } from 'vitest';
import { companiesFor } from './CompanyChoice.tsx';
import { carrierOfSteps, firstCodeSteps } from './FirstCode.tsx';

type Test = NonNullable<CarrierSetup['last_test']>;
const setupOf = (more: object = {}) =>
  ({
    channels: ['sms'],
    is_enabled: false,
    problem: null,
    reports_problem: null,
    last_test: null,
    ...more,
  }) as CarrierSetup;
const tested = (outcome: Test['outcome'], state?: string) => ({
  last_test: { outcome, report: state === undefined ? null : { state } },
});
const doneIn = (setup?: CarrierSetup): string[] =>
  firstCodeSteps(setup)
    .steps.filter(({ isDone }) => isDone)
    .map(({ name }) => name);

test('the steps to the first code are done by the state of the carrier, and by nothing else', () => {
  expect(doneIn()).toEqual([]);
  expect(doneIn(setupOf())).toEqual(['company']);
  expect(doneIn(setupOf(tested('refused')))).toEqual(['company']);
  expect(doneIn(setupOf(tested('accepted')))).toEqual(['company', 'test']);
  expect(doneIn(setupOf(tested('accepted', 'sent')))).toEqual(['company', 'test']);
  expect(doneIn(setupOf(tested('accepted', 'undelivered')))).toEqual(['company', 'test']);
  expect(doneIn(setupOf(tested('accepted', 'delivered')))).toEqual(['company', 'test', 'report']);
  expect(doneIn(setupOf({ ...tested('accepted'), reports_problem: 'no_reports' }))).toEqual([
    'company',
    'test',
    'report',
  ]);
  expect(doneIn(setupOf({ is_enabled: true }))).toEqual(['company', 'live']);
  expect(doneIn(setupOf({ is_enabled: true, problem: 'Test cards' }))).toEqual(['company']);
});

test('the steps follow the newest carrier that reaches phones', () => {
  const [mail, old, recent] = [
    setupOf({ name: 'mail', channels: ['email'] }),
    setupOf({ name: 'old' }),
    setupOf({ name: 'recent', channels: ['voice'] }),
  ];
  expect(carrierOfSteps([mail])).toBeUndefined();
  expect(carrierOfSteps([old, recent, mail])?.name).toBe('recent');
});

test('phones come before companies, and those of the recipients’ country before the others', () => {
  expect(companiesFor('', '').slice(0, 3)).toEqual(['httpsms', 'android', 'twilio']);
  expect(companiesFor('SE', '').slice(0, 4)).toEqual(['httpsms', 'android', 'sinch', '46elks']);
  expect(companiesFor('', 'denmark')).toEqual(['gatewayapi']);
  expect(companiesFor('', 'VONAGE')).toEqual(['vonage']);
});
