import { NativeSelect } from '@mantine/core';
import { reason } from '@sixdigit/contract/operator/operator.ts';
import { updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import {
  type DeploymentRules,
  type DeploymentRulesBody,
  MODES,
  type Mode,
  type Threshold,
} from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { call } from '../../api/call.ts';
import { store } from '../../api/read.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { type CountedRule, MODE_NAMES, RULE_NAMES, THRESHOLD_NAMES } from '../../protection/rule-texts.ts';
import { thresholdsOf } from '../../protection/rule-values.ts';
import { NumberInput } from '../../ui/NumberInput.ts';
import classes from '../Operator.module.css';
import { operatorProtection } from '../operator.ts';
import { ReasonInput } from '../ReasonDialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  rule: CountedRule | undefined;
  state: DeploymentRules;
}

const whole = z.number('Enter a whole number').int().min(0);

const WHOLE = { min: 0, allowDecimal: false, thousandSeparator: ',', hideControls: true } as const;

const MODE_HINTS: Record<Mode, string> = {
  enforce: 'Blocks suspicious sends.',
  monitor: 'Blocks nothing, but counts the sends that it would block.',
  off: 'The rule is not checked.',
};

/** The label has more room than on the customers' screen. */
const thresholdName = (rule: CountedRule, name: Threshold): string =>
  (THRESHOLD_NAMES[rule][name] ?? name).replace(/ min$/, ' minutes');

type Numbers = Record<Threshold, number>;
type Ranges = Record<Threshold, { min: number; max: number }>;

/** Changes one rule across all accounts, and the bounds of the accounts' own thresholds. */
export function RuleDialog({ rule, state, ...dialog }: Props) {
  const queryClient = useQueryClient();
  return (
    <FormDialog
      {...dialog}
      title={rule ? RULE_NAMES[rule] : ''}
      description="Takes effect within two seconds. Accounts can set their own thresholds between the minimum and the maximum. Thresholds that accounts have already set stay as they are."
      size="lg"
      confirm="Save Rule"
      success="Rule changed"
      formKey={rule}
      form={
        rule && {
          ...formOf(rule, state),
          submit: async (values) => {
            const body = { ...changeOf(rule, values), reason: String(values.reason) };
            const saved = await call(updateOperatorProtection, { body });
            await store(queryClient, operatorProtection, saved);
          },
          failure: 'Failed to change the rule',
        }
      }
    >
      {({ field, fields }) =>
        rule ? (
          <>
            <NativeSelect
              label="Mode"
              description={MODE_HINTS[fields.values.mode as Mode]}
              data={MODES.map((value) => ({ value, label: MODE_NAMES[value] }))}
              {...field('mode')}
            />
            {thresholdsOf(rule).map((name) => (
              <div key={name} className={`${classes.threshold} grid items-start gap-3`}>
                <NumberInput label={thresholdName(rule, name)} {...WHOLE} {...field(name)} />
                <NumberInput
                  label="Minimum for accounts"
                  aria-label={`${thresholdName(rule, name)}: minimum for accounts`}
                  {...WHOLE}
                  {...field(`${name}_min`)}
                />
                <NumberInput
                  label="Maximum for accounts"
                  aria-label={`${thresholdName(rule, name)}: maximum for accounts`}
                  {...WHOLE}
                  {...field(`${name}_max`)}
                />
              </div>
            ))}
            <ReasonInput {...field('reason')} />
          </>
        ) : null
      }
    </FormDialog>
  );
}

type Values = Record<string, string | number>;

/** The field names depend on the rule. */
function formOf(
  rule: CountedRule,
  state: DeploymentRules,
): { schema: z.ZodType<Values>; initialValues: Values } {
  const numbers = state.rules[rule] as unknown as Numbers;
  const ranges = state.bounds[rule] as unknown as Ranges;
  const fields = thresholdsOf(rule).flatMap((name) => [
    [name, numbers[name]],
    [`${name}_min`, ranges[name].min],
    [`${name}_max`, ranges[name].max],
  ]) as [string, number][];
  return {
    schema: z.object({
      mode: z.enum(MODES),
      ...Object.fromEntries(fields.map(([name]) => [name, whole])),
      reason,
    }) as unknown as z.ZodType<Values>,
    initialValues: { mode: state.rules[rule].mode, ...Object.fromEntries(fields), reason: '' },
  };
}

function changeOf(rule: CountedRule, values: Values): DeploymentRulesBody {
  const names = thresholdsOf(rule);
  const value = (name: string) => Number(values[name]);
  return {
    rules: {
      [rule]: { mode: values.mode, ...Object.fromEntries(names.map((name) => [name, value(name)])) },
    },
    bounds: {
      [rule]: Object.fromEntries(
        names.map((name) => [name, { min: value(`${name}_min`), max: value(`${name}_max`) }]),
      ),
    },
  } as DeploymentRulesBody;
}
