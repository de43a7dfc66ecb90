import { ENVIRONMENT_CARRIERS } from '../../environment-carriers.ts';
import { carrierFacts, channelSendersField, feedbackField, senderField } from './facts.ts';

export const twilio = carrierFacts({
  label: ENVIRONMENT_CARRIERS.twilio,
  help: 'Twilio, or a carrier with a compatible API.',
  group: 'Message company',
  home: 'US',
  suggestedName: 'twilio-1',
  serves: ['sms', 'voice'],
  reports: 'quick',
  fields: [
    {
      name: 'account_sid',
      label: 'Account SID',
      help: 'On the home page of the Twilio console, under Account Info.',
      placeholder: 'AC…',
      receivesSecret: true,
    },
    {
      name: 'auth_token',
      label: 'Auth token',
      help: 'Next to the Account SID. It also proves that delivery reports come from Twilio.',
      isSecret: true,
    },
    senderField('A number, a short code, a sender name or a messaging service (MG…). Calls need a number.'),
    channelSendersField,
    feedbackField('Tells Twilio which SMS were confirmed by a right code.'),
    {
      name: 'api_url',
      label: 'API address',
      help: 'Only for a compatible carrier. Leave empty for Twilio.',
      placeholder: 'https://api.twilio.com',
      isOptional: true,
      receivesSecret: true,
    },
  ],
});
