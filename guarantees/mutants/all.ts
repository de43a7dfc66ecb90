import { codes } from './codes.ts';
import { connections } from './connections.ts';
import { delivery } from './delivery.ts';
import { exposure } from './exposure.ts';
import { isolation } from './isolation.ts';
import { keys } from './keys.ts';
import { members } from './members.ts';
import { money } from './money.ts';
import type { Mutant } from './mutant.ts';
import { operation } from './operation.ts';
import { operators } from './operators.ts';
import { proofs } from './proofs.ts';
import { protection } from './protection.ts';
import { recipients } from './recipients.ts';
import { records } from './records.ts';
import { roles } from './roles.ts';
import { secrets } from './secrets.ts';
import { sessions } from './sessions.ts';
import { singleSignOn } from './single-sign-on.ts';
import { spending } from './spending.ts';
import { testMode } from './test-mode.ts';
import { twilioVerify } from './twilio-verify.ts';

export const mutants: readonly Mutant[] = [
  ...money,
  ...spending,
  ...codes,
  ...recipients,
  ...testMode,
  ...protection,
  ...isolation,
  ...keys,
  ...connections,
  ...twilioVerify,
  ...sessions,
  ...proofs,
  ...singleSignOn,
  ...operators,
  ...roles,
  ...members,
  ...records,
  ...secrets,
  ...delivery,
  ...exposure,
  ...operation,
];
