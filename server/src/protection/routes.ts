import {
  allowDestination,
  denyDestination,
  getProtection,
  type ListEntry,
  listBlocks,
  removeListEntry,
  unblockDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { byOwner } from '../audit/audit.ts';
import { originOf } from '../platform/http/client-address.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { requireStepUp, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { allow } from './allow.ts';
import { blocksOf } from './blocks.ts';
import type { Protection } from './protection.ts';
import { changeOwn, changeProtection, entryOf, protectionOf, withEntry, withoutEntry } from './settings.ts';
import { readUnblockToken } from './unblock-link.ts';

type App = Needs<'db' | 'clock' | 'config' | 'random' | 'vault'> & { protection: Protection };

export function protectionRoutes(server: Server, app: App): void {
  const settings = { ...app, guard: app.protection.guard };
  serve(server, getProtection, ({ caller }) => protectionOf(settings, caller.account_id));
  serve(server, updateProtection, ({ caller, body }) => {
    if (body.rules || body.allow || body.deny) requireStepUp(caller);
    return changeProtection(settings, caller, body);
  });
  serve(server, listBlocks, ({ caller }) => blocksOf(app, caller.account_id));
  serve(server, allowDestination, async ({ caller, body }) => {
    await allow(settings, { ...byOwner(caller), action: 'protection.allow' }, entryFrom(body, app));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, denyDestination, async ({ caller, body }) => {
    await changeOwn(settings, caller, withEntry('deny', entryFrom(body, app)));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, removeListEntry, async ({ caller, body }) => {
    if (body.list === 'deny') requireStepUp(caller);
    await changeOwn(settings, caller, withoutEntry(body.list, entryFrom(body, app)));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, unblockDestination, async ({ body, request }) => {
    const now = app.clock.now();
    const link = readUnblockToken(app, body.token, now);
    if (!link) throw new Failure('invalid_unblock_link');
    const { account_id, kind, value } = link;
    const entry = { kind, value, note: 'Unblocked by mail', created_at: now.toISOString(), expires_at: null };
    // The link proves access to the mailbox of the account.
    const by = {
      account_id,
      actor: 'owner',
      origin: originOf(request),
      action: 'protection.unblock',
    } as const;
    await allow(settings, by, entry);
    return { kind, value, expires_at: null };
  });
}

function entryFrom(given: Parameters<typeof entryOf>[0], { clock }: Pick<App, 'clock'>): ListEntry {
  const result = entryOf(given, clock.now());
  if ('problem' in result) throw new FieldErrors({ value: [result.problem] });
  return result.entry;
}
