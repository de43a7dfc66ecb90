import type { Channel } from '@sixdigit/contract/channels.ts';
import type { CarrierFieldName } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { DoctorContext, Finding } from '../../platform/finding.ts';
import { targetProblem } from '../../platform/outbound/address.ts';
import type { Callbacks, Carrier, FieldValues } from './carrier.ts';
import type { Reach } from './post.ts';

/** Everything about a kind of carrier except its texts and fields, which are in the contract. */
export interface Kind<Setting extends string = string> {
  create(setup: CarrierSetup): Carrier;
  /** Checks the values of a carrier of the console. Missing fields and unknown options are already reported. */
  fieldProblems(values: FieldValues, context: FieldContext): FieldProblems;
  /** Undefined if the carrier reports nothing. */
  callbacks?: Callbacks;
  /** Undefined if carriers of this kind exist only in the console. */
  environment?: Environment<Setting>;
}

export interface CarrierSetup {
  name: string;
  values: FieldValues;
  /** all that the carrier can serve unless given */
  channels?: readonly Channel[];
  /** any address unless given */
  reach?: Reach;
  /** The sender name if neither the message nor the carrier has one. */
  brandName: string;
  /** The sender name of messages whose account has set none. A carrier's own name replaces it. */
  defaultName?: string;
  publicUrl?: string | undefined;
  clock: Pick<Clock, 'now'>;
}

export interface FieldContext {
  config: Config;
  channels: readonly Channel[];
}
export type FieldProblems = Partial<Record<CarrierFieldName | 'channels', string>>;

export type SettingValues<Setting extends string = string> = Readonly<
  Partial<Record<Setting, string | undefined>>
>;

/** The carrier that environment variables set up. Its name is its kind. */
export interface Environment<Setting extends string> {
  schemas: Record<Setting, z.ZodType<string | undefined>>;
  /** The settings that belong together. The carrier is configured if the first one is set. */
  required: readonly [NoInfer<Setting>, ...NoInfer<Setting>[]];
  /** Logs and reports omit them. People choose a `chosen` one, so it could be easy to guess. */
  secrets: Partial<Record<NoInfer<Setting>, 'issued' | 'chosen'>>;
  /** The setting of each field. */
  fields: Partial<Record<CarrierFieldName, NoInfer<Setting>>>;
  /** The values for `create`, unless they are those of `fields`. */
  values?(settings: SettingValues<NoInfer<Setting>>): FieldValues;
  /** The values for the console, unless they are those of `fields`. */
  shown?(settings: SettingValues<NoInfer<Setting>>): FieldValues;
  /** Sentences for the operator. Missing settings are already reported. */
  problems(settings: SettingValues<NoInfer<Setting>>, options: { sandbox: boolean }): string[];
  /** Why the carrier cannot serve a channel that its kind serves. */
  unableBecause?(settings: SettingValues<NoInfer<Setting>>, channel: Channel): string | undefined;
  /** The doctor's check. It must send no message. */
  examine: {
    about: string;
    check(settings: SettingValues<NoInfer<Setting>>, context: DoctorContext): Promise<Finding[]>;
  };
}

/** Infers the names of the settings. */
export const carrierKind = <const Setting extends string = never>(kind: Kind<Setting>): Kind<Setting> => kind;

/** Reports a setting that is not an address. */
export const settingUrlProblems = (name: string, url: string | undefined): string[] =>
  !url || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
    ? []
    : [`${name} must be an http(s) address.`];

/** Carriers of the console may have the same addresses as webhooks. Every connection checks the resolved addresses again. */
export function fieldUrlProblems(
  name: 'url' | 'api_url',
  url: string | undefined,
  { config }: FieldContext,
): FieldProblems {
  const problem = url ? targetProblem(url, { allowPrivate: config.webhookAllowPrivate }) : undefined;
  return problem ? { [name]: problem } : {};
}
