import { NativeSelect } from '@mantine/core';
import { type Protection, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Restricted } from '../accounts/Restricted.tsx';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { PROOF_OPTIONS } from '../ui/proof-modes.ts';
import { protectionSettings } from './protection.ts';

/** When sends with the account's live keys need a proof of work. */
export function ProofSetting() {
  const query = useQuery(protectionSettings);
  return (
    <Loaded query={query} failure="Failed to load the setting">
      {(loaded) => (
        <Restricted to="updateProtection">
          <Setting settings={loaded} />
        </Restricted>
      )}
    </Loaded>
  );
}

type Values = Pick<Protection, 'require_proof'>;

function Setting({ settings: { require_proof } }: { settings: Protection }) {
  const queryClient = useQueryClient();
  const saved: Values = { require_proof };
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/protection/protection.ts')).updateProtection.body,
    initialValues: saved,
    submit: (body) => call(updateProtection, { body }),
    scope: 'protection',
    failure: 'Failed to save the setting',
    onSuccess: async (changed, sent) => {
      await store(queryClient, protectionSettings, changed);
      form.fields.setValues((now) => followed(now, sent, { require_proof: changed.require_proof }));
      toast.success('Setting saved');
    },
  });
  useUnsaved('Proof of work', form, saved);
  return (
    <Form form={form} label="Proof of work">
      <NativeSelect
        label="Require proof of work"
        description="Under pressure: while one of your rules is at its limit. A proof then replaces the refusal of the rules on many sends, up to twice their limits."
        data={PROOF_OPTIONS}
        {...form.field('require_proof')}
      />
      <SaveButton form={form}>Save Setting</SaveButton>
    </Form>
  );
}
