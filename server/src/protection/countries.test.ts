import { getInsights } from '@sixdigit/contract/insights.ts';
import {
  allowDestination,
  denyDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: '*' } }));
const alice = fixture(() => service.customer('Alice'));
let bearer: string;
beforeAll(async () => {
  bearer = await signedIn(service, alice);
});

/** Two-letter codes without a numbering plan. */
test.each(['ZZ', 'XX', 'AQ', 'EU'])(
  '%s is refused as a country in rules, lists and filters',
  async (country) => {
    const rules = { country: { countries: ['US', country] } };
    const entry = { kind: 'country' as const, value: country };
    const answers = await Promise.all([
      service.call(updateProtection, { bearer, body: { rules } }),
      service.call(updateProtection, { bearer, body: { allow: [entry] } }),
      service.call(allowDestination, { bearer, body: entry }),
      service.call(denyDestination, { bearer, body: entry }),
      service.call(getInsights, { bearer, query: { country } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(answers[0]?.body).toMatchObject({
      rules: [`country: ${country} is no country with phone numbers.`],
    });
    expect(answers[4]?.body).toMatchObject({ country: [`${country} is no country with phone numbers.`] });
  },
);

test('a country with phone numbers is accepted in rules, lists and filters', async () => {
  const entry = { kind: 'country' as const, value: 'de' };
  const answers = await Promise.all([
    service.call(updateProtection, { bearer, body: { rules: { country: { countries: ['US', 'DE'] } } } }),
    service.call(denyDestination, { bearer, body: entry }),
    service.call(getInsights, { bearer, query: { country: 'DE' } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});
