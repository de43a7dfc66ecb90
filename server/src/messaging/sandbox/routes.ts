import type { SandboxMessage } from '@sixdigit/contract/deployment.ts';
import { withPlusOfUrl } from '@sixdigit/contract/text/phone-text.ts';
import { possiblePhone } from '../../platform/addresses/phone.ts';
import { isOperator } from '../../platform/http/client-address.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { newestMessages } from './sandbox.ts';

/**
 * The sandbox inbox as JSON, newest first. `?recipient=` accepts any number format. The inbox contains codes, so it exists only
 * in a sandbox, and only the operator can read it unless SANDBOX_INBOX=public.
 */
export function sandboxRoutes(server: Server, app: Needs<'db' | 'config'>): void {
  server.get('/sandbox/messages', async (request, reply): Promise<SandboxMessage[]> => {
    const { sandbox, publicInbox, defaultRegion } = app.config;
    if (!sandbox || !(publicInbox || isOperator(app, request))) throw new Failure('not_found');
    reply.header('Cache-Control', 'no-store');
    const { recipient } = request.query as { recipient?: unknown };
    if (recipient === undefined) return newestMessages(app.db, null);
    if (typeof recipient !== 'string' || recipient.includes('\0'))
      throw new FieldErrors({ recipient: ['Name one recipient.'] });
    return newestMessages(app.db, recipientAsStored(withPlusOfUrl(recipient).trim(), defaultRegion));
  });
}

function recipientAsStored(text: string, defaultRegion: string): string {
  if (text.includes('@')) return text.toLowerCase();
  return possiblePhone(text, { defaultRegion }) ?? possiblePhone(`+${text}`, { defaultRegion }) ?? text;
}
