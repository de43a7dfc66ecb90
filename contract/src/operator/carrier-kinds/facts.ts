import type { Channel } from '../../channels.ts';

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
}

/** A kind's texts and fields. The server validates by them, and the dashboard draws its forms. */
export interface CarrierFacts<Name extends string> {
  label: string;
  help: string;
  /** The name that the form suggests. A number at its end counts up if the name is taken. */
  suggestedName: string;
  /** The form preselects only the first: Twilio, for example, can place calls only from some senders. */
  serves: readonly [Channel, ...Channel[]];
  fields: readonly CarrierField<Name>[];
}

/** Infers the names of the fields. */
export const carrierFacts = <const Name extends string>(facts: CarrierFacts<Name>): CarrierFacts<Name> =>
  facts;
