import { Skeleton, TextInput } from '@mantine/core';
import {
  LEARNED_RULES,
  LEARNING,
  MODES,
  type Mode,
  type Protection,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { IconSchool } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { type BodyForm, Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Later } from '../ui/Later.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { percent } from '../ui/numbers.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import classes from './Protection.module.css';
import { protectionSettings } from './protection.ts';
import { type CountedRule, MODE_NAMES, RULE_NAMES, RULE_SENTENCES, THRESHOLD_NAMES } from './rule-texts.ts';
import {
  COUNTED_RULES,
  changesOfRules,
  fieldOf,
  type RuleValues,
  rangeOf,
  rulesWithValues,
  thresholdError,
  thresholdsOf,
  thresholdsToTest,
  valuesOfRules,
} from './rule-values.ts';

/** Loaded with the first edit. */
const BackTest = lazyPart(async () => (await import('./BackTest.tsx')).BackTest);
const NothingToTest = lazyPart(async () => (await import('./BackTest.tsx')).NothingToTest);

/** The other rules are below the fold. */
const FIRST = 2;
const ITEM = 'border-t border-line py-4 first:border-t-0 first:pt-0';
const NAME = 'm-0 flex flex-wrap items-center gap-x-2 gap-y-1 text-15 font-600';
const SENTENCE = 'm-0 max-w-184 text-14 text-ink-soft';

/** As high as most accounts' rules. */
export const RulesWaiting = () => (
  <ul className="m-0 list-none p-0 pb-13" aria-hidden>
    {COUNTED_RULES.map((rule) => (
      <li key={rule} className={ITEM}>
        <div className={classes.rule}>
          <h3 className={NAME}>{RULE_NAMES[rule]}</h3>
          <Skeleton className={`${classes.mode} h-7.5 touch:h-12 min-[27rem]:w-37.5`} />
          <p className={SENTENCE}>
            <span className={classes.lines}>
              {RULE_SENTENCES[rule]({ mode: 'monitor', limit: 20, recipients: 3, percent: 25, hours: 12 })}
            </span>
          </p>
          <div className={`${classes.thresholds} grid gap-x-3`}>
            {thresholdsOf(rule).map((name) => (
              <TextInput key={name} label={THRESHOLD_NAMES[rule][name]} disabled />
            ))}
          </div>
        </div>
      </li>
    ))}
  </ul>
);

export function Rules({ settings }: { settings: Protection }) {
  const queryClient = useQueryClient();
  const saved = valuesOfRules(settings.rules);
  const form = useBodyForm({
    schema: async () => (await import('./rule-schemas.ts')).schemaOfRules(settings.bounds),
    initialValues: saved,
    submit: (values) =>
      call(updateProtection, { body: { rules: changesOfRules(values as RuleValues, saved) } }),
    scope: 'protection',
    failure: 'Failed to save the rules',
    onSuccess: async (changed, sent) => {
      await store(queryClient, protectionSettings, changed);
      form.fields.setValues((now) => followed(now, sent, valuesOfRules(changed.rules)));
      toast.success('Rules saved');
    },
  });
  useUnsaved('Rules', form, saved);
  const shown = rulesWithValues(settings.rules, form.fields.values);
  const isLearning = (rule: CountedRule): boolean => settings.learning.is_learning && learned.includes(rule);
  const item = (rule: CountedRule) => (
    <li key={rule} className={ITEM}>
      <RuleFields
        rule={rule}
        sentence={RULE_SENTENCES[rule](
          (isLearning(rule) ? { ...shown[rule], mode: 'monitor' } : shown[rule]) as never,
        )}
        settings={settings}
        form={form}
        saved={saved}
      />
    </li>
  );
  return (
    <Form form={form} label="Rules">
      <ul className="m-0 list-none p-0">
        {COUNTED_RULES.slice(0, FIRST).map(item)}
        <Later instead={null}>{COUNTED_RULES.slice(FIRST).map(item)}</Later>
      </ul>
      <SaveButton form={form}>Save Rules</SaveButton>
    </Form>
  );
}

interface Props {
  rule: CountedRule;
  sentence: string;
  settings: Protection;
  form: BodyForm<RuleValues>;
  saved: RuleValues;
}

const learned: readonly string[] = LEARNED_RULES;

function RuleFields({ rule, sentence, settings: { bounds, learning }, form, saved }: Props) {
  const { fields } = form;
  const modeField = fieldOf(rule, 'mode');
  const mode = fields.values[modeField] as Mode;
  const toTest = thresholdsToTest(bounds, rule, fields.values, saved);
  const onlyMonitors = mode === 'enforce' && learning.is_learning && learned.includes(rule);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand beside the switch
    <div role="group" aria-label={RULE_NAMES[rule]} className={classes.rule}>
      <h3 className={NAME}>
        {RULE_NAMES[rule]} {onlyMonitors ? <Badge tone="orange">Monitoring only</Badge> : null}
      </h3>
      <SegmentedControl
        size="xs"
        className={classes.mode ?? ''}
        aria-label={`Mode of ${RULE_NAMES[rule]}`}
        data={MODES.map((value) => ({ value, label: MODE_NAMES[value] }))}
        value={mode}
        onChange={(value) => fields.setFieldValue(modeField, value)}
      />
      <p className={SENTENCE}>{sentence}</p>
      {mode === 'off' ? null : (
        <div className={`${classes.thresholds} grid gap-x-3`}>
          {thresholdsOf(rule).map((name) => {
            const { min, max } = rangeOf(bounds, rule, name);
            return (
              <TextInput
                key={name}
                label={THRESHOLD_NAMES[rule][name]}
                inputMode="numeric"
                autoComplete="off"
                maxLength={7}
                data-tip={`${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`}
                {...form.field(fieldOf(rule, name))}
                error={
                  form.field(fieldOf(rule, name)).error ??
                  thresholdError(bounds, rule, name, fields.values[fieldOf(rule, name)] ?? '')
                }
              />
            );
          })}
        </div>
      )}
      <Suspense>
        {toTest === 'invalid' ? <NothingToTest /> : toTest ? <BackTest rule={rule} {...toTest} /> : null}
      </Suspense>
    </div>
  );
}

/** Explains why enforced rules block nothing yet. */
export function Learning({ learning, rules }: Pick<Protection, 'learning' | 'rules'>) {
  const isWaiting = LEARNED_RULES.some((rule) => rules[rule].mode === 'enforce');
  if (!learning.is_learning || !isWaiting) return null;
  const { finished, finished_needed, verified, verified_percent_needed } = learning;
  const share = finished === 0 ? 0 : Math.floor((verified / finished) * 100) / 100;
  return (
    <div className="mb-4 flex gap-3 rounded-10 bg-orange-soft px-4 py-3 text-14 text-on-orange-soft">
      <IconSchool className="flex-none" size={20} stroke={1.75} aria-hidden />
      <div>
        <strong>Rules that learn from your traffic only monitor for now.</strong>
        <p className="mt-[0.15rem] mb-0">
          They start to block after {finished_needed} finished sends in {LEARNING.days} days, with at least{' '}
          {percent(verified_percent_needed / 100)} verified. So far: {finished.toLocaleString('en-US')}{' '}
          finished, {percent(share)} verified.
        </p>
      </div>
    </div>
  );
}
