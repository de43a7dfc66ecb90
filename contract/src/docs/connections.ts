import { SYSTEM_LABELS } from '../system-labels.ts';
import type { Chapter } from './chapter.ts';

const { webhook, 'twilio-messages': twilioMessages, ...named } = SYSTEM_LABELS;
const systems = `${[...Object.values(named), `systems that use the ${twilioMessages}`].join(', ')}, and any system that signs its requests as in [Standard Webhooks](https://www.standardwebhooks.com)`;

/** How another system's codes are delivered. */
export const connections = (): Chapter => ({
  id: 'connections',
  title: 'Connections',
  summary: 'Deliver the codes that an auth system makes and verifies',
  parts: [
    {
      text: [
        'If your auth system makes and verifies its codes, a connection delivers them, without a program of yours. Create one under [Connections](/connections), and enter its address and secret in the system. **Test Connection** makes the request that the system would make.',
        `You can connect ${systems}.`,
        [
          'The codes are own codes, as with `code` in a send: only the system can verify them. Their verifications end as sent, failed or expired.',
          'They cost as much as other sends, and nothing in test mode. The same limits and rules apply. A connection can have an expiry, allowed networks and a daily credit limit.',
          'While a code is valid, a repeated request with it to the same recipient sends and costs nothing more.',
        ],
        '### Refused requests',
        'The list shows the reason of the last refused request, and [Logs](/logs) has all of them. The response has it in the header `X-Reason`.',
        [
          '`code_missing`: The request contains no code, or its text contains several numbers that could be the code. Set a code pattern: the text around the code, such as `PIN: {code}`. Links and other notifications are always refused.',
          '`invalid_signature`: The secret or the signature is wrong, or the signature is older than five minutes. The list counts these requests; Logs does not have them.',
          'The reasons of a send also apply, such as `destination_blocked` and `insufficient_credits`.',
        ],
      ],
    },
  ],
});
