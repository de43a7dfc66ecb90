import { TextInput } from '@mantine/core';
import { LINE_NAMES, REFUSABLE_LINES, type RefusableLine } from '@sixdigit/contract/protection/lookups.ts';
import {
  MODES,
  type Mode,
  type Protection,
  RULE_NAMES,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { Checkbox } from '../ui/Checkbox.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { Switch } from '../ui/Switch.ts';
import { protectionSettings } from './protection.ts';
import { MODE_NAMES } from './rule-texts.ts';

/** Lists are texts, because unsaved changes are found by comparing texts. */
const valuesOf = ({ rules: { line_type, sim_swap }, lookups }: Pick<Protection, 'rules' | 'lookups'>) => ({
  line_mode: line_type.mode as string,
  refused: textOf(REFUSABLE_LINES.filter((line) => line_type.refused.includes(line))),
  sim_mode: sim_swap.mode as string,
  hours: String(sim_swap.hours),
  sim_purposes: textOf(sim_swap.purposes ?? []),
  from_credits: String(lookups.from_credits),
  purposes: textOf(lookups.purposes),
  closed_purposes: textOf(lookups.closed_purposes),
  messengers: lookups.messengers ? 'yes' : '',
});

const textOf = (words: readonly string[]): string => words.join(', ');
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** The rules on what a look-up finds, and the sends that make one. */
export function LookupRules({ settings }: { settings: Protection }) {
  const queryClient = useQueryClient();
  const saved = valuesOf(settings);
  const form = useBodyForm({
    schema: async () => (await import('./rule-schemas.ts')).lookupsSchema,
    initialValues: saved,
    submit: (values) =>
      call(updateProtection, {
        body: {
          rules: {
            line_type: { mode: values.line_mode, refused: wordsOf(values.refused) as RefusableLine[] },
            sim_swap: {
              mode: values.sim_mode,
              hours: Number(values.hours),
              purposes: values.sim_purposes.trim() === '' ? null : wordsOf(values.sim_purposes),
            },
          },
          lookups: {
            from_credits: Number(values.from_credits),
            purposes: wordsOf(values.purposes),
            closed_purposes: wordsOf(values.closed_purposes),
            messengers: values.messengers !== '',
          },
        },
      }),
    scope: 'protection',
    failure: 'Failed to save the look-ups',
    onSuccess: async (changed, sent) => {
      await store(queryClient, protectionSettings, changed);
      form.fields.setValues((now) => followed(now, sent, valuesOf(changed)));
      toast.success('Look-ups saved');
    },
  });
  useUnsaved('Number look-ups', form, saved);
  const { values, setFieldValue } = form.fields;
  const refused = wordsOf(values.refused);
  const toggle = (line: RefusableLine, isRefused: boolean): void =>
    setFieldValue(
      'refused',
      textOf(REFUSABLE_LINES.filter((one) => (one === line ? isRefused : refused.includes(one)))),
    );
  const words = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, maxLength: 700 };
  return (
    <Form form={form} label="Number look-ups">
      <Rule
        name={RULE_NAMES.line_type}
        mode={values.line_mode}
        onChange={(mode) => setFieldValue('line_mode', mode)}
      >
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          {REFUSABLE_LINES.map((line) => (
            <Checkbox
              key={line}
              label={LINE_NAMES[line]}
              checked={refused.includes(line)}
              onChange={({ currentTarget: { checked } }) => toggle(line, checked)}
            />
          ))}
        </div>
      </Rule>
      <Rule
        name={RULE_NAMES.sim_swap}
        mode={values.sim_mode}
        onChange={(mode) => setFieldValue('sim_mode', mode)}
      >
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <WholeNumberInput
            label="No codes after a SIM change for"
            unit="hours"
            fallback={settings.rules.sim_swap.hours}
            {...form.field('hours')}
          />
          <TextInput
            label="Purposes (empty: all sends)"
            placeholder="login, payment"
            {...words}
            {...form.field('sim_purposes')}
          />
        </div>
      </Rule>
      <div className="grid grid-cols-1 gap-3 border-t border-line pt-4 sm:grid-cols-2">
        <WholeNumberInput
          label="Look up sends that cost at least"
          unit="credits"
          fallback={settings.lookups.from_credits}
          {...form.field('from_credits')}
        />
        <TextInput
          label="Always look up for these purposes"
          placeholder="payment"
          {...words}
          {...form.field('purposes')}
        />
        <TextInput
          label="Refuse these purposes without an answer"
          placeholder="payment"
          {...words}
          {...form.field('closed_purposes')}
        />
        <Switch
          className="self-end"
          label="Also for WhatsApp and Telegram"
          checked={values.messengers !== ''}
          onChange={({ currentTarget: { checked } }) => setFieldValue('messengers', checked ? 'yes' : '')}
        />
      </div>
      <SaveButton form={form}>Save Look-ups</SaveButton>
    </Form>
  );
}

interface RuleProps {
  name: string;
  mode: string;
  onChange: (mode: Mode) => void;
  children: ReactNode;
}

const Rule = ({ name, mode, onChange, children }: RuleProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand beside the switch
  <div
    role="group"
    aria-label={name}
    className="grid gap-3 border-t border-line pt-4 first:border-t-0 first:pt-0"
  >
    <div className="flex flex-wrap items-center justify-between gap-2">
      <h3 className="m-0 text-15 font-600">{name}</h3>
      <SegmentedControl
        size="xs"
        aria-label={`Mode of ${name}`}
        data={MODES.map((value) => ({ value, label: MODE_NAMES[value] }))}
        value={mode}
        onChange={(value) => onChange(value as Mode)}
      />
    </div>
    {mode === 'off' ? null : children}
  </div>
);
