import { IconFileText, IconHash } from '@tabler/icons-react';
import { useState } from 'react';
import { type Asked, Finder, type Found } from '../ui/Finder.tsx';
import { useDocsSearch } from './docs-address.ts';
import { excerptOf, find, type Passage, passagesOfCalls, passagesOn } from './passages.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Finds headings, sentences, fields and errors, and scrolls to them. */
export const DocsSearch = (dialog: Props) => (
  <Finder
    {...dialog}
    label="Search the docs"
    placeholder="Heading, field, error or any word"
    useChoices={usePassages}
  />
);

function usePassages({ text }: Asked): Found {
  const [, change] = useDocsSearch();
  const [all] = useState(() => [...passagesOfCalls(), ...passagesOn(document)]);
  const show = async ({ place }: Passage): Promise<void> => {
    if (place instanceof Element) return goTo(place);
    await change({ endpoint: place.endpoint });
    goTo(await whenShown(place.id));
  };
  const isHeading = ({ place }: Passage): boolean => place instanceof HTMLHeadingElement;
  const found = text === '' ? all.filter(isHeading) : find(all, text);
  const choices = found.map((passage) => ({
    id: String(all.indexOf(passage)),
    label: passage.title,
    ...(passage.chapter !== passage.title && { detail: passage.chapter }),
    ...(text !== '' && passage.text !== '' && { excerpt: excerptOf(passage, text) }),
    Icon: isHeading(passage) ? IconHash : IconFileText,
    run: () => void show(passage),
  }));
  return { groups: [{ title: text === '' ? 'Sections' : 'Results', choices }], note: 'No results.' };
}

/** Focuses the passage, so that keyboard and screen reader users continue from there after the dialog closes. */
function goTo(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'start' });
}

const FRAMES = 60;

/** Waits until the selected tab shows the element. */
async function whenShown(id: string): Promise<Element | null> {
  for (let frame = 0; frame < FRAMES; frame++) {
    const element = document.getElementById(id);
    if (element) return element;
    await new Promise(requestAnimationFrame);
  }
  return null;
}
