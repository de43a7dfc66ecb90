import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { ownCodes } from '../test/own-codes.ts';
import { type FakeKms, fakeKms } from './fake-kms.ts';

const { service, proxy, alice, env } = ownCodes();
const kms: FakeKms = fixture(fakeKms);

interface Invocation {
  phone_number: string;
  code: string;
  triggerSource?: string;
  key?: string;
}

/** Invokes the function in a process of its own, as Lambda does, for an event as Amazon Cognito documents it. */
async function invoke(invocation: Invocation) {
  const { phone_number, code, triggerSource = 'CustomSMSSender_Authentication', key } = invocation;
  const event = {
    version: '1',
    triggerSource,
    region: 'eu-central-1',
    userPoolId: 'eu-central-1_Example',
    userName: 'alice',
    callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId: 'client' },
    request: {
      type: 'customSMSSenderRequestV1',
      code: await kms.encrypt(code),
      userAttributes: { sub: '1', phone_number, phone_number_verified: 'true' },
    },
  };
  const call = `import { handler } from './index.mjs'; await handler(${JSON.stringify(event)});`;
  return new Promise<{ isRepeated: boolean; log: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=@sixdigit/source', '--input-type=module', '-e', call],
      {
        cwd: import.meta.dirname,
        env: {
          PATH: process.env.PATH,
          AWS_REGION: 'eu-central-1',
          AWS_ACCESS_KEY_ID: 'lambda',
          AWS_SECRET_ACCESS_KEY: 'secret',
          AWS_ENDPOINT_URL_KMS: kms.url,
          KEY_ARN: kms.keyArn,
          ...env(),
          ...(key && { SIXDIGIT_API_KEY: key }),
        },
      },
      // Lambda repeats an asynchronous call that has failed.
      (error, _, stderr) => resolve({ isRepeated: error !== null, log: stderr }),
    );
  });
}

test("the Cognito function decrypts Cognito's code, and repetitions send one message", async () => {
  const sent = { phone_number: '+12015550121', code: '482913' };
  expect(await invoke(sent)).toEqual({ isRepeated: false, log: '' });
  const balance = await alice.balance();
  expect(await invoke(sent)).toEqual({ isRepeated: false, log: '' });
  expect(await alice.balance()).toBe(balance);
  await service.deliver();
  expect(await service.inbox(sent.phone_number)).toMatchObject([{ channel: 'sms', code: '482913' }]);
});

test('the Cognito function fails during an outage, so that Lambda repeats it', async () => {
  const sent = { phone_number: '+12015550122', code: '482914' };
  proxy.plan('unavailable', 'unavailable', 'unavailable');
  expect(await invoke(sent)).toMatchObject({ isRepeated: true });
  expect(await invoke(sent)).toEqual({ isRepeated: false, log: '' });
});

test('the Cognito function logs a refusal without the code or the number, and is not repeated', async () => {
  expect(await invoke({ phone_number: '+1', code: '482915' })).toEqual({
    isRepeated: false,
    log: expect.stringMatching(/^Sixdigit refused the number: invalid_fields \(request [\w-]+\)\n$/),
  });
});

test('the Cognito function fails if the key is invalid, and its log has neither the code nor the number', async () => {
  const key = 'sd_live_wrong';
  const { isRepeated, log } = await invoke({ phone_number: '+12015550124', code: '482916', key });
  expect({ isRepeated, log }).toEqual({
    isRepeated: true,
    log: expect.stringContaining("reason: 'invalid_api_key'"),
  });
  expect(log).not.toMatch(/482916|12015550124|sd_live_wrong/);
});

test('the Cognito function does not send temporary passwords', async () => {
  const invited = await invoke({
    phone_number: '+12015550123',
    code: 'Temp-pass1!',
    triggerSource: 'CustomSMSSender_AdminCreateUser',
  });
  expect(invited).toEqual({ isRepeated: false, log: expect.stringContaining('no temporary passwords') });
  await service.deliver();
  expect(await service.inbox('+12015550123')).toEqual([]);
});
