import type { ReactNode } from 'react';
import { Folded } from '../ui/Folded.tsx';
import type { BodyForm } from './Form.tsx';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
  form: BodyForm<any, any>;
  /** the names of the fields inside */
  names: readonly string[];
  /** what is inside, for the closed row */
  about: string;
  children: ReactNode;
}

/** Settings that a new thing rarely needs. They open by themselves if one of them has an error. */
export const AdvancedSettings = ({ form, names, about, children }: Props) => (
  <Folded
    title="Advanced"
    about={about}
    mustOpen={names.some((name) => form.fields.errors[name] !== undefined)}
  >
    {() => children}
  </Folded>
);
