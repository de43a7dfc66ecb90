// An Express application whose SuperTokens sends its codes by Sixdigit.
import express from 'express';
import { Sixdigit, SixdigitError } from 'sixdigit';
import supertokens, { getRequestFromUserContext } from 'supertokens-node';
import { errorHandler, middleware } from 'supertokens-node/framework/express';
import Passwordless from 'supertokens-node/recipe/passwordless';
import Session from 'supertokens-node/recipe/session';

const { SIXDIGIT_URL, SIXDIGIT_API_KEY, SUPERTOKENS_URL, SUPERTOKENS_API_KEY, PORT = 8080 } = process.env;
const { API_DOMAIN = 'http://localhost:8080', WEBSITE_DOMAIN = 'http://localhost:3000' } = process.env;
const sixdigit = new Sixdigit({ baseUrl: SIXDIGIT_URL, apiKey: SIXDIGIT_API_KEY });

/** SuperTokens' lifetime is in milliseconds. Sixdigit takes 60 to 3,600 seconds. */
const secondsOf = (codeLifetime) => Math.min(3600, Math.max(60, Math.floor(codeLifetime / 1000)));

async function sendSms({ phoneNumber, userInputCode, codeLifetime, userContext }) {
  await sixdigit.send({
    channel: 'sms',
    recipient: phoneNumber,
    code: userInputCode,
    expires_in: secondsOf(codeLifetime),
    client_ip: getRequestFromUserContext(userContext)?.original.ip,
  });
}

// What the person reads. Every other problem is the operator's.
const SENTENCES = {
  invalid_fields: 'Please check the phone number.',
  recipient_rate_limited: 'Too many codes were requested. Please try again later.',
  recipient_opted_out: 'This number has opted out of messages.',
  destination_blocked: 'Codes cannot be sent to this number.',
};

/** SuperTokens' screens show the message of a GENERAL_ERROR. */
const explained = (send) => async (input) => {
  try {
    return await send(input);
  } catch (error) {
    if (!(error instanceof SixdigitError)) throw error;
    const isExplained = error.reason !== 'invalid_fields' || error.fieldErrors.recipient;
    const sentence = isExplained ? SENTENCES[error.reason] : undefined;
    if (!sentence) console.error(error);
    return {
      status: 'GENERAL_ERROR',
      message: sentence ?? 'The code could not be sent. Please try again later.',
    };
  }
};

supertokens.init({
  framework: 'express',
  telemetry: false,
  supertokens: { connectionURI: SUPERTOKENS_URL, apiKey: SUPERTOKENS_API_KEY },
  appInfo: { appName: 'Sample', apiDomain: API_DOMAIN, websiteDomain: WEBSITE_DOMAIN },
  recipeList: [
    Passwordless.init({
      contactMethod: 'PHONE',
      flowType: 'USER_INPUT_CODE',
      smsDelivery: { override: (original) => ({ ...original, sendSms }) },
      override: {
        apis: (original) => ({
          ...original,
          createCodePOST: explained((input) => original.createCodePOST(input)),
          resendCodePOST: explained((input) => original.resendCodePOST(input)),
        }),
      },
    }),
    Session.init(),
  ],
});

const app = express();
// Behind a reverse proxy, also set 'trust proxy': Sixdigit detects abuse by the address of the person.
app.use(middleware());
app.use(errorHandler());

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
