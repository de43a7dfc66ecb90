import { Tabs } from '../ui/Tabs.ts';

const views = [
  { value: 'list', label: 'Verifications' },
  { value: 'inbox', label: 'Test inbox' },
] as const;
type View = (typeof views)[number]['value'];

/** The tabs of test mode: the list and the test inbox. */
export const TestViews = ({ view, onChange }: { view: View; onChange: (view: View) => void }) => (
  <Tabs className="mb-3.5" value={view} onChange={(value) => onChange(value as View)}>
    <Tabs.List aria-label="Test mode">
      {views.map(({ value, label }) => (
        <Tabs.Tab key={value} value={value}>
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  </Tabs>
);
