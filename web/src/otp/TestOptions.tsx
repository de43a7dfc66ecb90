import { NativeSelect, Textarea, type TextareaProps, TextInput } from '@mantine/core';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { LANGUAGE_CHOICES } from '../ui/display-names.ts';
import { Folded } from '../ui/Folded.tsx';
import type { TestSending } from './test-send.ts';

export const NO_OPTIONS = {
  locale: '',
  template: '',
  variables: '',
  purpose: '',
  code_length: '',
  max_attempts: '',
  expires_in: '',
  app_hash: '',
  domain: '',
  metadata: '',
  limits: '',
};
export type Options = typeof NO_OPTIONS;

const numberOf = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));
const textOf = (text: string): string | undefined => text.trim() || undefined;

/** `order=4711` on each line. A line without a name gets the error of the service. */
const pairsOf = (text: string): Record<string, string> | undefined => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
};

/** The fields of the request that are filled in. The last line is for SMS only. */
export const fieldsOf = (options: Options, channel: Channel) => ({
  locale: textOf(options.locale),
  template: textOf(options.template),
  variables: textOf(options.template) === undefined ? undefined : pairsOf(options.variables),
  purpose: textOf(options.purpose),
  code_length: numberOf(options.code_length),
  max_attempts: numberOf(options.max_attempts),
  expires_in: numberOf(options.expires_in),
  metadata: pairsOf(options.metadata),
  limits: pairsOf(options.limits),
  ...(factsOf(channel).format === 'text'
    ? { app_hash: textOf(options.app_hash), domain: textOf(options.domain) }
    : {}),
});

interface Props {
  options: Options;
  onChange: (options: Options) => void;
  channel: Channel;
  problems: TestSending['problems'];
}

/** The fields of a send that a test rarely needs. */
export function TestOptions({ options, onChange, channel, problems }: Props) {
  const field = (name: keyof Options) => ({
    value: options[name],
    error: problems[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ ...options, [name]: currentTarget.value }),
  });
  const isText = factsOf(channel).format === 'text';
  return (
    <Folded
      title="More options"
      about="language, purpose, code"
      mustOpen={Object.keys(NO_OPTIONS).some((name) => problems[name as keyof Options] !== undefined)}
    >
      {() => (
        <>
          <NativeSelect
            label="Language"
            data={[{ value: '', label: 'Account default' }, ...LANGUAGE_CHOICES]}
            {...field('locale')}
          />
          <TextInput label="Template" placeholder="None" autoCapitalize="none" {...field('template')} />
          {textOf(options.template) === undefined ? null : (
            <Pairs label="Variables" placeholder="order=4711" {...field('variables')} />
          )}
          <TextInput
            label="Purpose"
            description="Codes of different purposes never verify each other."
            placeholder="login"
            autoCapitalize="none"
            {...field('purpose')}
          />
          <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
            <TextInput
              label="Code length"
              placeholder="Default"
              inputMode="numeric"
              {...field('code_length')}
            />
            <TextInput
              label="Attempts"
              placeholder="Default"
              inputMode="numeric"
              {...field('max_attempts')}
            />
            <TextInput
              label="Expires in seconds"
              placeholder="Default"
              inputMode="numeric"
              {...field('expires_in')}
            />
          </div>
          {isText ? (
            <>
              <TextInput
                label="App hash"
                description="For Android, 11 characters"
                autoCapitalize="none"
                {...field('app_hash')}
              />
              <TextInput
                label="Domain"
                description="On which browsers offer the code"
                placeholder="example.com"
                inputMode="url"
                autoCapitalize="none"
                {...field('domain')}
              />
            </>
          ) : null}
          <Pairs label="Metadata" placeholder="order=4711" {...field('metadata')} />
          <Pairs label="Limits" placeholder="signup-ip=203.0.113.7" {...field('limits')} />
        </>
      )}
    </Folded>
  );
}

const Pairs = (props: TextareaProps) => (
  <Textarea description="One per line" autosize minRows={1} maxRows={6} {...props} />
);
