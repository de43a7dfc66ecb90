import { reason } from '@sixdigit/contract/operator/operator.ts';
import { updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import type { DeploymentRules } from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { store } from '../../api/read.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { LookupFields, lookupsOf, lookupValuesOf } from '../../protection/LookupFields.tsx';
import { lookupsSchema } from '../../protection/rule-schemas.ts';
import { operatorProtection } from '../operator.ts';
import { ReasonInput } from '../ReasonDialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  state: DeploymentRules;
}

/** Changes the rules across all accounts on what a look-up finds. */
export function LookupRulesDialog({ state, ...dialog }: Props) {
  const queryClient = useQueryClient();
  return (
    <FormDialog
      {...dialog}
      title="Look-up Rules"
      description="Takes effect within two seconds. They apply to every account, whatever its own rules are."
      size="lg"
      confirm="Save Rules"
      busy="Saving..."
      success="Look-up rules changed"
      formKey={state.updated_at ?? ''}
      form={{
        schema: lookupsSchema.extend({ reason }),
        initialValues: { ...lookupValuesOf(state), reason: '' },
        submit: async (values) => {
          const body = { ...lookupsOf(values), reason: values.reason, updated_at: state.updated_at };
          await store(queryClient, operatorProtection, await call(updateOperatorProtection, { body }));
        },
        failure: 'Failed to change the rules',
      }}
    >
      {(form) => (
        <>
          <LookupFields form={form} settings={state} />
          <ReasonInput {...form.field('reason')} />
        </>
      )}
    </FormDialog>
  );
}
