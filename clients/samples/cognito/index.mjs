// A Lambda function for the trigger "custom SMS sender" of an Amazon Cognito user pool.
import { buildClient, CommitmentPolicy, KmsKeyringNode } from '@aws-crypto/client-node';
import { Sixdigit } from 'sixdigit';

const { SIXDIGIT_URL, SIXDIGIT_API_KEY, KEY_ARN } = process.env;
const sixdigit = new Sixdigit({ baseUrl: SIXDIGIT_URL, apiKey: SIXDIGIT_API_KEY });
const { decrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_ALLOW_DECRYPT);
const keyring = new KmsKeyringNode({ keyIds: [KEY_ARN] });

/** A repetition would not change these refusals. */
const ABOUT_THE_NUMBER = [
  'invalid_fields',
  'recipient_rate_limited',
  'recipient_opted_out',
  'destination_blocked',
];

export async function handler(event) {
  const { triggerSource, request } = event;
  // Its temporary password is longer than a code and has other characters.
  if (triggerSource === 'CustomSMSSender_AdminCreateUser')
    return console.error('Sixdigit sends only codes, no temporary passwords');

  const { plaintext } = await decrypt(keyring, Buffer.from(request.code, 'base64'));
  try {
    await sixdigit.send({
      channel: 'sms',
      recipient: request.userAttributes.phone_number,
      code: plaintext.toString(),
    });
  } catch (error) {
    // Cognito does not wait for the function, so Lambda repeats it after an error. The same code sends one message.
    if (!ABOUT_THE_NUMBER.includes(error.reason)) throw error;
    console.error(`Sixdigit refused the number: ${error.reason} (request ${error.requestId})`);
  }
}
