import type { z } from 'zod';
import { REQUIRED } from '../field.ts';
import {
  cancelOtp,
  getOtp,
  reportOutcome,
  resendOtp,
  type SendReply,
  sendOtp,
  type VerifyReply,
  verifyOtp,
} from '../otp.ts';
import { createChallenge } from '../proof.ts';
import { checkDestination } from '../protection/destination-check.ts';
import type { Route } from '../route.ts';
import { type Block, type Chapter, type Facts, json, type Part, type Samples } from './chapter.ts';
import { fieldsOf, proseOf, refusalsOf } from './reference.ts';
import { sendSamples, verifySamples } from './samples.ts';

interface Call {
  route: Route;
  name: string;
  samples: Samples;
  /** what a successful response means */
  success: string;
  /** an example of a successful response */
  reply: object;
  /** the missing field in the example of field errors */
  required: string;
  /** after the parameters */
  more?: readonly Block[];
}

/** Documents one call: parameters, response and errors. */
const partsOf = ({ route, name, samples, success, reply, required, more = [] }: Call): Part[] => [
  {
    text: [{ kind: 'endpoint', route }, ...proseOf(route)],
    sample: { kind: 'samples', label: name, samples, route },
    more: [
      '### Parameters',
      { kind: 'fields', label: `Parameters of ${name}`, fields: fieldsOf(route, 'body') },
      ...(route.idempotent
        ? [
            'To retry safely, send an `Idempotency-Key` header of your choice. For 24 hours, the same key and body get the same response, and nothing is sent or charged twice.',
          ]
        : []),
      ...more,
    ],
  },
  {
    text: ['### Responses', { kind: 'status', status: route.status, text: success }],
    sample: json(reply, `Response of ${name}`),
    more: [{ kind: 'fields', label: `Response fields of ${name}`, fields: fieldsOf(route, 'reply') }],
  },
  {
    text: [
      '### Errors',
      {
        kind: 'status',
        status: 400,
        text: 'A field is missing or invalid. Each has a list of messages.',
      },
      'All other errors have a message and a stable reason.',
    ],
    sample: json({ [required]: [REQUIRED] }, `Field errors of ${name}`),
    more: [{ kind: 'refusals', label: `Errors of ${name}`, refusals: refusalsOf(route) }],
  },
];

/** Sending, verifying and the calls around them. */
export const calls = (facts: Facts): Chapter => ({
  id: 'calls',
  title: 'Send and verify',
  summary: 'The parameters, responses and errors of each call',
  calls: [
    {
      id: 'send',
      name: 'Send OTP',
      parts: partsOf({
        route: sendOtp,
        name: 'Send OTP',
        samples: sendSamples(facts),
        success:
          'The code is stored and will be dispatched to a carrier. To follow its status, add a [webhook](/webhooks) or read `GET /otp/{otp_id}/`.',
        required: 'recipient',
        more: [
          `An SMS can have up to ${facts.smsMaxSegments} ${facts.smsMaxSegments === 1 ? 'segment' : 'segments'} including the code. A single segment holds 160 characters, and each of several holds 153. With a character outside GSM-7, such as an emoji or “ç”, the limits are 70 and 67.`,
        ],
        reply: {
          otp_id: '01a1fc75-b3f7-7396-89ae-a333c4e5cb77',
          status: 'pending',
          expires_at: '2026-11-21T05:00:34.281Z',
          channel: facts.target.channel,
          recipient: facts.target.recipient,
          segments: facts.target.channel === 'sms' ? 1 : null,
          cost_credits: 1,
          language: 'en',
        } satisfies SendReply,
      }),
    },
    {
      id: 'verify',
      name: 'Verify OTP',
      parts: partsOf({
        route: verifyOtp,
        name: 'Verify OTP',
        samples: verifySamples(facts),
        success: 'The code is correct. It cannot be verified again.',
        required: 'code',
        reply: {
          status: 'verified',
          verified_at: '2026-11-21T04:55:38.102Z',
          otp_id: '01a1fc75-b3f7-7396-89ae-a333c4e5cb77',
        } satisfies z.infer<typeof VerifyReply>,
      }),
    },
  ],
  parts: [
    {
      text: [
        '### Other calls',
        {
          kind: 'calls',
          routes: [resendOtp, getOtp, cancelOtp, reportOutcome, createChallenge, checkDestination],
        },
        '`POST /otp/verify/` also takes the `recipient` in place of `otp_id`, with the `purpose` if the send has one. Its newest open verification is meant.',
        '### Languages and templates',
        '`locale`, such as `pt-BR`, chooses the language of our text. Without it, the account’s language under [OTP Configuration](/settings#messages) applies, or that of the number’s country if the account has chosen so. `language` in the response is that of the text.',
        'A [template](/settings#messages) has texts of your own per channel and language, with `{code}` and up to five variables. A send names it: `"template": "order", "variables": {"order": "4711"}`. Keys with the scope `templates:write` change templates.',
        '### Several channels and resends',
        '`"channels": ["sms", "voice"]` in place of `channel` tries each one in turn. `"auto"` is the account’s [plan](/settings#plans) for the recipient’s country.',
        '`POST /otp/{otp_id}/resend/` sends the same code again within ten minutes, also on another channel. Attempts and expiry continue.',
        '### Labels',
        '`metadata` attaches pairs of your own to a send, which are in its status, in webhooks and in exports. Under [Verifications](/), a search for `metadata.order=4711` finds a pair, and `purpose=login` a purpose.',
      ],
    },
  ],
});
