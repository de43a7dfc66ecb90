import type { updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import type { DeploymentRules, ListEntry } from '@sixdigit/contract/protection/protection.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { type Protection, readDeploymentRules, writeDeploymentRules } from '../../protection/protection.ts';
import { lockSetting } from '../../settings/live-settings/live-settings.ts';
import { recordAction } from '../audit.ts';

/** The fraud rules for all accounts. */
export type ProtectionApp = Platform & { protection: Protection };

const LOCK = 'protection';

/** Throws `changed_meanwhile` if another operator changed the rules after `updated_at`. */
export async function changeProtection(
  app: ProtectionApp,
  by: OperatorCaller,
  { updated_at, reason, ...change }: Parsed<typeof updateOperatorProtection, 'body'>,
): Promise<DeploymentRules> {
  if (updated_at === undefined && (change.allow || change.deny))
    throw new FieldErrors({ updated_at: ['Name the time of the lists that you change.'] });
  await app.db.transaction(async (tx) => {
    await lockSetting(tx, LOCK);
    const read = await readDeploymentRules(tx, app);
    if (updated_at !== undefined && read.updated_at !== updated_at) throw new Failure('changed_meanwhile');
    const { before, after } = await writeDeploymentRules(tx, app, change);
    await recordAction(tx, app, by, {
      action: 'protection.update',
      subject: 'Rules over all accounts',
      reason,
      before: shown(before),
      after: shown(after),
    });
  });
  await app.protection.exchange();
  return readDeploymentRules(app.db, app);
}

/** Masks numbers, because they are personal data and the audit is never deleted. */
const masked = ({ kind, value, expires_at }: ListEntry): string =>
  `${kind} ${kind === 'number' ? maskedRecipient(value) : value}${expires_at === null ? '' : ` until ${expires_at}`}`;

const shown = ({
  allow,
  deny,
  ...rules
}: Pick<DeploymentRules, 'rules' | 'bounds' | 'allow' | 'deny' | 'lookups'>) => ({
  ...rules,
  allow: allow.map(masked),
  deny: deny.map(masked),
});
