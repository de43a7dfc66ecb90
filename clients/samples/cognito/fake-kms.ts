import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  buildClient,
  CommitmentPolicy,
  KMS,
  KmsKeyringNode,
  type KmsNodeClientSupplier,
} from '@aws-crypto/client-node';
import { listen } from '../../../server/test/fakes/http-listener.ts';

export interface FakeKms extends AsyncDisposable {
  url: string;
  keyArn: string;
  /** Encrypts a code as Amazon Cognito does. */
  encrypt(code: string): Promise<string>;
}

interface KmsRequest {
  NumberOfBytes?: number;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

/** One key of KMS, and its calls `GenerateDataKey` and `Decrypt` for the AWS SDK. */
export async function fakeKms(): Promise<FakeKms> {
  const keyArn = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const key = randomBytes(32);
  const contextOf = ({ EncryptionContext = {} }: KmsRequest) =>
    Buffer.from(JSON.stringify(Object.entries(EncryptionContext).toSorted()));
  const calls: Record<string, (request: KmsRequest) => Record<string, Buffer>> = {
    'TrentService.GenerateDataKey'(request) {
      const Plaintext = randomBytes(request.NumberOfBytes ?? 32);
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(contextOf(request));
      const sealed = [cipher.update(Plaintext), cipher.final()];
      return { Plaintext, CiphertextBlob: Buffer.concat([iv, ...sealed, cipher.getAuthTag()]) };
    },
    'TrentService.Decrypt'(request) {
      const blob = Buffer.from(request.CiphertextBlob ?? '', 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(contextOf(request));
      decipher.setAuthTag(blob.subarray(-16));
      return { Plaintext: Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]) };
    },
  };
  const { origin, close } = await listen(({ headers, text }) => {
    const call = calls[String(headers['x-amz-target'])];
    const fields = Object.entries(call?.(JSON.parse(text)) ?? {});
    const encoded = fields.map(([name, value]) => [name, value.toString('base64')]);
    return { status: call ? 200 : 400, body: { KeyId: keyArn, ...Object.fromEntries(encoded) } };
  });

  const credentials = { accessKeyId: 'cognito', secretAccessKey: 'secret' };
  const clientProvider = () => new KMS({ region: 'eu-central-1', endpoint: origin, credentials });
  const keyring = new KmsKeyringNode({
    generatorKeyId: keyArn,
    // The two packages differ in what may be undefined.
    clientProvider: clientProvider as unknown as KmsNodeClientSupplier,
  });
  const { encrypt } = buildClient(CommitmentPolicy.FORBID_ENCRYPT_ALLOW_DECRYPT);
  return {
    url: origin,
    keyArn,
    async encrypt(code) {
      const { result } = await encrypt(keyring, code, {
        encryptionContext: { 'userpool-id': 'eu-central-1_Example' },
      });
      return result.toString('base64');
    },
    [Symbol.asyncDispose]: close,
  };
}
