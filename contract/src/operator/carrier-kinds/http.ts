import { CHANNELS } from '../../channels.ts';
import { ENVIRONMENT_CARRIERS } from '../../environment-carriers.ts';
import { carrierFacts } from './facts.ts';

export const http = carrierFacts({
  label: ENVIRONMENT_CARRIERS.http,
  help: 'Your own program in front of any carrier. It gets each message as a signed JSON POST.',
  group: 'Your own',
  suggestedName: 'gateway',
  serves: CHANNELS,
  reports: 'late',
  fields: [
    {
      name: 'url',
      label: 'URL',
      help: 'Receives every message, with its code.',
      placeholder: 'https://gateway.example.com/send',
    },
    {
      name: 'secret',
      label: 'Signing secret',
      help: 'Signs messages and delivery reports (Standard Webhooks). At least 16 bytes: base64 after whsec_, or other text.',
      isSecret: true,
    },
  ],
});
