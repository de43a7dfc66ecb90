import { Button } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../table/DataTable.tsx';
import { useList } from '../table/list.ts';
import { SearchBox } from '../table/SearchBox.tsx';
import { Toolbar } from '../table/Toolbar.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { transactionColumns } from './columns.tsx';
import { transactionPage, transactionSearch } from './payments.ts';
import classes from './Transactions.module.css';

/** The payment history. */
export function Transactions() {
  const list = useList(transactionSearch);
  const query = useQuery(transactionPage(list.search));
  return (
    <section className={classes.history} aria-labelledby="payment-history">
      <h2 id="payment-history">Payment History</h2>
      <Toolbar search={<SearchBox list={list} placeholder="Search transactions..." />} />
      <DataTable
        label="Payment History"
        noun="transaction(s)"
        list={list}
        query={query}
        columns={transactionColumns as never}
        rowId={(transaction) => transaction.id}
        error={{ title: 'Error loading data', message: 'Failed to fetch transactions' }}
        empty={
          list.isFiltered ? (
            <EmptyState
              icon={<IconReceipt size={24} />}
              title="No transactions found"
              action={
                <Button variant="default" onClick={list.reset}>
                  Clear search
                </Button>
              }
            >
              No transaction matches “{list.search.search}”.
            </EmptyState>
          ) : (
            <EmptyState icon={<IconReceipt size={24} />} title="No transactions found">
              Purchases, refunds and every credit spent will be listed here.
            </EmptyState>
          )
        }
      />
    </section>
  );
}
