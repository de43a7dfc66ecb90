import type { Channel } from '../../channels.ts';
import type { CarrierRecord } from '../carrier-record.ts';

export interface CarrierField<Name extends string> {
  name: Name;
  label: string;
  help: string;
  placeholder?: string;
  isOptional?: true;
  /** Stored encrypted and never returned. */
  isSecret?: true;
  /** Where the secret is sent. A change of such a field needs the secret again. */
  receivesSecret?: true;
  /** A stored secret is dropped if this field is emptied. */
  goesWith?: NoInfer<Name>;
  options?: readonly { value: string; label: string }[];
  /** The value of an empty optional field. */
  default?: string;
  /** Text of several lines. */
  isLong?: true;
  /** A number, a short code or a name. Other senders have the form that their company gives them. */
  isSender?: true;
}

/** `quick`: within seconds of the delivery. `late`: perhaps, or after the code has expired. */
export type ReportSpeed = 'quick' | 'late' | 'none';

/** A kind's texts and fields. The server validates by them, and the dashboard draws its forms. */
export interface CarrierFacts<Name extends string> {
  label: string;
  help: string;
  /** The heading in the list of kinds. */
  group: 'A phone as a gateway' | 'Message company' | 'Mail' | 'Your own';
  /** Where the company is based: ISO 3166-1 alpha-2. It delivers to most countries. */
  home?: string;
  /** The name that the form suggests. A number at its end counts up if the name is taken. */
  suggestedName: string;
  /** The form preselects only the first: Twilio, for example, can place calls only from some senders. */
  serves: readonly [Channel, ...Channel[]];
  /** How soon its delivery reports say whether a message arrived. A plan waits for them only if they are quick. */
  reports: ReportSpeed;
  fields: readonly CarrierField<Name>[];
  /** The button that makes at the company what a carrier needs before it can send. */
  prepare?: string;
  /** A preset: the kind is this record. */
  preset?: Preset;
}

/** A company's record, and what its document says. */
export interface Preset {
  record: CarrierRecord;
  /** How fast its reports are, and what to set up there. */
  notes: readonly string[];
  /** Whether a fact was read in the company's documents or its own code, or only elsewhere. */
  sources: readonly { what: string; from: 'document' | 'code' | 'elsewhere' }[];
}

/** Infers the names of the fields. */
export const carrierFacts = <const Name extends string>(facts: CarrierFacts<Name>): CarrierFacts<Name> =>
  facts;

/** The address of a company's API, which tests and regions replace. */
export const apiUrl = (address: string) =>
  ({
    name: 'api_url',
    label: 'API address',
    help: 'Only for another region or a proxy.',
    placeholder: address,
    default: address,
    isOptional: true,
    receivesSecret: true,
  }) as const;

export const senderField = (
  help = 'A number such as +15551234567, or a sender name where the country allows one.',
) => ({ name: 'from', label: 'Sender', help, placeholder: '+15551234567', isSender: true }) as const;

export const mailSenderField = {
  name: 'from',
  label: 'Sender',
  help: 'An address that the provider may send from, with or without a name.',
  placeholder: 'Acme <no-reply@example.com>',
} as const;

/** Follows a sender. */
export const sendersField = {
  name: 'senders',
  label: 'Senders by country',
  help: 'Such as US +12025550123, SE Acme. Other countries get the one under Sender.',
  placeholder: 'US +12025550123',
  isOptional: true,
} as const;

/** The same for a kind that serves several channels. */
export const channelSendersField = {
  ...sendersField,
  label: 'Senders by country and channel',
  help: 'Such as US +12025550123, SE Acme, voice +15551234567, FR voice +33199001234. Others get the one under Sender.',
} as const;

/** Whether the company is told about right codes. */
export const feedbackField = (help = 'Tells the company which codes were entered correctly.') =>
  ({
    name: 'feedback',
    label: 'Feedback',
    help,
    isOptional: true,
    options: [
      { value: '', label: 'Off' },
      { value: 'verified', label: 'After a right code' },
    ],
  }) as const;
