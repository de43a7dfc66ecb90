import { getOperatorWorstDay } from '@sixdigit/contract/operator/protection.ts';
import { CAMPAIGNS } from '@sixdigit/contract/protection/protection.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testOperator } from '../../../test/operator.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

const service = fixture(testService);
const sam = fixture(() => testOperator(service, { role: 'support' }));

test('the deployment’s worst day sums those of the accounts that spent credits in this month', async () => {
  expect((await sam.call(getOperatorWorstDay)).body).toMatchObject({
    accounts: 0,
    cost_cents: 0,
    campaigns: [],
  });
  const limits = [7, 30];
  for (const daily_credit_limit of limits) {
    const alice = await sender(service, `Alice ${daily_credit_limit}`, { credits: 1_000 });
    await alice.sent('+14155552001');
    const bearer = await signedIn(service, alice);
    await service.call(updateSpend, { bearer, body: { daily_credit_limit, monthly_credit_limit: null } });
  }
  await sender(service, 'Bob');
  const { status, body } = await sam.call(getOperatorWorstDay);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    accounts: 2,
    cost_cents: (7 + 30) * 2,
    without_rules_cents: 2 * 3_000 * 2,
  });
  expect(body.campaigns.map(({ name, country }) => [name, country])).toEqual(
    CAMPAIGNS.map(({ name }) => [name, 'US']),
  );
  expect(body.campaigns[0]?.refused_by[0]?.by).toBe('spend_limit');
});
