import { CHANNELS } from '../../channels.ts';
import { carrierFacts, channelSendersField, feedbackField } from './facts.ts';

export const custom = carrierFacts({
  label: 'Any company with an HTTP API',
  help: 'You describe its requests, responses and reports as a record.',
  group: 'Your own',
  suggestedName: 'company',
  serves: CHANNELS,
  reports: 'late',
  fields: [
    {
      name: 'record',
      label: 'Record',
      help: 'JSON. Placeholders such as {to} stand for the message, {from} and the other fields for what you enter here.',
      isLong: true,
      receivesSecret: true,
    },
    { name: 'from', label: 'Sender', help: 'For {from}.', isOptional: true },
    channelSendersField,
    feedbackField('Makes the request that the record describes under feedback, after a right code.'),
    { name: 'username', label: 'User name', help: 'For {username}.', isOptional: true, receivesSecret: true },
    { name: 'password', label: 'Password', help: 'For {password}.', isSecret: true, isOptional: true },
    { name: 'api_key', label: 'API key', help: 'For {api_key}.', isSecret: true, isOptional: true },
    {
      name: 'signing_key',
      label: 'Signing key',
      help: 'For {signing_key}, which proves reports.',
      isSecret: true,
      isOptional: true,
    },
    {
      name: 'api_url',
      label: 'API address',
      help: 'For {api_url}.',
      placeholder: 'https://api.example.com',
      isOptional: true,
      receivesSecret: true,
    },
  ],
});
