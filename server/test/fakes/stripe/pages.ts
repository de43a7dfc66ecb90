import type { ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import { authenticate } from './confirmation.ts';
import { StripeFailure } from './failure.ts';

const html = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main><h1>${title}</h1>${body}</main></html>`;

function send(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** The hosted pages: a charge's receipt, and the bank's page that `redirect_to_url` leads to. True if it was one. */
export function servePage(account: Account, method: string, url: URL, response: ServerResponse): boolean {
  const [, kind, id = '', outcome] = url.pathname.split('/');
  if (kind === 'receipts' && method === 'GET') {
    receipt(account, id, response);
    return true;
  }
  if (kind !== 'authenticate') return false;
  const intent = account.paymentIntents.get(id);
  const secret = url.searchParams.get('client_secret') ?? '';
  const step = intent?.next_action?.redirect_to_url;
  if (!intent || intent.client_secret !== secret || !step) {
    send(response, 404, html('Nothing to authenticate', ''));
  } else if (method === 'POST' && (outcome === 'complete' || outcome === 'fail')) {
    const back = new URL(step.return_url ?? account.url);
    try {
      authenticate(account, id, outcome);
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error;
    }
    back.searchParams.set('payment_intent', id);
    back.searchParams.set('payment_intent_client_secret', secret);
    back.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed');
    response.writeHead(303, { location: back.href }).end();
  } else {
    const form = (action: string, label: string) =>
      `<form method="post" action="/authenticate/${id}/${action}${url.search}"><button>${label}</button></form>`;
    const buttons = form('complete', 'Complete authentication') + form('fail', 'Fail authentication');
    send(response, 200, html('3D Secure test page', buttons));
  }
  return true;
}

function receipt(account: Account, id: string, response: ServerResponse): void {
  const charge = account.charges.get(id);
  if (!charge) {
    send(response, 404, html('No such receipt', ''));
    return;
  }
  const amount = `${(charge.amount / 100).toFixed(2)} ${charge.currency.toUpperCase()}`;
  const card = charge.payment_method_details?.card;
  send(response, 200, html('Receipt', `<p>${amount} paid with ${card?.brand} ${card?.last4}</p>`));
}
