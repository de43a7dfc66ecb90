import { updateKeyRules } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { keyRules } from '../api-keys/live-keys.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { Switch } from '../ui/Switch.ts';

/** Who may create live keys. Each change is saved immediately. */
export function KeyRules() {
  const query = useQuery(keyRules);
  const queryClient = useQueryClient();
  const change = useAction({
    run: (live_keys_need_admin: boolean) => call(updateKeyRules, { body: { live_keys_need_admin } }),
    success: 'Saved',
    failure: 'Failed to save the change',
    refresh: [listAuditEntries],
    done: (rules) => store(queryClient, keyRules, rules),
  });
  return (
    <Loaded query={query} failure="Failed to load the rule for live keys" waiting={1}>
      {({ live_keys_need_admin }) => (
        <Switch
          label="Only owners and admins manage live API keys"
          description="Developers keep their test keys, and can delete live keys. Existing keys keep working."
          checked={change.isPending ? change.variables : live_keys_need_admin}
          aria-disabled={change.isPending}
          onChange={(event) => {
            if (!change.isPending) change.mutate(event.currentTarget.checked);
          }}
        />
      )}
    </Loaded>
  );
}
