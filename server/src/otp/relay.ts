/**
 * Sends and verifies that other systems ask for, in forms of their own. They run in the same engine as ours and keep nothing
 * besides: a system reads our fields out of its request and writes our reply in its form.
 */

import { SendBody as SendFields, type SendReply, sendOtp } from '@sixdigit/contract/otp.ts';
import type { ApiCaller } from '../api-keys/api-keys.ts';
import { Decided, type Noted, noting, Replied } from '../platform/http/answer.ts';
import { parserOf } from '../platform/http/input.ts';
import type { OtpApp } from './call.ts';
import { type SendCall, send } from './send/send.ts';
import type { SendBody } from './send/wording.ts';

/** Reads a send on one channel. Throws field errors. */
export const parseSendBody = parserOf(SendFields) as (given: unknown) => SendBody;

interface RelayedSend extends Pick<SendCall, 'request' | 'reply' | 'inbound'> {
  /** Reads the request in our form. Throws its refusal. */
  read(): SendBody;
  /** what to note if that fails */
  noted: Noted;
}

/** Sends a code with the key of the caller. Returns our reply and what to note; a refusal is thrown with its notes. */
export const relaySend = (
  app: OtpApp,
  caller: ApiCaller,
  { read, noted, ...call }: RelayedSend,
): Promise<Replied<SendReply>> =>
  noting(noted, async () => {
    const body = read();
    const about = { otp_id: null, recipient: body.recipient, channel: body.channel };
    const answer = await noting({ ...noted, about }, () => send(app, caller, { ...call, body }));
    return new Replied(
      sendOtp.reply.parse(answer instanceof Decided ? answer.body : answer.reply),
      answer.noted,
    );
  });
