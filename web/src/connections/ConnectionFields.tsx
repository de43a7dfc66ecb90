import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import { LANGUAGES, type Language } from '@sixdigit/contract/languages.ts';
import { KeyLimits } from '../api-keys/KeyLimits.tsx';
import { bodyOfLimits, type LimitValues, NO_LIMITS } from '../api-keys/key-values.ts';
import type { BodyForm } from '../form/Form.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { namesLanguage, needsExpiry, needsMessage, needsPattern, placeOf } from './connections.ts';

/** The field values of a connection's settings. */
export interface ConnectionValues extends LimitValues {
  /** '' means the account's default */
  message: string;
  /** '' means the account's default text */
  language: Language | '';
  /** '' means none */
  code_pattern: string;
  /** in seconds; '' means the account's default */
  code_expires_in: string;
}

export const NEW_SETTINGS: ConnectionValues = {
  message: '',
  language: '',
  code_pattern: '',
  code_expires_in: '',
  ...NO_LIMITS,
};

/** The settings in a request body. `before` is as for `bodyOfLimits`. */
export const bodyOfSettings = (
  { message, language, code_pattern, code_expires_in, ...limits }: ConnectionValues,
  before: ConnectionValues,
) => ({
  message: message.trim() === '' ? null : message,
  language: language === '' ? null : language,
  code_pattern: code_pattern.trim() === '' ? null : code_pattern,
  code_expires_in: code_expires_in.trim() === '' ? null : Number(code_expires_in.replaceAll(',', '')),
  ...bodyOfLimits(limits, before),
});

const names = new Intl.DisplayNames('en', { type: 'language' });
const languages = LANGUAGES.map((value) => ({ value: value as string, label: names.of(value) ?? value }));
const languageChoices = [
  { value: '', label: 'Account default' },
  ...languages.toSorted((one, other) => one.label.localeCompare(other.label)),
];

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
  form: BodyForm<any, any>;
  system: SystemName;
}

/** The text and the validity of the codes. */
export const MessageFields = ({ form, system }: Props) => (
  <>
    {needsMessage(system) ? (
      <>
        <Textarea
          label="Message"
          description="With {code}, for requests that contain no text. Leave empty for a default message."
          placeholder="Your code is {code}"
          autosize
          minRows={2}
          maxRows={5}
          {...form.field('message')}
        />
        <NativeSelect
          label="Language"
          description={`For the default message and email subjects.${
            namesLanguage(system) ? ' If you choose one, requests can name another.' : ''
          }${system === 'webhook' ? ' Calls are in English.' : ''}`}
          data={languageChoices}
          {...form.field('language')}
        />
      </>
    ) : null}
    {needsExpiry(system) ? (
      <WholeNumberInput
        label="Codes are valid for"
        description={`Enter the validity set in ${placeOf(system)}, 60 to 3600 seconds. Leave empty for the account's default.`}
        unit="seconds"
        fallback={undefined}
        {...form.field('code_expires_in')}
      />
    ) : null}
  </>
);

/** How to find the code in a text. */
export const PatternField = ({ form, system }: Props) =>
  needsPattern(system) ? (
    <TextInput
      label="Code pattern"
      description="The text around the code, if messages contain other numbers. Leave empty if the code is the only number."
      placeholder="Your PIN is {code}."
      autoComplete="off"
      {...form.field('code_pattern')}
    />
  ) : null;

export const LimitFields = ({ form, isFree }: Pick<Props, 'form'> & { isFree: boolean }) => (
  <KeyLimits form={form} thing="connection" isFree={isFree} />
);
