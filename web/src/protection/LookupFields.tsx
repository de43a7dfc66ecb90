import { TextInput } from '@mantine/core';
import { LINE_NAMES, REFUSABLE_LINES, type RefusableLine } from '@sixdigit/contract/protection/lookups.ts';
import { MODES, type Mode, type Protection, RULE_NAMES } from '@sixdigit/contract/protection/protection.ts';
import type { ReactNode } from 'react';
import type { BodyForm } from '../form/Form.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { Checkbox } from '../ui/Checkbox.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { Switch } from '../ui/Switch.ts';
import { MODE_NAMES } from './rule-texts.ts';

/** Of an account, or over all accounts. */
type Settings = Pick<Protection, 'rules' | 'lookups'>;

/** Lists are texts, because unsaved changes are found by comparing texts. */
export const lookupValuesOf = ({ rules: { line_type, sim_swap }, lookups }: Settings) => ({
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

type Values = ReturnType<typeof lookupValuesOf>;

/** The body of a change. */
export const lookupsOf = (
  values: Omit<Values, 'line_mode' | 'sim_mode'> & { line_mode: Mode; sim_mode: Mode },
) => ({
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
});

/** The rules on what a look-up finds, and the sends that make one. */
export function LookupFields<V extends Values>({
  form,
  settings,
}: {
  form: BodyForm<V>;
  settings: Settings;
}) {
  const { field, fields } = form as unknown as BodyForm<Values>;
  const { values, setFieldValue } = fields;
  const refused = wordsOf(values.refused);
  const toggle = (line: RefusableLine, isRefused: boolean): void =>
    setFieldValue(
      'refused',
      textOf(REFUSABLE_LINES.filter((one) => (one === line ? isRefused : refused.includes(one)))),
    );
  const words = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, maxLength: 700 };
  return (
    <>
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
            {...field('hours')}
          />
          <TextInput
            label="Purposes (empty: all sends)"
            placeholder="login, payment"
            {...words}
            {...field('sim_purposes')}
          />
        </div>
      </Rule>
      <div className="grid grid-cols-1 gap-3 border-t border-line pt-4 sm:grid-cols-2">
        <WholeNumberInput
          label="Look up sends that cost at least"
          unit="credits"
          fallback={settings.lookups.from_credits}
          {...field('from_credits')}
        />
        <TextInput
          label="Always look up for these purposes"
          placeholder="payment"
          {...words}
          {...field('purposes')}
        />
        <TextInput
          label="Refuse these purposes without an answer"
          placeholder="payment"
          {...words}
          {...field('closed_purposes')}
        />
        <Switch
          className="self-end"
          label="Also for WhatsApp and Telegram"
          checked={values.messengers !== ''}
          onChange={({ currentTarget: { checked } }) => setFieldValue('messengers', checked ? 'yes' : '')}
        />
      </div>
    </>
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
