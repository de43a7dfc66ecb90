import type { z } from 'zod';
import { factsOf } from '#contract/channels.ts';
import {
  checkDestination,
  checkOwnDestination,
  type DestinationBody,
  type DestinationCheck,
} from '#contract/protection.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { destinationOf, explained, type Protection } from '../protection/protection.ts';
import { recipientTag } from './destination-guard.ts';
import { normaliseRecipient, recipientHash } from './recipient.ts';

type App = Needs<'config' | 'clock' | 'vault'> & { protection: Protection };

/** Decides a send without sending it, with the reasons. Counts nothing. */
export function checkRoutes(server: Server, app: App): void {
  serve(server, checkDestination, ({ caller, body }) => checkOf(app, caller.account_id, body));
  serve(server, checkOwnDestination, ({ caller, body }) => checkOf(app, caller.account_id, body));
}

function checkOf(
  app: App,
  account_id: string,
  { channel, recipient: text, client_ip }: z.output<typeof DestinationBody>,
): DestinationCheck {
  const { recipient } = normaliseRecipient(app, channel, text);
  const to = factsOf(channel).recipient === 'email' ? undefined : destinationOf(recipient, client_ip ?? null);
  const decision =
    to &&
    app.protection.guard.decide({
      account_id,
      to,
      recipient: recipientTag(recipientHash(app, recipient)),
      now_ms: app.clock.now().getTime(),
    });
  return explained({ channel, recipient, to }, decision);
}
