import {
  addMessageDomain,
  listMessageDomains,
  removeMessageDomain,
  verifyMessageDomain,
} from '@sixdigit/contract/message-links.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import { addDomain, type DomainsApp, domainsOf, removeDomain, verifyDomain } from './domains.ts';

export function messageLinkRoutes(server: Server, app: DomainsApp): void {
  serve(server, listMessageDomains, ({ caller }) => domainsOf(app, caller.account_id));
  serve(server, addMessageDomain, ({ caller, body }) => addDomain(app, caller, body.domain));
  serve(server, verifyMessageDomain, ({ caller, params }) => verifyDomain(app, caller, params.id));
  serve(server, removeMessageDomain, async ({ caller, params }) => {
    await removeDomain(app, caller, params.id);
    return undefined;
  });
}
