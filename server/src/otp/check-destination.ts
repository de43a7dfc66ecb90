import type { z } from 'zod';
import { factsOf } from '#contract/channels.ts';
import {
  checkDestination,
  checkOwnDestination,
  type DestinationBody,
  type DestinationCheck,
} from '#contract/protection.ts';
import type { LimitsOfAccounts } from '../account-limits/account-limits.ts';
import type { ApiCaller } from '../api-keys/api-keys.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { destinationOf, explained, type Protection } from '../protection/protection.ts';
import { testRefusal } from '../test-mode/test-mode.ts';
import { recipientTag } from './destination-guard.ts';
import { normaliseRecipient, recipientHash } from './recipient.ts';
import { guardedDestination } from './send-and-verify.ts';

type App = Needs<'config' | 'clock' | 'vault'> & { protection: Protection; accountLimits: LimitsOfAccounts };

/** Decides a send without sending it, with the reasons. Counts nothing. */
export function checkRoutes(server: Server, app: App): void {
  serve(server, checkDestination, ({ caller, body }) =>
    (caller as ApiCaller).is_test ? checkOfTest(app, body) : checkOf(app, caller.account_id, body),
  );
  serve(server, checkOwnDestination, ({ caller, body }) => checkOf(app, caller.account_id, body));
}

type Body = z.output<typeof DestinationBody>;

function checkOf(
  app: App,
  account_id: string,
  { channel, recipient: text, client_ip }: Body,
): DestinationCheck {
  const countries = app.accountLimits.of(account_id)?.countries;
  const { recipient } = normaliseRecipient(app, channel, text, { countries });
  const to = factsOf(channel).recipient === 'email' ? undefined : destinationOf(recipient, client_ip ?? null);
  const guarded = guardedDestination(app, account_id, to);
  const decision =
    guarded &&
    app.protection.guard.explain({
      account_id,
      to: guarded,
      recipient: recipientTag(recipientHash(app, recipient)),
      now_ms: app.clock.now().getTime(),
    });
  return explained({ channel, recipient, to }, decision ?? undefined);
}

/** No rule looks at tests. A test recipient may be blocked, as documented. */
function checkOfTest(app: App, { channel, recipient: text }: Body): DestinationCheck {
  const { recipient } = normaliseRecipient(app, channel, text, { is_test: true });
  const allowed = explained({ channel, recipient, to: undefined }, undefined);
  const refusal = testRefusal(recipient, app.clock.now().getTime());
  return refusal?.kind === 'destination_blocked'
    ? { ...allowed, decision: 'blocked', blocked_by: [...refusal.blocked_by], listed: 'deny' }
    : allowed;
}
