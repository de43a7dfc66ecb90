import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import classes from './NotFound.module.css';

export const NotFound = () => (
  <main className={classes.page}>
    <h1>Not Found</h1>
    <Anchor component={Link} to={'/' as never}>
      Back to the start
    </Anchor>
  </main>
);
