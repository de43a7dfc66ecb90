import type { Chapter, Facts } from './chapter.ts';
import { sendCurl } from './curl.ts';

/** The base URL, the key and the two calls. */
export const quickStart = ({ apiUrl, keyPrefix, target, sendCost }: Facts): Chapter => ({
  id: 'quick-start',
  title: 'Quick Start',
  summary: 'The base URL, the key and the two calls',
  isSteps: true,
  parts: [
    {
      text: [
        '### Base URL',
        `Requests and responses are JSON. The OpenAPI description is at [openapi.json](${apiUrl}/openapi.json).`,
      ],
      sample: { kind: 'address', address: apiUrl },
    },
    {
      text: [
        '### Authentication',
        'Every call carries an API key in the `X-API-Key` header. Create one under [API Keys](/api-keys), and keep it on your server: never in an app or a web page.',
      ],
      sample: {
        kind: 'code',
        // The service does not store a key's secret, so the reader pastes it.
        code: `export API_KEY='${keyPrefix ? `${keyPrefix}...` : 'paste your key here'}'`,
        language: 'bash',
        label: 'Set the key in the environment',
        isOfKey: true,
      },
    },
    {
      text: [
        '### Send, then verify',
        `${sendCost} and returns an \`otp_id\`. Ask the user for the code and verify it with that id; verifying is free. Each key may make 30 requests per second.`,
        { kind: 'prices' },
      ],
      sample: {
        kind: 'code',
        code: sendCurl(apiUrl, target, keyPrefix),
        language: 'bash',
        label: 'Send a code',
      },
    },
  ],
});
