import { CHANNELS, factsOf } from '@sixdigit/contract/channels.ts';
import { CARRIER_KIND_FACTS } from '@sixdigit/contract/operator/carrier-setups.ts';
import {
  checkStored,
  type FieldValues,
  openSecrets,
  realCarriers,
  type StoredSetup,
  selectStored,
  senderFindings,
  storedCarrierProblem,
} from '../../../messaging/carriers/carriers.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type DoctorContext, type Finding, ok, problem, warning } from '../../../platform/finding.ts';

const NAME = 'carriers';

/** Checks whether codes can be delivered, and the carriers of the console. Their own test in the console sends a message. */
export async function carrierFindings(db: Sql, context: DoctorContext): Promise<Finding[]> {
  const stored = await selectStored(db).catch(() => undefined);
  // A database that has not been migrated yet has its own finding.
  if (!stored) return [];
  const { sandbox, brandName, carriers, publicUrl = '' } = context.config;
  const configured = realCarriers({ ...carriers, sandbox, brandName });
  const used = stored.filter(({ is_enabled }) => is_enabled);
  if (configured.length === 0 && used.length === 0 && !sandbox)
    return [
      problem(
        NAME,
        'No carrier is set up. Codes cannot be sent, and new customers cannot sign up.',
        `Run npm start -- operator add <email>, then add a carrier at ${publicUrl}/operator/carriers.`,
      ),
    ];
  const blocked = used.length > 0 && storedCarrierProblem(context.config);
  if (blocked)
    return [
      problem(NAME, 'The carriers of the console are not used: test cards would pay for them.', blocked),
    ];
  return [
    ...(await Promise.all(used.map((setup) => findingOf(setup, context)))),
    ...used.flatMap(({ name, channels, fields: values }) =>
      senderFindings(NAME, context.config, { name, channels, values }),
    ),
  ];
}

async function findingOf(setup: StoredSetup, { vault, config, clock }: DoctorContext): Promise<Finding> {
  const { name, kind, channels } = setup;
  let secrets: FieldValues = {};
  try {
    if (vault) secrets = openSecrets({ vault }, setup);
  } catch {
    return problem(
      NAME,
      `The credentials of ${name} were encrypted under another SECRET_KEY, so it is not used.`,
      'Name that key in SECRET_KEY_PREVIOUS, or enter the credentials again in the console.',
    );
  }
  const served = CHANNELS.filter((channel) => channels.includes(channel)).map(
    (channel) => factsOf(channel).label,
  );
  const says = `${name} (${CARRIER_KIND_FACTS[kind].label}) of the console serves ${new Intl.ListFormat('en-GB').format(served)}.`;
  const reach = { allowPrivate: config.webhookAllowPrivate };
  const values = { ...setup.fields, ...secrets };
  // Mail servers in this machine's network may send under names that have no records.
  const isChecked = vault && (config.production || kind !== 'smtp');
  const { dnsServers } = config;
  const checked =
    isChecked && (await checkStored({ name, kind, values, reach, now: clock.now(), dnsServers }));
  if (checked) return checked.level === 'ok' ? { ...checked, says: `${says} ${checked.says}` } : checked;
  return vault ? ok(NAME, says) : warning(NAME, says, 'Set SECRET_KEY to check its credentials.');
}
