import { checkSso, getSso, removeSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import { checkSsoOf } from './domain.ts';
import { changeSso, type SsoApp, ssoOf, turnSsoOff } from './settings.ts';

export function ssoRoutes(server: Server, app: SsoApp): void {
  serve(server, getSso, ({ caller }) => ssoOf(app, caller.account_id));
  serve(server, updateSso, ({ caller, body }) => changeSso(app, caller, body));
  serve(server, checkSso, ({ caller }) => checkSsoOf(app, caller));
  serve(server, removeSso, async ({ caller }) => {
    await turnSsoOff(app, caller);
    return undefined;
  });
}
