import { sendOtp } from '@sixdigit/contract/otp.ts';
import {
  checkDestination,
  type DeploymentRulesBody,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { readDeploymentRules, writeDeploymentRules } from './protection.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const write = async (body: DeploymentRulesBody) => {
  const changed = await service.app.db.transaction((tx) => writeDeploymentRules(tx, service.app, body));
  await service.app.protection.exchange();
  return changed;
};
const read = () => readDeploymentRules(service.app.db, service.app);

test('the operator’s rules begin with higher thresholds than those of accounts', async () => {
  const { rules, bounds, allow, deny, updated_at, blocked } = await read();
  expect(rules.prefix_velocity).toEqual({ mode: 'monitor', limit: 100 });
  expect(bounds.prefix_velocity).toEqual({ limit: { min: 5, max: 10_000 } });
  expect({ allow, deny, updated_at, blocked }).toEqual({ allow: [], deny: [], updated_at: null, blocked: 0 });
});

test('a change of the operator blocks in every account, and counts what it blocked', async () => {
  const { before, after } = await write({
    rules: { prefix_velocity: { mode: 'enforce', limit: 2 } },
    deny: [{ kind: 'prefix', value: '+1415777' }],
  });
  expect(before.rules.prefix_velocity).toEqual({ mode: 'monitor', limit: 100 });
  expect(after.rules.prefix_velocity).toEqual({ mode: 'enforce', limit: 2 });
  expect(after.deny).toMatchObject([{ kind: 'prefix', value: '+1415777' }]);
  const send = (recipient: string) =>
    service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'sms', recipient } });
  expect((await send('+14155550121')).status).toBe(201);
  expect((await send('+14155550122')).status).toBe(201);
  expect(await send('+14155550123')).toMatchObject({
    status: 400,
    body: { blocked_by: ['prefix_velocity'] },
  });
  expect(await send('+14157772671')).toMatchObject({ status: 400, body: { blocked_by: ['deny_list'] } });
  await service.app.protection.exchange();
  const { blocked, blocks } = await read();
  expect(blocked).toBe(2);
  expect(blocks).toContainEqual(
    expect.objectContaining({
      rule: 'prefix_velocity',
      scope: 'deployment',
      country: 'US',
      accounts: 1,
      prefixes: 1,
      blocked: 1,
    }),
  );
});

test('the operator’s rules can be switched off', async () => {
  await write({ rules: { prefix_velocity: { mode: 'off' } }, deny: [] });
  const { body } = await service.call(checkDestination, {
    apiKey: alice.api_key,
    body: { recipient: '+14155550124' },
  });
  expect(body.decision).toBe('allowed');
  expect(
    body.rules.filter(({ scope, rule }) => scope === 'deployment' && rule === 'prefix_velocity'),
  ).toEqual([]);
});

test('accounts choose thresholds inside the operator’s bounds', async () => {
  await write({ bounds: { prefix_velocity: { limit: { min: 10, max: 40 } } } });
  const { bounds } = await write({ bounds: { prefix_conversion: { hours: { min: 2, max: 24 } } } }).then(
    ({ after }) => after,
  );
  expect(bounds).toMatchObject({
    prefix_velocity: { limit: { min: 10, max: 40 } },
    prefix_conversion: { limit: { min: 5, max: 1_000 }, hours: { min: 2, max: 24 } },
  });
  const bearer = await signedIn(service, alice);
  expect(
    await service.call(updateProtection, { bearer, body: { rules: { prefix_velocity: { limit: 41 } } } }),
  ).toMatchObject({
    status: 400,
    body: { rules: ['prefix_velocity: limit must be between 10 and 40.'] },
  });
});

test('bounds outside the product’s and wrong thresholds change nothing', async () => {
  const before = await read();
  await expect(
    write({ bounds: { prefix_conversion: { hours: { min: 0, max: 24 } } } }),
  ).rejects.toMatchObject({
    fields: { bounds: ['prefix_conversion: hours must be between 1 and 168.'] },
  });
  await expect(write({ rules: { prefix_velocity: { limit: 0 } } })).rejects.toMatchObject({
    fields: { rules: ['prefix_velocity: limit must be between 1 and 1000000.'] },
  });
  expect(await read()).toEqual(before);
});
