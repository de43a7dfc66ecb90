import { type Protection, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { LookupFields, lookupsOf, lookupValuesOf } from './LookupFields.tsx';
import { protectionSettings } from './protection.ts';

/** The rules on what a look-up finds, and the sends that make one. */
export function LookupRules({ settings }: { settings: Protection }) {
  const queryClient = useQueryClient();
  const saved = lookupValuesOf(settings);
  const form = useBodyForm({
    schema: async () => (await import('./rule-schemas.ts')).lookupsSchema,
    initialValues: saved,
    submit: (values) => call(updateProtection, { body: lookupsOf(values) }),
    scope: 'protection',
    failure: 'Failed to save the look-ups',
    onSuccess: async (changed, sent) => {
      await store(queryClient, protectionSettings, changed);
      form.fields.setValues((now) => followed(now, sent, lookupValuesOf(changed)));
      toast.success('Look-ups saved');
    },
  });
  useUnsaved('Number look-ups', form, saved);
  return (
    <Form form={form} label="Number look-ups">
      <LookupFields form={form} settings={settings} />
      <SaveButton form={form}>Save Look-ups</SaveButton>
    </Form>
  );
}
