import {
  allowDestination,
  denyDestination,
  getProtection,
  type ListEntry,
  listBlocks,
  removeListEntry,
  unblockDestination,
  updateProtection,
} from '#contract/protection.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { requireStepUp, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { allow } from './allow.ts';
import { blocksOf } from './blocks.ts';
import type { Protection } from './protection.ts';
import {
  changeProtection,
  entryOf,
  lockedChange,
  protectionOf,
  use,
  withEntry,
  withoutEntry,
} from './settings.ts';
import { readUnblockToken } from './unblock-link.ts';

type App = Needs<'db' | 'clock' | 'config' | 'vault'> & { protection: Protection };

export function protectionRoutes(server: Server, app: App): void {
  const settings = { ...app, guard: app.protection.guard };
  serve(server, getProtection, ({ caller }) => protectionOf(settings, caller.account_id));
  serve(server, updateProtection, ({ caller, body }) => {
    if (body.rules) requireStepUp(caller);
    return changeProtection(settings, caller.account_id, body);
  });
  serve(server, listBlocks, ({ caller }) => blocksOf(app, caller.account_id));
  serve(server, allowDestination, async ({ caller, body }) => {
    await allow(settings, caller.account_id, entryFrom(body, app));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, denyDestination, async ({ caller, body }) => {
    const change = withEntry('deny', entryFrom(body, app));
    const { after } = await app.db.transaction((tx) => lockedChange(tx, caller.account_id, change));
    use(settings, after);
    return protectionOf(settings, caller.account_id);
  });
  serve(server, removeListEntry, async ({ caller, body }) => {
    const change = withoutEntry(body.list, entryFrom(body, app));
    const { after } = await app.db.transaction((tx) => lockedChange(tx, caller.account_id, change));
    use(settings, after);
    return protectionOf(settings, caller.account_id);
  });
  serve(server, unblockDestination, async ({ body }) => {
    const now = app.clock.now();
    const link = readUnblockToken(app, body.token, now);
    if (!link) throw new Failure('invalid_unblock_link');
    const { account_id, kind, value } = link;
    const entry = { kind, value, note: 'Unblocked by mail', created_at: now.toISOString(), expires_at: null };
    await allow(settings, account_id, entry);
    return { kind, value, expires_at: null };
  });
}

function entryFrom(given: Parameters<typeof entryOf>[0], { clock }: Pick<App, 'clock'>): ListEntry {
  const result = entryOf(given, clock.now());
  if ('problem' in result) throw new FieldErrors({ value: [result.problem] });
  return result.entry;
}
