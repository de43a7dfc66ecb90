import { LOOKUP_KIND_FACTS } from '@sixdigit/contract/operator/lookup-kinds.ts';
import { checkLookup, findSetup, type OpenLookup, openLookup } from '../../../lookups/lookups.ts';
import { storedCarrierProblem } from '../../../messaging/carriers/carriers.ts';
import { selectLookupPause } from '../../../operator/operator.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type DoctorContext, type Finding, problem, warning } from '../../../platform/finding.ts';

const NAME = 'look-up';

/** Checks the look-up of numbers, if it is on. The console's own test looks a number up. */
export async function lookupFindings(db: Sql, { config, vault, clock }: DoctorContext): Promise<Finding[]> {
  // A database that has not been migrated yet has its own finding.
  const row = await findSetup(db).catch(() => undefined);
  if (!row?.is_enabled) return [];
  const blocked = storedCarrierProblem(config);
  if (blocked) return [problem(NAME, 'The look-up is not used: test cards would pay for it.', blocked)];
  const { label } = LOOKUP_KIND_FACTS[row.kind];
  if (!vault) return [warning(NAME, `${label} is set up.`, 'Set SECRET_KEY to check its credentials.')];
  let lookup: OpenLookup | undefined;
  try {
    lookup = openLookup({ vault }, row);
  } catch {
    return [
      problem(
        NAME,
        'The credentials of the look-up were encrypted under another SECRET_KEY, so it is not used.',
        'Name that key in SECRET_KEY_PREVIOUS, or enter the credentials again in the console.',
      ),
    ];
  }
  if (!lookup)
    return [
      problem(
        NAME,
        'The record of the look-up cannot be read by this version.',
        'Edit the look-up in the console.',
      ),
    ];
  const paused = await selectLookupPause(db);
  return [
    ...(paused === undefined
      ? []
      : [
          warning(
            NAME,
            `The look-up is paused, because it failed repeatedly. ${paused}`,
            'A send tries it at most every ten seconds. Until it answers, sends pass without an answer, or are refused.',
          ),
        ]),
    await checkLookup(lookup, { allowPrivate: config.webhookAllowPrivate, now: clock.now() }),
  ];
}
