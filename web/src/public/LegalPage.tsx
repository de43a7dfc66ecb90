import type { ReactNode } from 'react';
import { ButtonLink } from '../ui/links.tsx';
import { PublicHeader } from '../ui/PublicHeader.tsx';
import { SandboxBanner } from '../ui/SandboxBanner.tsx';
import classes from './LegalPage.module.css';
import { PublicFooter } from './PublicFooter.tsx';

export interface Section {
  heading: string;
  body: ReactNode;
}

const EFFECTIVE = '26 September 2025';

export const LegalPage = ({ title, sections }: { title: string; sections: readonly Section[] }) => (
  <div className="flex min-h-dvh flex-col">
    <SandboxBanner />
    <PublicHeader isNarrow>
      <nav aria-label="Account" className="flex gap-[0.35rem]">
        <ButtonLink to="/sign-in" variant="subtle">
          Sign In
        </ButtonLink>
        <ButtonLink to="/sign-up">Sign Up</ButtonLink>
      </nav>
    </PublicHeader>
    <main className="mx-auto w-full max-w-184 flex-1 px-5 pt-10 pb-16">
      <article className={`${classes.article} text-16 leading-[1.7]`}>
        <h1 className="m-0 leading-[1.2] font-650 tracking-[-0.02em]">{title}</h1>
        <p className="text-ink-soft">Effective date: {EFFECTIVE}</p>
        {sections.map(({ heading, body }, index) => (
          <section key={heading}>
            <h2>
              {index + 1}. {heading}
            </h2>
            {body}
          </section>
        ))}
      </article>
    </main>
    <div className="border-t border-line">
      <div className="mx-auto w-full max-w-184 px-5 py-5">
        <PublicFooter />
      </div>
    </div>
  </div>
);
