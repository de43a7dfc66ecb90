// Signs people in with SuperTokens, which makes and verifies the codes. Sixdigit sends them.
// SUPERTOKENS_URL=… SIXDIGIT_URL=… SIXDIGIT_API_KEY=sd_test_… node server.mjs
// The key needs the scope otp:own_code.
import express from 'express';
import { Sixdigit, SixdigitError } from 'sixdigit';
import SuperTokens from 'supertokens-node';
import { errorHandler, middleware } from 'supertokens-node/framework/express/index.js';
import Passwordless from 'supertokens-node/recipe/passwordless/index.js';
import Session from 'supertokens-node/recipe/session/index.js';

const sixdigit = new Sixdigit({
  baseUrl: process.env.SIXDIGIT_URL,
  apiKey: process.env.SIXDIGIT_API_KEY,
});

/** SuperTokens states milliseconds. Sixdigit takes 60 to 3600 seconds. */
const secondsOf = (codeLifetime) => Math.min(3600, Math.max(60, Math.floor(codeLifetime / 1000)));

const smsDelivery = {
  override: (original) => ({
    ...original,
    async sendSms({ phoneNumber, userInputCode, codeLifetime }) {
      await sixdigit.send({
        channel: 'sms',
        recipient: phoneNumber,
        code: userInputCode,
        expires_in: secondsOf(codeLifetime),
      });
    },
  }),
};

// What the person reads. Every other problem is ours.
const SENTENCES = {
  invalid_fields: 'Please check the phone number.',
  recipient_rate_limited: 'Too many codes were requested. Please try again later.',
  recipient_opted_out: 'This number has opted out of messages.',
  destination_blocked: 'Codes cannot be sent to this number.',
};

/** SuperTokens' forms show the message of a GENERAL_ERROR. */
const withSentence = (call) => async (input) => {
  try {
    return await call(input);
  } catch (error) {
    if (!(error instanceof SixdigitError)) throw error;
    if (!SENTENCES[error.reason]) console.error(error);
    const message = SENTENCES[error.reason] ?? 'Codes cannot be sent now. Please try again later.';
    return { status: 'GENERAL_ERROR', message };
  }
};

SuperTokens.init({
  framework: 'express',
  supertokens: { connectionURI: process.env.SUPERTOKENS_URL },
  appInfo: { appName: 'Shop', apiDomain: 'http://127.0.0.1', websiteDomain: 'http://127.0.0.1' },
  telemetry: false,
  recipeList: [
    Passwordless.init({
      contactMethod: 'PHONE',
      flowType: 'USER_INPUT_CODE',
      smsDelivery,
      override: {
        apis: (original) => ({
          ...original,
          createCodePOST: withSentence((input) => original.createCodePOST(input)),
          resendCodePOST: withSentence((input) => original.resendCodePOST(input)),
        }),
      },
    }),
    Session.init(),
  ],
});

const app = express();
app.use(middleware());
app.use(errorHandler());

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
