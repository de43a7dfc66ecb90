import type { Chapter, Facts } from './chapter.ts';

/** The base URL, the key and the two calls. */
export const quickStart = ({ apiUrl, keyPrefix, smsMaxSegments, sendCost }: Facts): Chapter => ({
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
        `An SMS can have up to ${smsMaxSegments} ${smsMaxSegments === 1 ? 'segment' : 'segments'} including the code. A single segment holds 160 characters, and each of several holds 153. With a character outside GSM-7, such as an emoji or “ç”, the limits are 70 and 67.`,
      ],
    },
  ],
});
