import { TextInput } from '@mantine/core';
import { type Spend, updateSpend } from '@sixdigit/contract/spend.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { relativeTime, shortDateTime } from '../ui/dates.ts';
import { countOf, percent } from '../ui/numbers.ts';
import classes from './Protection.module.css';
import { spending } from './protection.ts';

export const SpendLimits = ({ spend }: { spend: Spend }) => (
  <>
    <div className="mb-5 grid grid-cols-2 items-start gap-4">
      <Meter
        label="Today"
        spent={spend.spent_today}
        limit={spend.daily_credit_limit}
        resetsAt={spend.day_resets_at}
      />
      <Meter
        label="This month"
        spent={spend.spent_this_month}
        limit={spend.monthly_credit_limit}
        resetsAt={spend.month_resets_at}
      />
    </div>
    <LimitsForm spend={spend} />
  </>
);

interface MeterProps {
  label: string;
  spent: number;
  limit: number | null;
  resetsAt: string;
}

const barColors = { below: 'bg-accent', near: 'bg-orange', reached: 'bg-red' } as const;

function Meter({ label, spent, limit, resetsAt }: MeterProps) {
  const used = limit === null ? 0 : Math.min(100, Math.floor((spent / limit) * 100));
  const state = used >= 100 ? 'reached' : used >= 80 ? 'near' : 'below';
  return (
    <div className="grid gap-1">
      <span className="text-13 text-ink-soft">{label}</span>
      <strong className="tabular-nums">
        {limit === null
          ? countOf(spent, 'credit')
          : `${spent.toLocaleString('en-US')} of ${countOf(limit, 'credit')}`}
      </strong>
      {limit === null ? null : (
        // biome-ignore lint/a11y/useSemanticElements: browsers draw a meter in their own way
        <div
          className="h-2 overflow-hidden rounded-16 bg-line"
          role="meter"
          aria-label={`Spent ${label.toLowerCase()}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={used}
          aria-valuetext={`${percent(used / 100)} of the limit`}
        >
          <span className={`block h-full rounded-16 ${barColors[state]}`} style={{ width: `${used}%` }} />
        </div>
      )}
      {limit === null ? null : (
        <span className="text-13 text-ink-soft">
          {state === 'reached' ? 'Limit reached. Sends are refused until' : 'Resets'}{' '}
          {shortDateTime(resetsAt)}, {relativeTime(resetsAt, nowMs())}
        </span>
      )}
    </div>
  );
}

const textOf = (limit: number | null): string => (limit === null ? '' : String(limit));
const valuesOf = ({ daily_credit_limit, monthly_credit_limit }: Spend) => ({
  daily_credit_limit: textOf(daily_credit_limit),
  monthly_credit_limit: textOf(monthly_credit_limit),
});
const limitOf = (text: string): number | null =>
  text.trim() === '' ? null : Number(text.replaceAll(',', ''));

function LimitsForm({ spend }: { spend: Spend }) {
  const queryClient = useQueryClient();
  const saved = valuesOf(spend);
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/spend.ts')).SpendLimits,
    initialValues: saved,
    toBody: (values: typeof saved) => ({
      daily_credit_limit: limitOf(values.daily_credit_limit),
      monthly_credit_limit: limitOf(values.monthly_credit_limit),
    }),
    submit: (body) => call(updateSpend, { body }),
    failure: 'Failed to save the spend limits',
    onSuccess: async (changed, sent) => {
      await store(queryClient, spending, changed);
      form.fields.setValues((now) => followed(now, sent, valuesOf(changed)));
      toast.success('Spend limits saved');
    },
  });
  useUnsaved('Spend limits', form, saved);
  return (
    <Form form={form} label="Spend limits">
      <div className={`${classes.limits} grid gap-4`}>
        <TextInput
          label="Daily credit limit"
          placeholder="No limit"
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          {...form.field('daily_credit_limit')}
        />
        <TextInput
          label="Monthly credit limit"
          placeholder="No limit"
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          {...form.field('monthly_credit_limit')}
        />
      </div>
      <p className="m-0 text-13 text-ink-soft">
        Each API key can have its own daily limit. Refunded credits still count.
      </p>
      <SaveButton form={form}>Save Spend Limits</SaveButton>
    </Form>
  );
}
