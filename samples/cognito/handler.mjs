// Sends the codes of Amazon Cognito. The Lambda function of a custom SMS sender, with the environment
// KEY_ARN (of the KMS key of the user pool), SIXDIGIT_URL and SIXDIGIT_API_KEY. The key needs the scope otp:own_code.
import { buildClient, CommitmentPolicy, KmsKeyringNode } from '@aws-crypto/client-node';
import { Sixdigit } from 'sixdigit';

const { decrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_ALLOW_DECRYPT);
const keyring = new KmsKeyringNode({ keyIds: [process.env.KEY_ARN] });

const sixdigit = new Sixdigit({
  baseUrl: process.env.SIXDIGIT_URL,
  apiKey: process.env.SIXDIGIT_API_KEY,
});

export async function handler({ triggerSource, request }) {
  // Its secret is a password, not a code.
  if (triggerSource === 'CustomSMSSender_AdminCreateUser') throw new Error('Passwords are not sent by SMS');
  const { plaintext } = await decrypt(keyring, Buffer.from(request.code, 'base64'));
  await sixdigit.send({
    channel: 'sms',
    recipient: request.userAttributes.phone_number,
    code: plaintext.toString('utf8'),
  });
}
