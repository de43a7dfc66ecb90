import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { buildClient, CommitmentPolicy, KmsKeyringNode } from '@aws-crypto/client-node';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { SixdigitError } from 'sixdigit';
import { expect, test, vi } from 'vitest';
import { listen } from '../../server/test/fakes/http-listener.ts';
import { fixture } from '../../server/test/fixture.ts';
import { sender } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { signedIn } from '../../server/test/signed-in.ts';

const KEY_ARN = 'arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));

/** The part of AWS KMS that makes and opens data keys. An encrypted key contains the key. */
const kms = fixture(async () => {
  const { origin: url, close } = await listen(({ headers, text }) => {
    const operation = String(headers['x-amz-target']).split('.')[1];
    const { NumberOfBytes = 32, CiphertextBlob = '' } = JSON.parse(text) as {
      NumberOfBytes?: number;
      CiphertextBlob?: string;
    };
    const key =
      operation === 'GenerateDataKey'
        ? randomBytes(NumberOfBytes)
        : Buffer.from(CiphertextBlob, 'base64').subarray('sealed:'.length);
    const sealed = Buffer.concat([Buffer.from('sealed:'), key]);
    return {
      status: 200,
      body: {
        KeyId: KEY_ARN,
        Plaintext: key.toString('base64'),
        CiphertextBlob: sealed.toString('base64'),
      },
    };
  });
  return { url, [Symbol.asyncDispose]: close };
});

interface Event {
  triggerSource: string;
  request: { type: string; code: string; userAttributes: Record<string, string> };
}
/** The Lambda function, in the environment that Lambda would give it. */
const lambda = fixture(async () => {
  const { body: key } = await service.call(createApiKey, {
    bearer: await signedIn(service, alice),
    body: { name: 'Cognito', scopes: ['otp:send', 'otp:own_code'] },
  });
  const env = {
    KEY_ARN,
    SIXDIGIT_URL: origin.url,
    SIXDIGIT_API_KEY: key.key,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { handler } = createRequire(import.meta.url)('./handler.mjs') as {
    handler(event: Event): Promise<void>;
  };
  return {
    handler,
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
    },
  };
});

/** The event of Cognito, with an encrypted code. */
async function eventWith(code: string, phone_number: string, triggerSource = 'CustomSMSSender_SignUp') {
  const { encrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_ALLOW_DECRYPT);
  const { result } = await encrypt(new KmsKeyringNode({ generatorKeyId: KEY_ARN }), code);
  return {
    triggerSource,
    request: {
      type: 'customSMSSenderRequestV1',
      code: result.toString('base64'),
      userAttributes: { sub: 'a-user', phone_number },
    },
  };
}
const messagesTo = async (recipient: string) => {
  await service.deliver();
  return service.inbox(recipient);
};

test('the Cognito sample sends the code that Cognito encrypted, and a repeated event sends nothing more', async () => {
  const event = await eventWith('482918', '+12015550181');
  expect(JSON.stringify(event)).not.toContain('482918');
  await lambda.handler(event);
  await lambda.handler(event);
  expect(await messagesTo('+12015550181')).toMatchObject([{ code: '482918', channel: 'sms' }]);
});

test('the Cognito sample fails if Sixdigit refuses the code, so that Lambda logs why', async () => {
  const event = await eventWith('482919', '+1415');
  await expect(lambda.handler(event)).rejects.toThrow(SixdigitError);
});

test('the Cognito sample sends no temporary password', async () => {
  const event = await eventWith('Pa55-word', '+12015550182', 'CustomSMSSender_AdminCreateUser');
  await expect(lambda.handler(event)).rejects.toThrow('Passwords are not sent by SMS');
  expect(await messagesTo('+12015550182')).toEqual([]);
});
