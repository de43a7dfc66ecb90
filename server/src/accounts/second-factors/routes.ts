import {
  addPasskey,
  removePasskey,
  renamePasskey,
  startPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import * as contract from '@sixdigit/contract/second-factors/second-factors.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import {
  type App,
  confirmAuthenticatorOf,
  createRecoveryCodesOf,
  removeAuthenticatorOf,
  startEnrolment,
} from './changes.ts';
import { addPasskeyOf, removePasskeyOf, renamePasskeyOf, startPasskeyOf } from './passkeys.ts';
import { secondFactorsOf } from './recovery-codes.ts';

export function secondFactorRoutes(server: Server, app: App): void {
  serve(server, contract.getSecondFactors, ({ caller }) => secondFactorsOf(app.db, caller.person_id));
  serve(server, contract.startAuthenticator, ({ caller }) => startEnrolment(app, caller));
  serve(server, contract.confirmAuthenticator, ({ caller, body }) =>
    confirmAuthenticatorOf(app, caller, body.code),
  );
  serve(server, contract.removeAuthenticator, async ({ caller }) => {
    await removeAuthenticatorOf(app, caller);
    return undefined;
  });
  serve(server, contract.createRecoveryCodes, ({ caller }) => createRecoveryCodesOf(app, caller));
  serve(server, startPasskey, ({ caller }) => startPasskeyOf(app, caller));
  serve(server, addPasskey, ({ caller, body }) => addPasskeyOf(app, caller, body));
  serve(server, renamePasskey, ({ caller, params, body }) =>
    renamePasskeyOf(app, caller, { ...body, ...params }),
  );
  serve(server, removePasskey, async ({ caller, params }) => {
    await removePasskeyOf(app, caller, params.id);
    return undefined;
  });
}
