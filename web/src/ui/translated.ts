/** Loads the code that follows a translation when the browser starts one, because most visits have none. */
export function awaitTranslation(): void {
  const seen: MutationRecord[] = [];
  const watching = new MutationObserver((records) => {
    const isBegun = records.some(({ addedNodes }) =>
      [...addedNodes].some((node) => node.nodeName === 'FONT'),
    );
    if (!isBegun && seen.length === 0) return;
    seen.push(...records);
    void import('./translation.ts').then(({ followTranslation }) => {
      watching.disconnect();
      followTranslation(seen.splice(0));
    });
  });
  watching.observe(document.body, { childList: true, subtree: true });
}
