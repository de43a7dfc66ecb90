import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierFieldName,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { CarrierSettings } from '../../platform/config.ts';
import type { DoctorContext, Finding } from '../../platform/finding.ts';
import type { Carrier, FieldValues } from './carrier.ts';
import type { Environment, Kind, SettingValues } from './kind.ts';
import { createCarrier, type KINDS, kindOf } from './kinds.ts';

/** The carriers that environment variables set up, one per kind. */
export interface CarrierOptions extends CarrierSettings {
  /** Channels without a carrier deliver to the sandbox inbox. */
  sandbox: boolean;
  brandName: string;
  publicUrl?: string | undefined;
}

type SettingOf<K> = K extends Kind<infer Setting> ? Setting : never;
export type CarrierSetting = SettingOf<(typeof KINDS)[keyof typeof KINDS]>;

const all = CARRIER_KINDS.flatMap((kind) => {
  const { environment } = kindOf(kind);
  return environment ? [{ kind, environment, serves: CARRIER_KIND_FACTS[kind].serves }] : [];
});

export const CARRIER_SCHEMAS = Object.assign({}, ...all.map(({ environment }) => environment.schemas)) as {
  [S in CarrierSetting]: z.ZodType<string | undefined>;
};
export const CARRIER_SETTINGS = Object.keys(CARRIER_SCHEMAS) as CarrierSetting[];

const secretsOf = (origin: (origin: 'issued' | 'chosen' | undefined) => boolean): CarrierSetting[] =>
  CARRIER_SETTINGS.filter((name) => all.some(({ environment }) => origin(environment.secrets[name])));
export const CARRIER_SECRETS = secretsOf((origin) => origin !== undefined);
export const CHOSEN_SECRETS = secretsOf((origin) => origin === 'chosen');

/** The name of the setting that lists a channel's carriers. */
export const carriersSetting = <C extends Channel>(channel: C): `${Uppercase<C>}_CARRIERS` =>
  `${channel.toUpperCase() as Uppercase<C>}_CARRIERS`;

/**
 * The carrier names in a channel's setting; undefined if all that serve the channel may be used. A gateway that serves every
 * channel may not know those with a fixed text, so they need the setting.
 */
export function chosenCarriers(options: CarrierOptions, channel: Channel): readonly string[] | undefined {
  const chosen = options.chosen?.[channel];
  if (chosen?.length) return chosen;
  return factsOf(channel).format === 'fixed' ? [] : undefined;
}

const isConfigured = ({ required }: Environment<string>, settings: SettingValues): boolean =>
  Boolean(settings[required[0]]);

/** The configured carriers of a channel that send to real recipients. */
export function carriersOf(options: CarrierOptions, channel: Channel): string[] {
  const chosen = chosenCarriers(options, channel);
  return all
    .filter(
      ({ environment, serves }) => isConfigured(environment, options.settings) && serves.includes(channel),
    )
    .map(({ kind }) => kind)
    .filter((kind) => chosen?.includes(kind) ?? true);
}

/** The configured carriers of all channels that send to real recipients. */
export const realCarriers = (options: CarrierOptions): string[] => [
  ...new Set(CHANNELS.flatMap((channel) => carriersOf(options, channel))),
];

/** Whether a configured carrier calls this service. */
export const expectsCallbacks = ({ settings }: CarrierSettings): boolean =>
  all.some(({ kind, environment }) => kindOf(kind).callbacks && isConfigured(environment, settings));

/** Creates the carriers whose settings are complete. `carrierProblems` validates them. */
export const environmentCarriers = (
  { settings, brandName, publicUrl }: CarrierOptions,
  clock: Pick<Clock, 'now'>,
): Carrier[] =>
  all
    .filter(({ environment }) => environment.required.every((name) => settings[name]))
    .map(({ kind, environment }) => {
      const values = (environment.values ?? valuesOf(environment))(settings);
      return createCarrier(kind, { name: kind, values, brandName, publicUrl, clock });
    });

const valuesOf =
  ({ fields }: Environment<string>) =>
  (settings: SettingValues): FieldValues =>
    Object.fromEntries(Object.entries(fields).map(([field, setting]) => [field, settings[setting]]));

/** The setting of each field of a kind, and its value for the console. */
export function environmentFields(
  kind: CarrierKind,
  { settings }: CarrierSettings,
): (name: CarrierFieldName) => { setting: string | null; value: string | undefined } {
  const { environment } = kindOf(kind);
  const values = environment && (environment.shown ?? valuesOf(environment))(settings);
  return (name) => ({ setting: environment?.fields[name] ?? null, value: values?.[name] || undefined });
}

/** The doctor's checks, by name. */
export const CARRIER_CHECKS: Record<string, (context: DoctorContext) => Promise<Finding[]>> =
  Object.fromEntries(
    all.map(({ environment: { examine } }) => [
      examine.about,
      (context: DoctorContext) => examine.check(context.config.carriers.settings, context),
    ]),
  );

/** Returns every problem with the carrier settings as a sentence for the operator. */
export const carrierProblems = (options: CarrierOptions): string[] => [
  ...all.flatMap(({ environment }) => [
    ...togetherProblems(environment, options.settings),
    ...environment.problems(options.settings, options),
  ]),
  ...CHANNELS.flatMap((channel) => orderProblems(options, channel)),
];

function togetherProblems({ required }: Environment<string>, settings: SettingValues): string[] {
  const missing = required.filter((name) => !settings[name]);
  const given = required.filter((name) => settings[name]);
  return given.length === 0
    ? []
    : missing.map((name) => `${name} is missing: ${given.join(' and ')} needs it.`);
}

function orderProblems(options: CarrierOptions, channel: Channel): string[] {
  const setting = carriersSetting(channel);
  return (chosenCarriers(options, channel) ?? []).flatMap((name) => {
    if (name === 'sandbox')
      return options.sandbox ? [] : [`${setting} names "sandbox", but SANDBOX is not set.`];
    const one = all.find(({ kind }) => kind === name);
    if (!one) {
      const known = [...all.map(({ kind }) => kind), 'sandbox'].join(', ');
      return [`${setting} names ${quoted(name)}; known are ${known}.`];
    }
    const { environment, serves } = one;
    if (!serves.includes(channel)) return [`${setting} names "${name}", which does not serve ${channel}.`];
    if (!isConfigured(environment, options.settings))
      return [`${setting} names "${name}", but ${environment.required[0]} is not set.`];
    const why = environment.unableBecause?.(options.settings, channel);
    return why ? [`${setting} names "${name}", but ${why}.`] : [];
  });
}

const QUOTED_MOST = 40;
/** Quotes an arbitrary value for use in a one-line sentence. */
const quoted = (text: string): string =>
  JSON.stringify(text.length > QUOTED_MOST ? `${text.slice(0, QUOTED_MOST)}…` : text);
