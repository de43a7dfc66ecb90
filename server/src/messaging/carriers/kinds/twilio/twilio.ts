import { httpUrl, key } from '../../../../platform/setting-schemas.ts';
import { carrierKind, fieldUrlProblems, settingUrlProblems } from '../../kind.ts';
import { twilioCallbacks } from './callbacks.ts';
import { checkTwilio } from './examine.ts';
import { API_URL, twilioCarrier, twilioChannels } from './send.ts';

export const twilio = carrierKind({
  create: ({ values, ...setup }) =>
    twilioCarrier({
      ...setup,
      accountSid: values.account_sid ?? '',
      authToken: values.auth_token ?? '',
      from: values.from ?? '',
      apiUrl: values.api_url,
    }),
  fieldProblems: ({ account_sid, from, api_url }, context) => ({
    ...(account_sid && !/^[\w.-]{1,64}$/.test(account_sid)
      ? { account_sid: 'Copy the Account SID again. It consists of letters and digits.' }
      : {}),
    ...(from && !isSender(from)
      ? {
          from: 'Enter a number like +15551234567, a short code, a sender name or a messaging service (MG…).',
        }
      : {}),
    ...(from &&
    isSender(from) &&
    context.channels.includes('voice') &&
    !twilioChannels(from).includes('voice')
      ? { channels: 'Calls need a sender that is a number, such as +15551234567.' }
      : {}),
    ...fieldUrlProblems('api_url', api_url, context),
  }),
  callbacks: twilioCallbacks,
  environment: {
    schemas: {
      TWILIO_ACCOUNT_SID: key.optional(),
      TWILIO_AUTH_TOKEN: key.optional(),
      TWILIO_FROM: key.optional(),
      TWILIO_API_URL: httpUrl.default(API_URL),
    },
    required: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
    secrets: { TWILIO_AUTH_TOKEN: 'issued' },
    fields: {
      account_sid: 'TWILIO_ACCOUNT_SID',
      auth_token: 'TWILIO_AUTH_TOKEN',
      from: 'TWILIO_FROM',
      api_url: 'TWILIO_API_URL',
    },
    problems: ({ TWILIO_FROM, TWILIO_API_URL }) => [
      ...(TWILIO_FROM && !isSender(TWILIO_FROM)
        ? [
            'TWILIO_FROM must be a number like +15551234567, a short code, a sender name or a messaging service (MG…).',
          ]
        : []),
      ...settingUrlProblems('TWILIO_API_URL', TWILIO_API_URL),
    ],
    unableBecause: ({ TWILIO_FROM }, channel) =>
      TWILIO_FROM && !twilioChannels(TWILIO_FROM).includes(channel)
        ? 'TWILIO_FROM is not a number that can place calls'
        : undefined,
    examine: { about: 'twilio', check: checkTwilio },
  },
});

/** Whether a text can be the sender of an SMS: a number, a short code, a name or a messaging service. */
function isSender(from: string): boolean {
  if (/^MG/.test(from)) return /^MG[0-9a-f]{32}$/i.test(from);
  return (
    /^(?:\+[1-9]\d{6,14}|\d{5,6})$/.test(from) || (/^[A-Za-z0-9 ]{1,11}$/.test(from) && /[A-Za-z]/.test(from))
  );
}
