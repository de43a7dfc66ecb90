import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { nowMs } from '../../api/clock.ts';
import { useExport } from '../../table/ExportButton.tsx';
import { ExportStatus } from '../../table/ExportStatus.tsx';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { useAsked } from '../asked.ts';
import classes from '../Operator.module.css';
import { accountingExport, monthsBefore } from './payments.ts';

const MONTHS = 24;
const OTHER = 'other';

/** Saves all movements of money and credits in a period as CSV. */
export function AccountingExport() {
  const [isOpen, setOpen] = useState(false);
  useAsked(['export'], () => setOpen(true));
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        aria-label="Export for Accounting"
        onClick={() => setOpen(true)}
      >
        Export<span className="max-sm:hidden">&nbsp;for Accounting</span>
      </Button>
      <Dialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Export for Accounting"
        description="Purchases, refunds, disputes and adjustments of all accounts as CSV. Periods start and end at midnight UTC. The audit log records the export."
      >
        <PeriodForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function PeriodForm({ onClose }: { onClose: () => void }) {
  const [months] = useState(() => monthsBefore(new Date(nowMs()), MONTHS));
  // Accountants need the previous month most often.
  const [chosen, setChosen] = useState('1');
  const [period, setPeriod] = useState(() => months[1]?.period ?? { from: '', to: '' });
  const { start, progress } = useExport(accountingExport(period), { count: 0 });
  const { from, to } = period;
  const isPeriod = from !== '' && to !== '' && from <= to;
  return (
    <form
      aria-label="Export for Accounting"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isPeriod) start();
      }}
    >
      <NativeSelect
        label="Period"
        data={[
          ...months.map(({ label }, n) => ({ value: String(n), label })),
          { value: OTHER, label: 'Other period' },
        ]}
        value={chosen}
        data-autofocus
        onChange={({ currentTarget: { value } }) => {
          setChosen(value);
          const month = months[Number(value)];
          if (month) setPeriod(month.period);
        }}
      />
      {chosen === OTHER ? (
        <div className={`${classes.fields} grid gap-4`}>
          <TextInput
            type="date"
            label="From"
            value={from}
            onChange={({ currentTarget }) => setPeriod({ from: currentTarget.value, to })}
          />
          <TextInput
            type="date"
            label="To"
            value={to}
            error={from !== '' && to !== '' && from > to ? 'To must not be before from.' : undefined}
            onChange={({ currentTarget }) => setPeriod({ from, to: currentTarget.value })}
          />
        </div>
      ) : null}
      {progress ? <ExportStatus progress={progress} /> : null}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" disabled={!isPeriod} loading={progress !== undefined}>
          Export CSV
        </Button>
      </DialogActions>
    </form>
  );
}
