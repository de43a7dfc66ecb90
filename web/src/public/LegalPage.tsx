import type { ReactNode } from 'react';
import classes from './LegalPage.module.css';
import { PublicLayout } from './PublicLayout.tsx';

export interface Section {
  heading: string;
  body: ReactNode;
}

const EFFECTIVE = '26 September 2025';

export const LegalPage = ({ title, sections }: { title: string; sections: readonly Section[] }) => (
  <PublicLayout>
    <article className={classes.article}>
      <h1>{title}</h1>
      <p className={classes.date}>Effective date: {EFFECTIVE}</p>
      {sections.map(({ heading, body }, index) => (
        <section key={heading}>
          <h2>
            {index + 1}. {heading}
          </h2>
          {body}
        </section>
      ))}
    </article>
  </PublicLayout>
);
