import { listMembers } from '@sixdigit/contract/accounts/members.ts';
import { getOperator } from '@sixdigit/contract/operator/operator.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { fixture } from './fixture.ts';
import { FATES } from './lively/facts.ts';
import { lively } from './lively.ts';

const service = fixture(lively);

test('the verifications of the lively database ended as their names say', async () => {
  const bearer = service.people.alice.access;
  const ends: Record<string, string[]> = {};
  for (const fate of FATES) {
    const found = await Promise.all(
      service.facts.verifications[fate].map((id) =>
        service.call(getVerification, { bearer, params: { id } }),
      ),
    );
    ends[fate] = [
      ...new Set(found.map(({ body }) => `${body.status}${body.delivered_at ? ', delivered' : ''}`)),
    ];
    expect(new Set(found.map(({ body }) => body.created_at.slice(0, 10))).size, fate).toBeGreaterThan(1);
  }
  expect(ends).toEqual({
    verified: ['verified, delivered'],
    verifiedLate: ['verified'],
    delivered: ['expired, delivered'],
    sent: ['expired'],
    wrong: ['expired'],
    exhausted: ['failed, delivered'],
    canceled: ['expired'],
    invalid: ['failed'],
    filtered: ['failed'],
    unsubscribed: ['failed'],
    undelivered: ['failed'],
    unsent: ['failed'],
  });
});

test('the people of the lively database have their roles, and nothing is pending', async () => {
  const { alice, vera } = service.people;
  const { results } = (await service.call(listMembers, { bearer: vera.access })).body;
  expect(results.map(({ role }) => role)).toEqual(['owner', 'admin', 'developer', 'viewer']);
  expect((await service.call(getOperator, { bearer: alice.access })).body.role).toBe('admin');
  const { pending } = await service.app.db.one<{ pending: number }>(
    `select (select count(*) from deliveries) + (select count(*) from webhook_deliveries) + (select count(*) from notices)
       + (select count(*) from verifications where status in ('pending', 'sent')) as pending`,
  );
  expect(pending).toBe(0);
});
