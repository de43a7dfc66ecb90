import { Button, Skeleton } from '@mantine/core';
import type { Receipt } from '@sixdigit/contract/payments.ts';
import { IconArrowLeft, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { otherPages } from '../pages.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { longDate } from '../ui/dates.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { Ltr } from '../ui/Ltr.tsx';
import { PageLink } from '../ui/links.tsx';
import { NotFound } from '../ui/NotFound.tsx';
import { signOf } from '../ui/numbers.ts';
import { SandboxBanner } from '../ui/SandboxBanner.tsx';
import { receiptOf } from './payments.ts';
import { count, perCredit } from './prices.ts';
import classes from './ReceiptPage.module.css';

/** A printable receipt of one purchase. */
export function ReceiptPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(receiptOf(id));
  const { data, error } = query;
  if (error instanceof ApiError && error.status === 404)
    return (
      <main>
        <NotFound />
      </main>
    );
  return (
    <>
      <div className="print:hidden">
        <SandboxBanner />
      </div>
      <main className={`${classes.page} mx-auto max-w-184 px-4 pt-6 pb-16`}>
        <div className="mb-5 flex items-center justify-between gap-4 print:hidden">
          <PageLink to="/credits" className="inline-flex items-center gap-[0.35rem] touch:min-h-11">
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
  <article className={`${classes.paper} rounded-12 border border-line bg-surface lift`}>
    <header className="mb-8 flex flex-wrap justify-between gap-6">
      <div className="flex items-center gap-3">
        <BrandMark />
        <div>
          <strong className="block">{receipt.seller}</strong>
          <span className="block text-14 text-ink-soft">{receipt.support_email}</span>
        </div>
      </div>
      <div className={classes.title}>
        <h1 className="m-0 text-24 leading-[1.2] font-650">{otherPages.receipt.title}</h1>
        <span className="text-14 text-ink-soft">{receipt.number}</span>
      </div>
    </header>
    <dl className="m-0 mb-8 grid grid-cols-1 gap-x-8 gap-y-4 sm:grid-cols-2">
      <Fact name="Billed to">{receipt.buyer}</Fact>
      <Fact name="Date paid">
        <time dateTime={receipt.issued_at}>{longDate(receipt.issued_at)}</time>
      </Fact>
      <Fact name="Payment method">{receipt.card ?? 'Card'}</Fact>
      <Fact name="Payment reference" className="font-mono text-13">
        {receipt.payment_intent_id}
      </Fact>
    </dl>
    <table className={`${classes.lines} w-full border-collapse tabular-nums`}>
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
            <small className="block text-ink-soft">
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
            <td>
              <Ltr>{`${signOf(-1)}${price_display}`}</Ltr>
            </td>
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
      <p className="mt-6 mb-0 text-14 text-ink-soft">
        Paid with a test card in a sandbox: no money was charged.
      </p>
    ) : null}
  </article>
);

const Fact = (props: { name: string; className?: string; children: ReactNode }) => (
  <div>
    <dt className="text-13 text-ink-soft">{props.name}</dt>
    <dd className={`m-0 mt-[0.1rem] wrap-anywhere ${props.className ?? ''}`}>{props.children}</dd>
  </div>
);
