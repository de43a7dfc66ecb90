import { httpUrl, key } from '../../../../platform/setting-schemas.ts';
import type { FieldValues } from '../../carrier.ts';
import { carrierKind, fieldUrlProblems, type SettingValues, settingUrlProblems } from '../../kind.ts';
import { senderProblems } from '../../senders.ts';
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
      senders: values.senders,
      apiUrl: values.api_url,
      givesFeedback: Boolean(values.feedback),
    }),
  fieldProblems: (values, context) => ({
    ...(values.account_sid && !/^[\w.-]{1,64}$/.test(values.account_sid)
      ? { account_sid: 'Copy the Account SID again. It consists of letters and digits.' }
      : {}),
    ...(context.channels.includes('voice') && values.from && !twilioChannels(values).includes('voice')
      ? { channels: 'Calls need a sender that is a number, such as +15551234567.' }
      : {}),
    ...senderProblems('twilio', values),
    ...fieldUrlProblems('api_url', values.api_url, context),
  }),
  callbacks: twilioCallbacks,
  environment: {
    schemas: {
      TWILIO_ACCOUNT_SID: key.optional(),
      TWILIO_AUTH_TOKEN: key.optional(),
      TWILIO_FROM: key.optional(),
      TWILIO_SENDERS: key.optional(),
      TWILIO_API_URL: httpUrl.default(API_URL),
    },
    required: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
    secrets: { TWILIO_AUTH_TOKEN: 'issued' },
    fields: {
      account_sid: 'TWILIO_ACCOUNT_SID',
      auth_token: 'TWILIO_AUTH_TOKEN',
      from: 'TWILIO_FROM',
      senders: 'TWILIO_SENDERS',
      api_url: 'TWILIO_API_URL',
    },
    problems: (settings) => {
      const { from, senders } = senderProblems('twilio', sendersIn(settings));
      return [
        ...(from ? [`TWILIO_FROM: ${from}`] : []),
        ...(senders ? [`TWILIO_SENDERS: ${senders}`] : []),
        ...settingUrlProblems('TWILIO_API_URL', settings.TWILIO_API_URL),
      ];
    },
    unableBecause: (settings, channel) =>
      settings.TWILIO_FROM && !twilioChannels(sendersIn(settings)).includes(channel)
        ? 'neither TWILIO_FROM nor TWILIO_SENDERS has a number that can place calls'
        : undefined,
    examine: { about: 'twilio', check: checkTwilio },
  },
});

const sendersIn = ({ TWILIO_FROM, TWILIO_SENDERS }: SettingValues): FieldValues => ({
  from: TWILIO_FROM,
  senders: TWILIO_SENDERS,
});
