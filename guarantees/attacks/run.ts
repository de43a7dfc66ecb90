/** Runs the attacks on a running instance over HTTP, one after the other. */

import { countsOf, print, runScenarios } from '../harness/run.ts';
import { subject } from './attack.ts';
import { connections } from './connections.ts';
import { dressedAddresses, exposure } from './exposure.ts';
import { guessing } from './guessing.ts';
import { heldPlaces } from './held-places.ts';
import { injections } from './injections.ts';
import { lockOut } from './lock-out.ts';
import { members } from './members.ts';
import { mailHeaders, ownTexts, sms } from './messages.ts';
import { neighbours } from './neighbours.ts';
import { ownCodes } from './own-codes.ts';
import { purchases } from './purchases.ts';
import { singleSignOn } from './single-sign-on.ts';
import { startUp } from './start-up.ts';
import { startTarget } from './target.ts';
import { twilioVerify } from './twilio-verify.ts';

const SUBJECTS = [
  subject('start-up', 'settings that would leave a deployment unprotected', startUp),
  subject('sms', 'messages that cost the operator more than they cost the customer', sms),
  subject('own-texts', 'messages to users of the dashboard, which the operator pays for', ownTexts),
  subject('guessing', 'guessed codes and forged delivery reports', guessing),
  subject('own-codes', 'codes that the sender made, used to imitate those of Sixdigit', ownCodes),
  subject('connections', 'forged requests to the addresses of connections, and floods', connections),
  subject('twilio-verify', "guesses, floods and free rows through Twilio Verify's calls", twilioVerify),
  subject('mail-headers', 'texts that inject a header into a mail, or reorder or hide its text', mailHeaders),
  subject('injections', 'values about visitors that reach texts, mails, webhooks, CSV and logs', injections),
  subject('exposure', "operators' routes, and redirects to other origins", exposure),
  subject(
    'dressed-addresses',
    "clients' addresses in every form, and requests that never end",
    dressedAddresses,
  ),
  subject('members', 'invitations and roles that somebody else was given', members),
  subject('single-sign-on', 'an identity provider of one account against others', singleSignOn),
  subject('lock-out', 'strangers who try to lock an owner out', lockOut),
  subject('held-places', 'many accounts with responses that never end', heldPlaces),
  subject('neighbours', 'one customer at full load alongside others', neighbours),
  // Last, because it shifts the database's clock.
  subject('purchases', "repeated charges to a customer's card", purchases),
];

await runScenarios(SUBJECTS, async (cleanup) => {
  const target = await startTarget(cleanup);
  cleanup.defer(() => print(`\nlogged warnings and errors: ${countsOf(target.fleet.problems)}`));
  return target;
});
