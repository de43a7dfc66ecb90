import { IconWebhook } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { receiverSample } from './receiver-sample.ts';
import classes from './Webhooks.module.css';

/** Empty state: explains endpoints and shows a receiver. */
export const NoWebhooks = ({ action }: { action: ReactNode }) => (
  <EmptyState
    icon={<IconWebhook size={24} />}
    title="No webhook endpoints"
    action={action}
    snippet={
      <>
        <p className={classes.lead}>
          Anyone can send a request to your endpoint, so check every signature. Save this as{' '}
          <code>receiver.mjs</code>, then run{' '}
          <code>WEBHOOK_SECRET='the secret you are shown' node receiver.mjs</code>:
        </p>
        <CodeBlock language="javascript" label="A receiver that checks signatures" code={receiverSample} />
      </>
    }
  >
    Add a URL, and we call it when a code is sent, delivered, verified, failed or expired. You get a secret
    that signs every message.
  </EmptyState>
);
