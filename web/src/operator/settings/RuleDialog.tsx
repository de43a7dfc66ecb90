import { Button, NativeSelect, TextInput } from '@mantine/core';
import { reason } from '@sixdigit/contract/operator/operator.ts';
import { updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import {
  type DeploymentRules,
  type DeploymentRulesBody,
  MODES,
  type Threshold,
} from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { call } from '../../api/call.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { type CountedRule, MODE_NAMES, RULE_NAMES, THRESHOLD_NAMES } from '../../protection/rule-texts.ts';
import { thresholdsOf } from '../../protection/rule-values.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/toast.ts';
import classes from '../Operator.module.css';
import { operatorProtection } from '../operator.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  rule: CountedRule | undefined;
  state: DeploymentRules;
}

/** Changes one rule over all accounts, and the bounds within which accounts choose their own thresholds. */
export const RuleDialog = ({ opened, onClose, rule, state }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title={rule ? RULE_NAMES[rule] : ''}
    description="Every process obeys within two seconds. Accounts choose between the least and the most; new bounds concern what they set later."
  >
    {rule ? <RuleForm key={rule} rule={rule} state={state} onClose={onClose} /> : null}
  </Dialog>
);

const whole = z
  .string()
  .trim()
  .regex(/^\d{1,9}$/, 'Enter a whole number');

type Numbers = Record<Threshold, number>;
type Ranges = Record<Threshold, { min: number; max: number }>;

function RuleForm({ rule, state, onClose }: Omit<Props, 'opened' | 'rule'> & { rule: CountedRule }) {
  const queryClient = useQueryClient();
  const names = thresholdsOf(rule);
  const numbers = state.rules[rule] as unknown as Numbers;
  const ranges = state.bounds[rule] as unknown as Ranges;
  const fields = names.flatMap((name) => [
    [name, String(numbers[name])],
    [`${name}_min`, String(ranges[name].min)],
    [`${name}_max`, String(ranges[name].max)],
  ]) as [string, string][];
  const form = useBodyForm({
    schema: z.object({
      mode: z.enum(MODES),
      ...Object.fromEntries(fields.map(([name]) => [name, whole])),
      reason,
    }) as unknown as z.ZodType<Record<string, string>>,
    initialValues: {
      mode: state.rules[rule].mode as string,
      ...Object.fromEntries(fields),
      reason: '',
    } as Record<string, string>,
    submit: (values) => {
      const value = (name: string) => Number(values[name]);
      const change = {
        rules: {
          [rule]: { mode: values.mode, ...Object.fromEntries(names.map((name) => [name, value(name)])) },
        },
        bounds: {
          [rule]: Object.fromEntries(
            names.map((name) => [name, { min: value(`${name}_min`), max: value(`${name}_max`) }]),
          ),
        },
      } as DeploymentRulesBody;
      return call(updateOperatorProtection, { body: { ...change, reason: values.reason ?? '' } });
    },
    failure: 'The rule could not be changed',
    onSuccess: (saved) => {
      toast.success('Rule changed');
      onClose();
      queryClient.setQueryData(operatorProtection.queryKey, saved);
    },
  });
  return (
    <Form form={form} label={RULE_NAMES[rule]}>
      <NativeSelect
        label="Mode"
        data={MODES.map((value) => ({ value, label: MODE_NAMES[value] }))}
        {...form.field('mode')}
      />
      {names.map((name) => (
        <div key={name} className={classes.threshold}>
          <TextInput
            label={THRESHOLD_NAMES[rule][name]}
            inputMode="numeric"
            autoComplete="off"
            {...form.field(name)}
          />
          <TextInput
            label="Least"
            aria-label={`${THRESHOLD_NAMES[rule][name]}: the least that accounts may choose`}
            inputMode="numeric"
            autoComplete="off"
            {...form.field(`${name}_min`)}
          />
          <TextInput
            label="Most"
            aria-label={`${THRESHOLD_NAMES[rule][name]}: the most that accounts may choose`}
            inputMode="numeric"
            autoComplete="off"
            {...form.field(`${name}_max`)}
          />
        </div>
      ))}
      <TextInput label="Reason" autoComplete="off" {...form.field('reason')} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form}>Save Rule</SubmitButton>
      </DialogActions>
    </Form>
  );
}
