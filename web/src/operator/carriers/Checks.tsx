import { Alert, Button } from '@mantine/core';
import type { checkCarrier } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { useMutation } from '@tanstack/react-query';
import { sentence } from '../../api/call.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';

interface Check {
  label: string;
  /** 'Checking...' */
  busy?: string;
  run: () => Promise<Reply<typeof checkCarrier>>;
}

const CHECKED = { ok: 'green', warning: 'orange', problem: 'red' } as const;

/** Buttons that try credentials or a setup, without a message or a look-up. */
export function Checks({ checks, failure }: { checks: readonly Check[]; failure: string }) {
  const { data, error, isPending, mutate, variables } = useMutation({
    mutationFn: ({ run }: Check) => run(),
  });
  return (
    <div className="grid gap-3">
      <span className="flex flex-wrap gap-2.5">
        {checks.map((check) => {
          const isBusy = isPending && variables.label === check.label;
          return (
            <Button key={check.label} variant="default" {...busyButton(isBusy)} onClick={() => mutate(check)}>
              {isBusy ? (check.busy ?? 'Checking...') : check.label}
            </Button>
          );
        })}
      </span>
      <div aria-live="polite">
        {data ? (
          <Alert color={CHECKED[data.level]}>
            {data.says} {data.advice}
          </Alert>
        ) : null}
        {error ? <ErrorAlert problem={sentence(error, failure)} /> : null}
      </div>
    </div>
  );
}
