import { getSpend, updateSpend } from '@sixdigit/contract/spend.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { changeLimits, spendOf } from './spend.ts';

export function spendRoutes(server: Server, app: Needs<'db' | 'random'>): void {
  serve(server, getSpend, ({ caller }) => spendOf(app, caller.account_id));
  serve(server, updateSpend, ({ caller, body }) => changeLimits(app, caller, body));
}
