import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import { sidOf } from './sids.ts';

const service = fixture(() => testService({ env: { PUBLIC_URL: 'https://otp.example.com' } }));

const FORGED = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };

/** The addresses in a response, whatever the field. */
const addressesIn = (body: string): string[] => body.match(/https?:\/\/[^"]+/g) ?? [];

test('addresses in responses name the deployment, whatever host a request names', async () => {
  const alice = await service.customer('Alice');
  await service.app.db.run(`update api_keys set scopes = scopes || '{verify_services:write}'::text[]`);
  const credentials = Buffer.from(`${sidOf('AC', alice.account_id)}:${alice.api_key}`).toString('base64');
  const asked = async (method: 'GET' | 'POST', path: string, form = {}) => {
    const { statusCode, body } = await service.inject({
      method,
      url: `/compat/twilio/v2${path}`,
      headers: {
        ...FORGED,
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(method === 'POST' ? { payload: new URLSearchParams(form).toString() } : {}),
    });
    expect(statusCode).toBeLessThan(300);
    for (const address of addressesIn(body))
      expect(address).toMatch(/^https:\/\/otp\.example\.com\/compat\/twilio\/v2\//);
    expect(addressesIn(body)).not.toEqual([]);
    return JSON.parse(body);
  };
  const { sid } = await asked('POST', '/Services', { FriendlyName: 'One' });
  await asked('POST', '/Services', { FriendlyName: 'Two' });
  const { meta } = await asked('GET', '/Services?PageSize=1');
  expect(meta.next_page_url).toContain('Page=1');
  expect((await asked('GET', '/Services?PageSize=1&Page=1')).meta.next_page_url).toBeNull();
  const started = await asked('POST', `/Services/${sid}/Verifications`, {
    To: '+14155552671',
    Channel: 'sms',
  });
  await asked('GET', `/Services/${sid}/Verifications/${started.sid}`);
  const limit = await asked('POST', `/Services/${sid}/RateLimits`, { UniqueName: 'ip' });
  await asked('POST', `/Services/${sid}/RateLimits/${limit.sid}/Buckets`, { Max: '5', Interval: '60' });
  await asked('GET', '/Attempts');
  await asked('GET', '/Attempts/Summary');
  await asked('POST', '/SafeList/Numbers', { PhoneNumber: '+14155552671' });
});
