import { Button, Skeleton } from '@mantine/core';
import type { Receipt } from '@sixdigit/contract/payments.ts';
import { IconArrowLeft, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ApiError } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { SandboxBanner } from '../frame/SandboxBanner.tsx';
import { otherPages } from '../pages.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { longDate } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import { receiptOf } from './payments.ts';
import { count, perCredit } from './prices.ts';
import classes from './ReceiptPage.module.css';

/** A printable receipt of one purchase. */
export function ReceiptPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(receiptOf(id));
  const { data, error } = query;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <>
      <div className={classes.onScreen}>
        <SandboxBanner />
      </div>
      <main className={classes.page}>
        <div className={classes.bar}>
          <PageLink to="/credits" className={classes.back}>
            <IconArrowLeft size={16} aria-hidden /> Back to Credits
          </PageLink>
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            disabled={!data}
            onClick={() => window.print()}
          >
            Print
          </Button>
        </div>
        {data ? <Paper receipt={data} /> : null}
        {!data && error ? <QueryError query={query} message="Failed to load the receipt" /> : null}
        {!data && !error ? <Skeleton height={420} radius="md" /> : null}
      </main>
    </>
  );
}

const Paper = ({ receipt }: { receipt: Receipt }) => (
  <article className={classes.paper}>
    <header className={classes.head}>
      <div className={classes.seller}>
        <BrandMark />
        <div>
          <strong>{receipt.seller}</strong>
          <span>{receipt.support_email}</span>
        </div>
      </div>
      <div>
        <h1>{otherPages.receipt.title}</h1>
        <span>{receipt.number}</span>
      </div>
    </header>
    <dl className={classes.facts}>
      <div>
        <dt>Billed to</dt>
        <dd>{receipt.buyer}</dd>
      </div>
      <div>
        <dt>Date paid</dt>
        <dd>
          <time dateTime={receipt.issued_at}>{longDate(receipt.issued_at)}</time>
        </dd>
      </div>
      <div>
        <dt>Payment method</dt>
        <dd>{receipt.card ?? 'Card'}</dd>
      </div>
      <div>
        <dt>Payment reference</dt>
        <dd className={classes.reference}>{receipt.payment_intent_id}</dd>
      </div>
    </dl>
    <table className={classes.lines}>
      <thead>
        <tr>
          <th scope="col">Description</th>
          <th scope="col">Amount ({receipt.currency})</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>
            {receipt.description}
            <small>
              {count(receipt.credits)} at {perCredit(receipt)}
            </small>
          </td>
          <td>{receipt.price_display}</td>
        </tr>
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Total paid</th>
          <td>{receipt.price_display}</td>
        </tr>
        {receipt.returned.map(({ returned_at, price_display }) => (
          <tr key={returned_at} className={classes.returned}>
            <th scope="row">
              Returned to the card on <time dateTime={returned_at}>{longDate(returned_at)}</time>
            </th>
            <td>−{price_display}</td>
          </tr>
        ))}
        {receipt.returned.length > 0 ? (
          <tr>
            <th scope="row">Total after returns</th>
            <td>{receipt.total_display}</td>
          </tr>
        ) : null}
      </tfoot>
    </table>
    {deployment().sandbox?.cards ? (
      <p className={classes.sandbox}>Paid with a test card in a sandbox: no money has moved.</p>
    ) : null}
  </article>
);
